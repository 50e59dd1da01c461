"""VGG, of "Very deep convolutional networks for large-scale image recognition" (arXiv:1409.1556)."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ....initializer import Xavier
from ..._block_inputs import BlockOptions
from ...nn import Activation, BatchNorm, Conv2D, Dense, Dropout, HybridBlock, MaxPool2D
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    Variant,
    chosen,
    load_pretrained,
    row,
    same_length,
    variant,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg13",
    "vgg16",
    "vgg19",
    "vgg11_bn",
    "vgg13_bn",
    "vgg16_bn",
    "vgg19_bn",
]


class VGG(FeatureClassifier):
    """Stages of small convolutions, each ended by pooling, and three dense layers.

    Args:
        layers: number of convolutions in each stage.
        filters: number of their channels, for each stage.
        classes: number of classes.
        batch_norm: whether every convolution is normalized.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        same_length(type(self).__name__, layers=layers, filters=filters)
        with self.name_scope():
            self.features = row(_stages(layers, filters, batch_norm), _hidden(), _hidden())
            self.output = _dense(classes)


def _stages(layers: Sequence[int], filters: Sequence[int], batch_norm: bool) -> Iterator[HybridBlock]:
    for depth, channels in zip(layers, filters, strict=True):
        for _ in range(depth):
            spread = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
            yield Conv2D(channels, kernel_size=3, padding=1, weight_initializer=spread, bias_initializer="zeros")
            if batch_norm:
                yield BatchNorm()
            yield Activation("relu")
        yield MaxPool2D(strides=2)


def _dense(units: int, activation: str | None = None) -> Dense:
    return Dense(units, activation=activation, weight_initializer="normal", bias_initializer="zeros")


def _hidden() -> Iterator[HybridBlock]:
    yield _dense(4096, activation="relu")
    yield Dropout(rate=0.5)


# Number of layers with parameters: convolutions in each stage, and their channels.
vgg_spec: dict[int, tuple[list[int], list[int]]] = {
    11: ([1, 1, 2, 2, 2], [64, 128, 256, 512, 512]),
    13: ([2, 2, 2, 2, 2], [64, 128, 256, 512, 512]),
    16: ([2, 2, 3, 3, 3], [64, 128, 256, 512, 512]),
    19: ([2, 2, 4, 4, 4], [64, 128, 256, 512, 512]),
}


class VGGOptions(Options, total=False):
    """Arguments of the networks of this family."""

    batch_norm: bool


def get_vgg(
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[VGGOptions]",
) -> VGG:
    """VGG with a number of layers.

    Args:
        num_layers: 11, 13, 16 or 19.
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of VGG, such as `batch_norm`.
    """
    layers, filters = chosen("get_vgg", "num_layers", num_layers, vgg_spec)
    net = VGG(layers, filters, **kwargs)
    load_pretrained(net, f"vgg{num_layers}{'_bn' if kwargs.get('batch_norm') else ''}", pretrained, ctx, root)
    return net


vgg11: Variant[VGG] = variant("vgg11", "VGG with 11 layers.", get_vgg, 11)
vgg13: Variant[VGG] = variant("vgg13", "VGG with 13 layers.", get_vgg, 13)
vgg16: Variant[VGG] = variant("vgg16", "VGG with 16 layers.", get_vgg, 16)
vgg19: Variant[VGG] = variant("vgg19", "VGG with 19 layers.", get_vgg, 19)
vgg11_bn: Variant[VGG] = variant(
    "vgg11_bn", "VGG with 11 layers and batch normalization.", get_vgg, 11, batch_norm=True
)
vgg13_bn: Variant[VGG] = variant(
    "vgg13_bn", "VGG with 13 layers and batch normalization.", get_vgg, 13, batch_norm=True
)
vgg16_bn: Variant[VGG] = variant(
    "vgg16_bn", "VGG with 16 layers and batch normalization.", get_vgg, 16, batch_norm=True
)
vgg19_bn: Variant[VGG] = variant(
    "vgg19_bn", "VGG with 19 layers and batch normalization.", get_vgg, 19, batch_norm=True
)
