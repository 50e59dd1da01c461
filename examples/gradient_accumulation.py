"""Adds up the gradients of several small batches before a step: a large batch for a small memory."""

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def main(batches: int = 40, batch_size: int = 16, accumulate: int = 4) -> float:
    mx.random.seed(2)
    true_w = nd.array([[2], [-3.4]])
    net = nn.Dense(1)
    net.initialize(mx.init.Normal(0.01))
    # Gradients are written by default; 'add' keeps what was there.
    net.collect_params().setattr("grad_req", "add")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    criterion = gluon.loss.L2Loss()
    loss = nd.zeros((1,))
    for i in range(1, batches + 1):
        x = nd.random.normal(shape=(batch_size, 2))
        y = nd.dot(x, true_w) + 4.2
        with autograd.record():
            loss = criterion(net(x), y)
        loss.backward()
        if i % accumulate == 0:
            trainer.step(batch_size * accumulate)
            net.collect_params().zero_grad()
            print(f"after {i} batches: loss {loss.mean().asscalar():.5f}")
    print("weight", net.weight.data(), "bias", net.bias.data())
    return loss.mean().asscalar()


if __name__ == "__main__":
    main()
