"""The networks that are measured, and what every side has to do alike with them.

networks_gluon.py builds them for this library and for the real MXNet, networks_torch.py for PyTorch; parameters go by
their order.
"""

from typing import NamedTuple


class Work(NamedTuple):
    """What is done with a network.

    Args:
        loops: how often a measurement does it.
        optimizer: of a training step: forward, backward, update. Without one the work is inference.
        rate: learning rate.
    """

    loops: int
    optimizer: str = ""
    rate: float = 0.0


WORKS = {
    "mlp_train": Work(20, "sgd", 0.1),
    "lenet_train": Work(4, "sgd", 0.05),
    "resnet18_infer_1": Work(4),
    "resnet18_infer_8": Work(1),
    "resnet18_train": Work(1, "sgd", 0.001),
    "mobilenet_infer_1": Work(6),
    "mobilenet_infer_8": Work(1),
    "lstm_train": Work(3, "sgd", 0.1),
    "transformer_train": Work(3, "adam", 1e-4),
    "ssd_head_train": Work(2, "sgd", 0.01),
    "adam_160_train": Work(10, "adam", 1e-4),
}
DEPTHS, BATCHES = (10, 100, 1000), (1, 8, 64, 512)
GROWTH = {
    **{f"depth_{depth}": Work(max(1, 500 // depth), "sgd", 1e-5) for depth in DEPTHS},
    **{f"batch_{batch}": Work(max(1, 64 // batch), "sgd", 0.01) for batch in BATCHES},
}
ALL = {**WORKS, **GROWTH}
# Adam's guard against dividing by zero: so small that it does not matter that the libraries add it in different places.
EPSILON = 1e-12
WARM_UP = 3  # times that it is done before time counts
# This library tries kernels out on its first calls and remembers them; the others choose theirs in the first one.
SETTLED = 80
# Of these the first two are compared: before an update, and after it. Later ones also tell apart how libraries round: a
# value that one cuts off at 0 and the other does not sends networks with normalization different ways.
CHECKED = 2

LSTM_WORDS, LSTM_UNITS = 1000, 200
UNITS, HEADS, WIDE = 256, 4, 1024  # of the transformer
CLASSES, ANCHORS = 21, 4  # of the detection head
MAPS = ((128, 32), (256, 16), (256, 8))  # channels and side of what it looks at
DENSE = 80  # layers with a weight and a bias
GROWTH_UNITS, GROWTH_BATCH = 32, 8  # of the chains of dense layers whose depth grows
# Of MobileNetV2: expansion, channels, number of blocks, stride of the first of them.
INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def asked(argument: str) -> tuple[str, str]:
    """The name of a work and the mode from the argument of a request: `lenet_train static`."""
    name, _, mode = argument.partition(" ")
    return name, mode or "eager"
