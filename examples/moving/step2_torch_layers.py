"""Step 2: two layers are torch's now, one block of the network; everything else stays."""

import torch
from start import batches, weights

from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.contrib import TorchBlock


def main() -> list[float]:
    first = torch.nn.Sequential(torch.nn.Conv2d(1, 16, 5), torch.nn.ReLU())
    values = weights()
    first.load_state_dict({"0.weight": torch.tensor(values["0.weight"]), "0.bias": torch.tensor(values["0.bias"])})
    net = nn.HybridSequential()
    net.add(TorchBlock(first), nn.MaxPool2D(2))
    net.add(nn.Conv2D(32, 5, in_channels=16, activation="relu"), nn.MaxPool2D(2))
    net.add(nn.Flatten(), nn.Dense(10, in_units=288))
    net.initialize()
    for layer in ("2", "5"):
        net[int(layer)].weight.set_data(nd.array(values[f"{layer}.weight"]))
        net[int(layer)].bias.set_data(nd.array(values[f"{layer}.bias"]))
    net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9})
    losses = []
    for images, labels in batches():
        with autograd.record():
            loss = loss_of(net(nd.array(images)), nd.array(labels)).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar().item())
    return losses


if __name__ == "__main__":
    print(" ".join(f"{loss:.4f}" for loss in main()[::5]))
