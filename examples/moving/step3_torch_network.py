"""Step 3: the whole network is torch's; Gluon still trains it."""

from network import network
from start import batches

from mxnet import autograd, gluon, nd
from mxnet.gluon.contrib import TorchBlock


def main() -> list[float]:
    net = TorchBlock(network())
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
