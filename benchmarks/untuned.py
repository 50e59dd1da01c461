"""Networks and shapes that no kernel was written or tuned with, and what every side has to do alike with them.

networks_untuned_gluon.py builds them for this library and for the real MXNet; untuned_torch.py writes them for PyTorch
from Gluon's graph.
"""

from typing import NamedTuple

import inputs
import numpy as np


class Untuned(NamedTuple):
    """What is done with a network.

    Args:
        shape: of its data; the batch comes first.
        loops: how often a measurement does it.
        optimizer: of a training step; without one the work is inference.
        rate: learning rate.
    """

    shape: tuple[int, ...]
    loops: int = 1
    optimizer: str = ""
    rate: float = 0.0


# Sides are such that the pooling at the end of these models has something left: 7 places for DenseNet, 13 for
# SqueezeNet. Learning rates as in networks_large.py: results change by some percent, more than they differ.
UNTUNED = {
    "resnet34_v2_infer": Untuned((2, 3, 160, 160), 2),
    "vgg11_infer": Untuned((1, 3, 224, 224), 2),
    "densenet121_infer": Untuned((3, 3, 240, 240)),
    "separable_infer": Untuned((5, 3, 75, 75), 8),
    "mobilenet0.5_train": Untuned((12, 3, 96, 96), 1, "sgd", 1e-4),
    "squeezenet1.1_train": Untuned((6, 3, 230, 230), 1, "sgd", 2e-4),
    "unet_train": Untuned((2, 3, 96, 96), 1, "sgd", 5e-3),
    "signals_train": Untuned((16, 8, 400), 4, "sgd", 1e-3),
    "gru_train": Untuned((24, 60), 2, "sgd", 1e-2),
    "elu_mlp_train": Untuned((48, 200), 10, "adam", 1e-4),
}
WORDS, GRU_UNITS = 2000, 90
SEPARABLE = ((27, 3, 2), (51, 5, 1), (93, 3, 2), (93, 7, 1), (135, 3, 1))  # channels, kernel, stride
PICTURE_CHANNELS = 2  # of what the U-Net makes


def inputs_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The data of a network, and what it should make of it."""
    shape = UNTUNED[name].shape
    if name == "gru_train":
        return np.random.RandomState(0).randint(0, WORDS, shape), inputs.classes(shape[0])
    if name == "unet_train":
        return inputs.images(*shape), inputs.images(shape[0], PICTURE_CHANNELS, *shape[2:])
    return inputs.images(*shape), inputs.classes(shape[0])


def asked(argument: str) -> tuple[str, str, str]:
    """The work, the mode and the path of the file with its graph: `unet_train tuned /tmp/unet_train.json`."""
    name, mode, path = argument.split(" ", 2)
    return name, mode, path
