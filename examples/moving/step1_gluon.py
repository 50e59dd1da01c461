"""Step 1: the program as it is, all Gluon."""

from start import batches, weights

from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def main() -> list[float]:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 5, in_channels=1, activation="relu"), nn.MaxPool2D(2))
    net.add(nn.Conv2D(32, 5, in_channels=16, activation="relu"), nn.MaxPool2D(2))
    net.add(nn.Flatten(), nn.Dense(10, in_units=288))
    net.initialize()
    for name, value in weights().items():
        net._collect_params_with_prefix()[name].set_data(nd.array(value))
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
