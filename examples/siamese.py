"""A siamese network: two pictures pass through the same layers, and the loss asks like pictures to lie close."""

from samples import digits

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def contrastive_loss(left: nd.NDArray, right: nd.NDArray, same: nd.NDArray, margin: float = 1.0) -> nd.NDArray:
    distance = nd.norm(left - right + 1e-6, axis=1)
    missing = nd.relu(margin - distance)
    return same * distance * distance + (1 - same) * missing * missing


def pairs(images: nd.NDArray, labels: nd.NDArray, count: int) -> tuple[nd.NDArray, nd.NDArray, nd.NDArray]:
    """Pairs of pictures, about half of them of the same digit."""
    first = nd.random.randint(0, len(labels), shape=(count,))
    second = nd.random.randint(0, len(labels), shape=(count,))
    order = nd.argsort(labels.take(second))  # sorted both ways, many pairs agree
    first, second = first.take(nd.argsort(labels.take(first))), second.take(order)
    return images.take(first), images.take(second), labels.take(first) == labels.take(second)


def main(steps: int = 60, batch_size: int = 64) -> tuple[float, float]:
    mx.random.seed(3)
    images, labels = digits(train=True)
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="relu"), nn.Dense(8))
    net.initialize(mx.init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    losses = []
    for step in range(steps):
        left, right, same = pairs(images, labels, batch_size)
        with autograd.record():
            loss = contrastive_loss(net(left), net(right), same)
        loss.backward()
        trainer.step(batch_size)
        losses.append(loss.mean().asscalar())
        if step % 20 == 0 or step == steps - 1:
            print(f"step {step}: loss {losses[-1]:.4f}")
    return sum(losses[:5]) / 5, sum(losses[-5:]) / 5


if __name__ == "__main__":
    main()
