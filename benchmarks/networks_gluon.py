"""The networks of networks.py written for Gluon; they run on this library and on the real MXNet 1.9.1 alike."""

from functools import partial
from typing import Any, NamedTuple

import inputs
from networks import (
    ANCHORS,
    BATCHES,
    CLASSES,
    DENSE,
    DEPTHS,
    GROWTH_BATCH,
    GROWTH_UNITS,
    HEADS,
    LSTM_UNITS,
    LSTM_WORDS,
    MAPS,
    UNITS,
    WIDE,
)

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn
from mxnet.gluon.model_zoo import vision


class Network(NamedTuple):
    """A network, its data, and for training what it should give and a block that says how far it is from it.

    `fill` makes the values that its parameters begin with.
    """

    net: gluon.HybridBlock
    data: list
    label: list = []
    loss: Any = None
    fill: Any = inputs.parameter


class _LanguageModel(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(LSTM_WORDS, LSTM_UNITS)
            self.lstm = rnn.LSTM(LSTM_UNITS, num_layers=2, input_size=LSTM_UNITS)
            self.output = nn.Dense(LSTM_WORDS, flatten=False)

    def hybrid_forward(self, F, x):
        return self.output(self.lstm(self.embedding(x)))


class _EncoderLayer(gluon.HybridBlock):
    """Attention and two dense layers, each added to its input and normalized."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.query = nn.Dense(UNITS, flatten=False)
            self.key = nn.Dense(UNITS, flatten=False)
            self.value = nn.Dense(UNITS, flatten=False)
            self.joined = nn.Dense(UNITS, flatten=False)
            self.first_norm = nn.LayerNorm()
            self.wide = nn.Dense(WIDE, flatten=False)
            self.activation = nn.GELU()
            self.narrow = nn.Dense(UNITS, flatten=False)
            self.second_norm = nn.LayerNorm()

    def hybrid_forward(self, F, x):
        def heads(y):
            split = F.transpose(F.reshape(y, shape=(0, 0, HEADS, -1)), axes=(0, 2, 1, 3))
            return F.reshape(split, shape=(-3, 0, 0))

        scores = F.batch_dot(heads(self.query(x)), heads(self.key(x)), transpose_b=True)
        mixed = F.batch_dot(F.softmax(scores * (UNITS // HEADS) ** -0.5, axis=-1), heads(self.value(x)))
        together = F.transpose(F.reshape(mixed, shape=(-4, -1, HEADS, 0, 0)), axes=(0, 2, 1, 3))
        x = self.first_norm(x + self.joined(F.reshape(together, shape=(0, 0, -3))))
        return self.second_norm(x + self.narrow(self.activation(self.wide(x))))


class _DetectionHead(gluon.HybridBlock):
    """Rates classes and places boxes for every anchor of some maps."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.classes, self.boxes = nn.HybridSequential(), nn.HybridSequential()
            for _ in MAPS:
                self.classes.add(nn.Conv2D(ANCHORS * CLASSES, 3, padding=1))
                self.boxes.add(nn.Conv2D(ANCHORS * 4, 3, padding=1))

    def hybrid_forward(self, F, *maps):
        def rows(layers):
            parts = [F.flatten(F.transpose(layer(x), axes=(0, 2, 3, 1))) for layer, x in zip(layers, maps, strict=True)]
            return F.concat(*parts, dim=1)

        return F.reshape(rows(self.classes), shape=(0, -1, CLASSES)), rows(self.boxes)


class _DetectionLoss(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.classes, self.boxes = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()

    def hybrid_forward(self, F, scores, boxes, label, places):
        return self.classes(scores, label) + self.boxes(boxes, places)


def _classifier(net, data, label) -> Network:
    return Network(net, [nd.array(data)], [nd.array(label)], gluon.loss.SoftmaxCrossEntropyLoss())


def _mlp() -> Network:
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(10))
    return _classifier(net, inputs.images(64, 784), inputs.classes(64))


def _lenet(batch: int = 64) -> Network:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(20, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(50, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Dense(128, activation="relu"),
        nn.Dense(10),
    )
    return _classifier(net, inputs.images(batch, 1, 28, 28), inputs.classes(batch))


def image_classifier(make, batch: int, side: int = 224) -> Network:
    return _classifier(make(), inputs.images(batch, 3, side, side), inputs.classes(batch))


def _lstm() -> Network:
    words = inputs.words()
    return _classifier(_LanguageModel(), words[:-1], words[1:])


def _transformer() -> Network:
    data, wanted = inputs.sentences(UNITS)
    return Network(_EncoderLayer(), [nd.array(data)], [nd.array(wanted)], gluon.loss.L2Loss())


def _ssd_head() -> Network:
    maps, label, places = inputs.detection(8, MAPS, ANCHORS, CLASSES)
    return Network(_DetectionHead(), [nd.array(x) for x in maps], [nd.array(label), nd.array(places)], _DetectionLoss())


def _dense_chain(depth: int, units: int, batch: int) -> Network:
    net = nn.HybridSequential()
    net.add(*(nn.Dense(units, activation="relu") for _ in range(depth)))
    return _classifier(net, inputs.images(batch, units), inputs.classes(batch))


def _deep(depth: int) -> Network:
    return _dense_chain(depth, GROWTH_UNITS, GROWTH_BATCH)._replace(fill=inputs.nearly_nothing)


NETWORKS = {
    "mlp_train": _mlp,
    "lenet_train": _lenet,
    "resnet18_infer_1": partial(image_classifier, vision.resnet18_v1, 1),
    "resnet18_infer_8": partial(image_classifier, vision.resnet18_v1, 8),
    "resnet18_train": partial(image_classifier, vision.resnet18_v1, 16, 64),
    "mobilenet_infer_1": partial(image_classifier, vision.mobilenet_v2_1_0, 1),
    "mobilenet_infer_8": partial(image_classifier, vision.mobilenet_v2_1_0, 8),
    "lstm_train": _lstm,
    "transformer_train": _transformer,
    "ssd_head_train": _ssd_head,
    "adam_160_train": partial(_dense_chain, DENSE, 64, 16),
    **{f"depth_{depth}": partial(_deep, depth) for depth in DEPTHS},
    **{f"batch_{batch}": partial(_lenet, batch) for batch in BATCHES},
}
