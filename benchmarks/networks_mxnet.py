"""Build the networks of workloads.py with Gluon; this project and the real MXNet 1.9.1 execute the same lines.

Models of Gluon's model zoo need no entry here: adapter_mxnet.py gets them by name.
"""

import math
from collections.abc import Callable
from functools import partial

import constants
from adapter import Network
from networks_mxnet_large import MultiBoxLoss, bert, ssd, ssd_detections
from workloads import DEEPEST, DEPTHS

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn

HYBRIDIZE = {"hybridized": {}, "static": {"static_alloc": True, "static_shape": True}}


def fill(network: Network) -> None:
    """Initialize the parameters with the values that all sides share, without computing the network if possible.

    Otherwise the first measured call would not be the first.
    """
    net = network.net
    if isinstance(net, gluon.HybridBlock):
        net.infer_shape(*network.data)
        net.initialize()
    else:
        net.initialize()
        net(*network.data)
    for number, parameter in enumerate(net.collect_params().values()):
        kind = parameter.name.rpartition("_")[2]
        parameter.set_data(nd.array(network.fill(number, parameter.shape, kind)))


def prepare(network: Network, mode: str) -> None:
    """Initialize a network and hybridize it if the mode asks for it."""
    fill(network)
    if mode != "eager":
        network.net.hybridize(**HYBRIDIZE[mode])
        network.loss.hybridize(**HYBRIDIZE[mode])
    nd.waitall()


def _sequence(*layers: gluon.HybridBlock) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


# -- Networks that kernels were tuned with -----------------------------------------------------------------------------


class _LanguageModel(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(constants.LSTM_WORDS, constants.LSTM_UNITS)
            self.lstm = rnn.LSTM(constants.LSTM_UNITS, num_layers=2, input_size=constants.LSTM_UNITS)
            self.output = nn.Dense(constants.LSTM_WORDS, flatten=False)

    def hybrid_forward(self, F, x):
        return self.output(self.lstm(self.embedding(x)))


class _EncoderLayer(gluon.HybridBlock):
    """Transformer layer: attention and two dense layers, each with a residual connection and LayerNorm."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.query = nn.Dense(constants.UNITS, flatten=False)
            self.key = nn.Dense(constants.UNITS, flatten=False)
            self.value = nn.Dense(constants.UNITS, flatten=False)
            self.projection = nn.Dense(constants.UNITS, flatten=False)
            self.first_norm = nn.LayerNorm()
            self.wide = nn.Dense(constants.WIDE, flatten=False)
            self.activation = nn.GELU()
            self.narrow = nn.Dense(constants.UNITS, flatten=False)
            self.second_norm = nn.LayerNorm()

    def hybrid_forward(self, F, x):
        def heads(y):
            split = F.transpose(F.reshape(y, shape=(0, 0, constants.HEADS, -1)), axes=(0, 2, 1, 3))
            return F.reshape(split, shape=(-3, 0, 0))

        scores = F.batch_dot(heads(self.query(x)), heads(self.key(x)), transpose_b=True)
        mixed = F.batch_dot(
            F.softmax(scores * (constants.UNITS // constants.HEADS) ** -0.5, axis=-1), heads(self.value(x))
        )
        together = F.transpose(F.reshape(mixed, shape=(-4, -1, constants.HEADS, 0, 0)), axes=(0, 2, 1, 3))
        x = self.first_norm(x + self.projection(F.reshape(together, shape=(0, 0, -3))))
        return self.second_norm(x + self.narrow(self.activation(self.wide(x))))


class _DetectionHead(gluon.HybridBlock):
    """Scores of classes and offsets of boxes for every anchor of several feature maps."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.classes, self.boxes = nn.HybridSequential(), nn.HybridSequential()
            for _ in constants.MAPS:
                self.classes.add(nn.Conv2D(constants.ANCHORS * constants.CLASSES, 3, padding=1))
                self.boxes.add(nn.Conv2D(constants.ANCHORS * 4, 3, padding=1))

    def hybrid_forward(self, F, *maps):
        def rows(layers):
            parts = [F.flatten(F.transpose(layer(x), axes=(0, 2, 3, 1))) for layer, x in zip(layers, maps, strict=True)]
            return F.concat(*parts, dim=1)

        return F.reshape(rows(self.classes), shape=(0, -1, constants.CLASSES)), rows(self.boxes)


class _DetectionLoss(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.classes, self.boxes = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()

    def hybrid_forward(self, F, scores, boxes, label, offsets):
        return self.classes(scores, label) + self.boxes(boxes, offsets)


def _mlp() -> nn.HybridSequential:
    return _sequence(nn.Dense(256, activation="relu"), nn.Dense(10))


def lenet() -> nn.HybridSequential:
    return _sequence(
        nn.Conv2D(20, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(50, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Dense(128, activation="relu"),
        nn.Dense(10),
    )


def _dense_chain(depth: int, units: int) -> nn.HybridSequential:
    return _sequence(*(nn.Dense(units, activation="relu") for _ in range(depth)))


class _EagerLoop(gluon.Block):
    """A Python loop whose number of iterations is read from an array, so that it cannot be hybridized."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.inside, self.across = nn.Dense(constants.EAGER_UNITS), nn.Dense(constants.EAGER_UNITS)
            self.output = nn.Dense(10)

    def forward(self, x, length):
        state, sums = x[:, 0], []
        for step in range(1, int(length.asscalar())):
            mixed = nd.relu(self.inside(x[:, step]) + self.across(state))
            groups = mixed.reshape((constants.EAGER_BATCH, constants.EAGER_GROUPS, -1))
            gate = nd.softmax(groups.mean(axis=2), axis=-1)
            state = state + (groups * gate.expand_dims(2)).reshape((constants.EAGER_BATCH, constants.EAGER_UNITS))
            sums.append(state.sum(axis=1, keepdims=True))
        return self.output(nd.concat(*sums, state, dim=1))


# -- Networks that nothing was tuned with ------------------------------------------------------------------------------


class _TextClassifier(gluon.HybridBlock):
    """Classify a text by the mean of a bidirectional GRU over its words."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(constants.GRU_WORDS, constants.GRU_UNITS)
            self.gru = rnn.GRU(constants.GRU_UNITS, layout="NTC", bidirectional=True, input_size=constants.GRU_UNITS)
            self.output = nn.Dense(10)

    def hybrid_forward(self, F, words):
        return self.output(F.mean(self.gru(self.embedding(words)), axis=1))


def _double_convolution(channels: int) -> nn.HybridSequential:
    return _sequence(
        nn.Conv2D(channels, 3, padding=1, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(channels, 3, padding=1, activation="relu"),
    )


class _UNet(gluon.HybridBlock):
    """Halve an image twice and double it again, with skip connections by concatenation."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.first, self.second, self.third = (_double_convolution(channels) for channels in (24, 48, 96))
            self.half = nn.MaxPool2D(2, 2)
            self.up_second = nn.Conv2DTranspose(48, 2, strides=2)
            self.joined_second = _double_convolution(48)
            self.up_first = nn.Conv2DTranspose(24, 2, strides=2)
            self.joined_first = _double_convolution(24)
            self.output = nn.Conv2D(constants.MASK_CHANNELS, 1)

    def hybrid_forward(self, F, x):
        first = self.first(x)
        second = self.second(self.half(first))
        found = self.up_second(self.third(self.half(second)))
        found = self.up_first(self.joined_second(F.concat(found, second, dim=1)))
        return self.output(self.joined_first(F.concat(found, first, dim=1)))


def _signals() -> nn.HybridSequential:
    """Return a network without BatchNorm: MXNet 1.9.1 fails to train one after a one-dimensional convolution."""
    return _sequence(
        nn.Conv1D(24, 7, strides=2, padding=3, activation="relu"),
        nn.Conv1D(48, 5, padding=2, activation="relu"),
        nn.MaxPool1D(2, 2),
        nn.Conv1D(72, 3, padding=1, activation="relu"),
        nn.GlobalAvgPool1D(),
        nn.Dense(10),
    )


def _elu_mlp() -> nn.HybridSequential:
    layers = [layer for units in (300, 150, 75) for layer in (nn.Dense(units), nn.BatchNorm(), nn.ELU(), nn.Dropout(0))]
    return _sequence(*layers, nn.Dense(10))


def _separable() -> nn.HybridSequential:
    layers, previous = [], 3
    for channels, kernel, stride in constants.SEPARABLE:
        layers += [
            nn.Conv2D(previous, kernel, stride, kernel // 2, groups=previous, in_channels=previous, use_bias=False),
            nn.Conv2D(channels, 1, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
        ]
        previous = channels
    return _sequence(*layers, nn.GlobalAvgPool2D(), nn.Dense(10))


# -- DeepAR ------------------------------------------------------------------------------------------------------------


class Forecast(gluon.HybridBlock):
    """DeepAR: LSTM layers that give a Student-t distribution of each hour. Its output is the negative log-likelihood.

    Args:
        is_fused: whether the layers are one operator; otherwise cells are unrolled, as GluonTS does.
    """

    def __init__(self, is_fused: bool) -> None:
        super().__init__()
        size = len(constants.LAGS) + 2 + constants.SERIES_UNITS + 1
        cells = constants.CELLS
        with self.name_scope():
            self.embedding = nn.Embedding(constants.SERIES, constants.SERIES_UNITS)
            if is_fused:
                self.layers = rnn.LSTM(cells, constants.LAYERS, layout="NTC", input_size=size)
            else:
                self.layers = rnn.HybridSequentialRNNCell()
                for number in range(constants.LAYERS):
                    self.layers.add(rnn.LSTMCell(cells, input_size=cells if number else size))
            self.middle, self.spread, self.freedom = (nn.Dense(1, flatten=False, in_units=cells) for _ in range(3))
        self._is_fused = is_fused

    def hybrid_forward(self, F, number, scale, features, target):
        length = constants.CONTEXT + constants.PREDICTION
        static = F.concat(self.embedding(number), F.log(scale), dim=1)
        data = F.concat(features, F.broadcast_axis(F.expand_dims(static, axis=1), axis=1, size=length), dim=2)
        if self._is_fused:
            found = self.layers(data)
        else:
            found, _ = self.layers.unroll(length, data, layout="NTC", merge_outputs=True)
        middle, spread, freedom = (
            F.squeeze(layer(found), axis=2) for layer in (self.middle, self.spread, self.freedom)
        )
        spread, freedom = F.Activation(spread, act_type="softrelu"), F.Activation(freedom, act_type="softrelu") + 2
        away = (F.broadcast_div(target, scale) - middle) / spread
        negative_log_likelihood = (
            (freedom + 1) / 2 * F.log1p(F.square(away) / freedom)
            + F.log(freedom * math.pi) / 2
            + F.gammaln(freedom / 2)
            - F.gammaln((freedom + 1) / 2)
            + F.log(spread)
        )
        return F.mean(F.broadcast_add(negative_log_likelihood, F.log(scale)), axis=1)


NETWORKS: dict[str, Callable[[], gluon.Block]] = {
    "mlp": _mlp,
    "lenet": lenet,
    "lstm": _LanguageModel,
    "transformer": _EncoderLayer,
    "ssd_head": _DetectionHead,
    "dense_80": partial(_dense_chain, 80, 64),
    **{f"dense_{depth}": partial(_dense_chain, depth, constants.GROWTH_UNITS) for depth in (*DEPTHS, DEEPEST)},
    "bert": bert,
    "ssd": ssd,
    "ssd_detections": ssd_detections,
    "eager_loop": _EagerLoop,
    "separable": _separable,
    "unet": _UNet,
    "signals": _signals,
    "gru": _TextClassifier,
    "elu_mlp": _elu_mlp,
}
LOSSES: dict[str, Callable[[], gluon.HybridBlock]] = {
    "classes": gluon.loss.SoftmaxCrossEntropyLoss,
    "squares": gluon.loss.L2Loss,
    "detection_head": _DetectionLoss,
    "multibox": MultiBoxLoss,
}
