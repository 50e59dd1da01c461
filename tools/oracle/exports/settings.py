"""Networks whose graphs show more than operators: losses, shared layers, initializers, multipliers, sparsity."""

from __future__ import annotations

from typing import Any

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn
from tools.oracle.case import integers, uniform
from tools.oracle.exports.convolutional import mlp
from tools.oracle.exports.network import block


class Losses(nn.HybridBlock):
    """A network together with what it is trained by: labels are inputs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.scores = nn.Dense(3)
            self.classes = gluon.loss.SoftmaxCrossEntropyLoss()
            self.others = nn.HybridSequential(prefix="losses_")
            for kind in ("L1Loss", "L2Loss", "HuberLoss", "HingeLoss", "SigmoidBCELoss", "KLDivLoss"):
                self.others.add(getattr(gluon.loss, kind)())

    def hybrid_forward(self, F: Any, x: Any, label: Any, target: Any) -> Any:
        scores = self.scores(x)
        return [self.classes(scores, label), *(loss(scores, target) for loss in self.others)]


class Repeated(nn.HybridBlock):
    """One layer and its running averages, used again and again."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.map = nn.Dense(4, flatten=False)
            self.norm = nn.BatchNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        for _ in range(3):
            x = self.norm(self.map(x))
        return x


class OneUsed(nn.HybridBlock):
    """Has a layer that takes no part: its parameters are not exported."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.used = nn.Dense(4, in_units=4)
            self.idle = nn.Dense(4, in_units=2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.used(x)


def initializers() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Dense(3, weight_initializer=mx.init.Xavier(magnitude=2.5), bias_initializer=mx.init.Constant(0.25)),
        nn.Dense(2, weight_initializer=mx.init.Normal(0.02), bias_initializer="ones"),
        nn.PReLU(mx.init.Constant(0.1)),
    )
    return net


def multipliers() -> Any:
    net = mlp()
    net.collect_params(".*bias").setattr("lr_mult", 2.0)
    net[0].weight.wd_mult = 0.5
    return net


def sparse_embedding() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Embedding(5, 3, sparse_grad=True), nn.Dense(2))
    return net


NETWORKS = {
    "losses": block(
        *(Losses, uniform(2, 4), integers(2, high=3, dtype="float32"), uniform(2, 3, low=0.1, high=0.9)),
        gradients="train",
    ),
    "repeated": block(Repeated, uniform(3, 4)),
    "one_used": block(OneUsed, uniform(2, 4)),
    "initializers": block(initializers, uniform(2, 5)),
    "multipliers": block(multipliers, uniform(2, 7)),
    "sparse_embedding": block(sparse_embedding, integers(2, 3, high=5, dtype="float32")),
}
