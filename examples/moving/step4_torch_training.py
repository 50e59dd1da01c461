"""Step 4: torch trains; the loss is still Gluon's, as a module of torch."""

import torch
from network import network
from start import batches

import mxnet as mx
from mxnet import gluon


def main() -> list[float]:
    net = network()
    loss_of = mx.torch.as_module(gluon.loss.SoftmaxCrossEntropyLoss())
    update = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for images, labels in batches():
        update.zero_grad()
        loss = loss_of(net(torch.tensor(images)), torch.tensor(labels)).mean()
        loss.backward()
        update.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    print(" ".join(f"{loss:.4f}" for loss in main()[::5]))
