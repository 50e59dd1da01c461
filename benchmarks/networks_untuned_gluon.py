"""Networks that no kernel was written or tuned with, for Gluon; on this library and on the real MXNet 1.9.1 alike."""

from networks_gluon import Network
from untuned import GRU_UNITS, PICTURE_CHANNELS, SEPARABLE, WORDS, inputs_of

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn
from mxnet.gluon.model_zoo import vision


class _TextClassifier(gluon.HybridBlock):
    """A GRU in both directions over words; what it found at all of them together tells the class."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(WORDS, GRU_UNITS)
            self.gru = rnn.GRU(GRU_UNITS, layout="NTC", bidirectional=True, input_size=GRU_UNITS)
            self.output = nn.Dense(10)

    def hybrid_forward(self, F, words):
        return self.output(F.mean(self.gru(self.embedding(words)), axis=1))


class _UNet(gluon.HybridBlock):
    """Halves an image twice, doubles it again, and puts what was there before beside it."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.first, self.second, self.third = _double(24), _double(48), _double(96)
            self.half = nn.MaxPool2D(2, 2)
            self.up_second = nn.Conv2DTranspose(48, 2, strides=2)
            self.joined_second = _double(48)
            self.up_first = nn.Conv2DTranspose(24, 2, strides=2)
            self.joined_first = _double(24)
            self.output = nn.Conv2D(PICTURE_CHANNELS, 1)

    def hybrid_forward(self, F, x):
        first = self.first(x)
        second = self.second(self.half(first))
        found = self.up_second(self.third(self.half(second)))
        found = self.up_first(self.joined_second(F.concat(found, second, dim=1)))
        return self.output(self.joined_first(F.concat(found, first, dim=1)))


def _sequence(*layers) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _double(channels: int) -> nn.HybridSequential:
    return _sequence(
        nn.Conv2D(channels, 3, padding=1, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(channels, 3, padding=1, activation="relu"),
    )


def _signals() -> nn.HybridSequential:
    """Without BatchNorm: the real MXNet fails when it trains one after a convolution of one dimension."""
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
    layers, before = [], 3
    for channels, kernel, stride in SEPARABLE:
        layers += [
            nn.Conv2D(before, kernel, stride, kernel // 2, groups=before, in_channels=before, use_bias=False),
            nn.Conv2D(channels, 1, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
        ]
        before = channels
    return _sequence(*layers, nn.GlobalAvgPool2D(), nn.Dense(10))


def _without_dropout(net: gluon.HybridBlock) -> gluon.HybridBlock:
    """So that all sides compute the same."""
    net.apply(lambda block: setattr(block, "_rate", 0) if isinstance(block, nn.Dropout) else None)
    return net


MAKERS = {
    "separable_infer": _separable,
    "unet_train": _UNet,
    "signals_train": _signals,
    "gru_train": _TextClassifier,
    "elu_mlp_train": _elu_mlp,
}
LOSSES = {"unet_train": gluon.loss.L2Loss}


def network(name: str) -> Network:
    """A network of untuned.py with its data; models of the zoo by their name without its end."""
    data, wanted = (nd.array(values) for values in inputs_of(name))
    net = MAKERS[name]() if name in MAKERS else vision.get_model(name.rpartition("_")[0])
    loss = LOSSES.get(name, gluon.loss.SoftmaxCrossEntropyLoss)()
    return Network(_without_dropout(net), [data], [wanted], loss)
