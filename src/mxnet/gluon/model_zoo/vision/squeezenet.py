"""SqueezeNet, of "AlexNet-level accuracy with 50x fewer parameters" (arXiv:1602.07360), and its version 1.1."""

from os import PathLike
from typing import TYPE_CHECKING, Any

from ..._block_inputs import BlockOptions
from ...nn import Activation, AvgPool2D, Conv2D, Dropout, Flatten, HybridBlock, HybridSequential, MaxPool2D
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    Variant,
    branches,
    chosen,
    load_pretrained,
    row,
    variant,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

_POOL = "pool"

# By version: channels and kernel size of the first convolution; then pooling, or the channels that a fire module
# squeezes its input to. It expands them fourfold, once with 1x1 and once with 3x3 convolutions.
_LAYOUTS: dict[str, tuple[tuple[int, int], tuple[str | int, ...]]] = {
    "1.0": ((96, 7), (_POOL, 16, 16, 32, _POOL, 32, 48, 48, 64, _POOL, 64)),
    "1.1": ((64, 3), (_POOL, 16, 16, _POOL, 32, 32, _POOL, 48, 48, 64, 64)),
}


class SqueezeNet(FeatureClassifier):
    """Fire modules: narrow 1x1 convolutions, then wide 1x1 and 3x3 ones side by side.

    Args:
        version: '1.0', or '1.1', which computes less.
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        (channels, kernel), layout = chosen(type(self).__name__, "version", version, _LAYOUTS)
        with self.name_scope():
            self.features = row(
                Conv2D(channels, kernel_size=kernel, strides=2),
                Activation("relu"),
                (_pool() if isinstance(each, str) else _fire(each) for each in layout),
                Dropout(0.5),
            )
            self.output = row(Conv2D(classes, kernel_size=1), Activation("relu"), AvgPool2D(13), Flatten())


def _pool() -> HybridBlock:
    return MaxPool2D(pool_size=3, strides=2, ceil_mode=True)


def _fire(channels: int) -> HybridSequential:
    return row(_conv(channels, 1), branches(_conv(4 * channels, 1), _conv(4 * channels, 3, padding=1)))


def _conv(channels: int, kernel_size: int, padding: int = 0) -> HybridSequential:
    return row(Conv2D(channels, kernel_size, padding=padding), Activation("relu"))


def get_squeezenet(
    version: str,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[Options]",
) -> SqueezeNet:
    """SqueezeNet in one of its versions.

    Args:
        version: '1.0' or '1.1'.
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of SqueezeNet.
    """
    net = SqueezeNet(version, **kwargs)
    load_pretrained(net, f"squeezenet{version}", pretrained, ctx, root)
    return net


squeezenet1_0: Variant[SqueezeNet] = variant("squeezenet1_0", "SqueezeNet 1.0.", get_squeezenet, "1.0")
squeezenet1_1: Variant[SqueezeNet] = variant("squeezenet1_1", "SqueezeNet 1.1.", get_squeezenet, "1.1")
