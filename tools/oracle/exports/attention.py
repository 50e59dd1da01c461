"""Transformers, detection heads, layers of normalization and activation, networks of several inputs and outputs."""

from __future__ import annotations

import math
from typing import Any

import mxnet as mx
from mxnet.gluon import nn
from tools.oracle.case import integers, uniform
from tools.oracle.exports.convolutional import sequence
from tools.oracle.exports.network import block


class Encoder(nn.HybridBlock):
    """Self-attention of several heads with a mask, and a position-wise network."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self._heads, self._scale = heads, 1 / math.sqrt(units / heads)
        with self.name_scope():
            self.query, self.key, self.value, self.proj = (
                nn.Dense(units, flatten=False, use_bias=False, prefix=f"{name}_")
                for name in ("query", "key", "value", "proj")
            )
            self.first, self.second = nn.LayerNorm(), nn.LayerNorm(epsilon=1e-12)
            self.wide, self.narrow = nn.Dense(2 * units, flatten=False), nn.Dense(units, flatten=False)
            self.gelu = nn.GELU()
            self.dropout = nn.Dropout(0.1)

    def split(self, F: Any, x: Any) -> Any:
        x = F.reshape(x, shape=(0, 0, self._heads, -1))
        return F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), shape=(-1, 0, 0), reverse=True)

    def hybrid_forward(self, F: Any, x: Any, mask: Any) -> Any:
        query, key, value = (self.split(F, layer(x)) for layer in (self.query, self.key, self.value))
        scores = F.batch_dot(query, key, transpose_b=True) * self._scale
        seen = F.repeat(F.expand_dims(mask, axis=1), repeats=self._heads, axis=0)
        scores = F.broadcast_add(scores, (1 - seen) * -1e4)
        weights = self.dropout(F.softmax(scores, axis=-1))
        context = F.reshape(F.batch_dot(weights, value), shape=(-1, self._heads, 0, 0), reverse=True)
        context = F.reshape(F.transpose(context, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
        x = self.first(x + self.proj(context))
        return self.second(x + self.narrow(self.gelu(self.wide(x)))), weights


class Positions(nn.HybridBlock):
    """Embeddings with positions that are computed in the graph, and the interleaved attention operators."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.words = nn.Embedding(9, 12)
            self.table = self.params.get_constant(
                "table", mx.nd.array([[math.sin(i * (j + 1)) for j in range(12)] for i in range(6)])
            )
            self.scale = self.params.get("scale", shape=(1,))

    def hybrid_forward(self, F: Any, words: Any, table: Any, scale: Any) -> Any:
        x = self.words(words)
        places = F.contrib.arange_like(words, axis=0)
        x = F.broadcast_add(F.broadcast_mul(x, scale), F.expand_dims(F.take(table, places), axis=1))
        scores = F.contrib.interleaved_matmul_selfatt_qk(x, heads=2)
        return F.contrib.interleaved_matmul_selfatt_valatt(x, F.softmax(scores), heads=2)


class Detector(nn.HybridBlock):
    """Boxes, classes and anchors of two scales, as in SSD."""

    def __init__(self, decodes: bool) -> None:
        super().__init__()
        self._decodes = decodes
        with self.name_scope():
            self.stages = nn.HybridSequential(prefix="stages_")
            self.classes = nn.HybridSequential(prefix="classes_")
            self.boxes = nn.HybridSequential(prefix="boxes_")
            for _ in range(2):
                self.stages.add(nn.Conv2D(4, 3, strides=2, padding=1, activation="relu"))
                self.classes.add(nn.Conv2D(2 * 3, 3, padding=1))
                self.boxes.add(nn.Conv2D(2 * 4, 3, padding=1))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        classes, boxes, anchors = [], [], []
        for place, (stage, classify, regress) in enumerate(zip(self.stages, self.classes, self.boxes)):
            x = stage(x)
            classes.append(F.flatten(F.transpose(classify(x), axes=(0, 2, 3, 1))))
            boxes.append(F.flatten(F.transpose(regress(x), axes=(0, 2, 3, 1))))
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=(0.2 + place / 3,), ratios=(1, 2), clip=True))
        scores = F.reshape(F.concat(*classes, dim=1), shape=(0, -1, 3))
        deltas, anchors = F.concat(*boxes, dim=1), F.concat(*anchors, dim=1)
        if not self._decodes:
            return F.sigmoid(scores), deltas, anchors
        shares = F.transpose(F.softmax(scores, axis=-1), axes=(0, 2, 1))
        found = F.contrib.MultiBoxDetection(shares, deltas, anchors, nms_threshold=0.3, force_suppress=False)
        kept = F.contrib.box_nms(found, overlap_thresh=0.5, valid_thresh=0.01, topk=20, id_index=0, score_index=1)
        return F.slice_axis(kept, axis=1, begin=0, end=5)


class Operators(nn.HybridBlock):
    """Arithmetic, comparisons, indexing and reductions, as hybrid_forward methods write them."""

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        z = (x + 2) * y - x / 3 + 1 / (F.abs(y) + 1) - (-x) ** 2 + x % 2
        larger = F.where(x > y, x, y) + F.broadcast_maximum(x, y) * (x <= 0.5)
        first = F.slice_axis(z, axis=1, begin=0, end=2).reshape((0, -1)).expand_dims(0)
        picked = F.pick(z, F.argmax(y, axis=1), axis=1)
        parts = F.split(z, num_outputs=2, axis=1)
        norm = F.L2Normalization(larger) + F.norm(z, axis=1, keepdims=True).tile((1, 4))
        sums = F.mean(F.square(z), axis=0, exclude=True) + F.stack(parts[0], parts[1], axis=0).sum(axis=(0, 2))
        return first, picked, norm, sums, F.topk(z, k=2, ret_typ="value"), F.one_hot(F.argmin(x, axis=1), 3)


class Nested(nn.HybridBlock):
    """Several inputs, one of them a list, and results of results."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first = nn.Dense(3)
            self.second = nn.Dense(3, params=self.first.params)

    def hybrid_forward(self, F: Any, x: Any, others: Any) -> Any:
        return self.first(x) + self.second(others[0]), [others[0] * 2, (others[1], x - 1)]


def normalizations() -> Any:
    return sequence(
        nn.LayerNorm,
        nn.InstanceNorm,
        lambda: nn.GroupNorm(2),
        lambda: nn.LayerNorm(axis=1, center=False, epsilon=1e-3),
        lambda: nn.InstanceNorm(axis=2, scale=False),
        lambda: nn.BatchNorm(axis=-1),
    )


def activations() -> Any:
    kinds = ("relu", "sigmoid", "tanh", "softrelu", "softsign")
    return sequence(
        lambda: nn.Dense(6),
        nn.PReLU,
        nn.SELU,
        lambda: nn.ELU(0.7),
        lambda: nn.Swish(1.5),
        lambda: nn.LeakyReLU(0.1),
        nn.GELU,
        *(lambda kind=kind: nn.Activation(kind) for kind in kinds),
    )


def lambdas() -> Any:
    return sequence(
        lambda: nn.HybridLambda("tanh"),
        lambda: nn.HybridLambda(lambda F, x: F.LeakyReLU(x, act_type="elu", slope=0.3)),
        lambda: nn.HybridLambda(lambda F, x: F.hard_sigmoid(x) + F.log_softmax(x, temperature=2)),
        lambda: nn.HybridLambda("identity"),
    )


NETWORKS = {
    "encoder": block(
        lambda: Encoder(8, 2), uniform(2, 3, 8), integers(2, 3, high=2, dtype="float32"), gradients="predict"
    ),
    "positions": block(Positions, integers(6, 2, high=9, dtype="float32"), gradients="train"),
    "detector": block(lambda: Detector(False), uniform(1, 3, 8, 8)),
    "detector_nms": block(lambda: Detector(True), uniform(1, 3, 8, 8)),
    "operators": block(Operators, uniform(3, 4), uniform(3, 4)),
    "nested": block(
        Nested, uniform(2, 4), uniform(2, 4), uniform(2, 3), nesting=lambda x, y, z: (x, [y, z]), gradients="train"
    ),
    "normalizations": block(normalizations, uniform(2, 4, 3, 5), gradients="train"),
    "activations": block(activations, uniform(2, 5), gradients="train"),
    "lambdas": block(lambdas, uniform(2, 5)),
}
