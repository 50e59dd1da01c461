"""AlexNet, of "One weird trick for parallelizing convolutional neural networks" (arXiv:1404.5997)."""

from os import PathLike
from typing import TYPE_CHECKING, Any

from ..._block_inputs import BlockOptions
from ...nn import Conv2D, Dense, Dropout, Flatten, MaxPool2D
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    load_pretrained,
    row,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["AlexNet", "alexnet"]


class AlexNet(FeatureClassifier):
    """Five convolutions and three dense layers, for images of 224 pixels.

    Args:
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, classes: int = 1000, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = row(
                Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"),
                MaxPool2D(pool_size=3, strides=2),
                Conv2D(192, kernel_size=5, padding=2, activation="relu"),
                MaxPool2D(pool_size=3, strides=2),
                Conv2D(384, kernel_size=3, padding=1, activation="relu"),
                Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                MaxPool2D(pool_size=3, strides=2),
                Flatten(),
                Dense(4096, activation="relu"),
                Dropout(0.5),
                Dense(4096, activation="relu"),
                Dropout(0.5),
            )
            self.output = Dense(classes)


def alexnet(
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[Options]",
) -> AlexNet:
    """AlexNet.

    Args:
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of AlexNet.
    """
    net = AlexNet(**kwargs)
    load_pretrained(net, "alexnet", pretrained, ctx, root)
    return net
