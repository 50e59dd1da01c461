"""DenseNet-BC, of "Densely connected convolutional networks" (arXiv:1608.06993)."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..._block_inputs import BlockOptions
from ...contrib.nn.basic_layers import HybridConcurrent, Identity
from ...nn import Activation, AvgPool2D, BatchNorm, Conv2D, Dense, Dropout, Flatten, HybridBlock, MaxPool2D
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    Variant,
    branches,
    chosen,
    conv_norm_relu,
    load_pretrained,
    row,
    variant,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]


class DenseNet(FeatureClassifier):
    """Blocks in which every layer sees the results of all layers before it.

    Args:
        num_init_features: channels of the first convolution.
        growth_rate: channels that each layer adds.
        block_config: number of layers in each block.
        bn_size: how many times the growth rate the layers' inner channels are.
        dropout: fraction of new channels' values that training sets to zero.
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = row(_features(num_init_features, growth_rate, block_config, bn_size, dropout))
            self.output = Dense(classes)


def _features(
    channels: int, growth_rate: int, block_config: Sequence[int], bn_size: int, dropout: float
) -> Iterator[HybridBlock]:
    """Blocks of layers; between two of them half of the channels are kept, at half the resolution."""
    yield from conv_norm_relu(channels, kernel_size=7, strides=2, padding=3)
    yield MaxPool2D(pool_size=3, strides=2, padding=1)
    for stage, depth in enumerate(block_config, start=1):
        if stage > 1:
            channels //= 2
            yield row(_norm_relu_conv(channels, kernel_size=1), AvgPool2D(pool_size=2, strides=2))
        yield row((_layer(growth_rate, bn_size, dropout) for _ in range(depth)), prefix=f"stage{stage}_")
        channels += depth * growth_rate
    yield from (BatchNorm(), Activation("relu"), AvgPool2D(pool_size=7), Flatten())


def _layer(growth_rate: int, bn_size: int, dropout: float) -> HybridConcurrent:
    """Adds new channels to its input."""
    added = row(
        _norm_relu_conv(bn_size * growth_rate, kernel_size=1),
        _norm_relu_conv(growth_rate, kernel_size=3, padding=1),
        [Dropout(dropout)] if dropout else [],
    )
    return branches(Identity(), added)


def _norm_relu_conv(channels: int, **kwargs: Any) -> list[HybridBlock]:
    return [BatchNorm(), Activation("relu"), Conv2D(channels, use_bias=False, **kwargs)]


# Number of layers with parameters: channels of the first convolution, growth rate, layers in each block.
densenet_spec: dict[int, tuple[int, int, list[int]]] = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}


class DenseNetOptions(Options, total=False):
    """Arguments of the networks of this family."""

    bn_size: int
    dropout: float


def get_densenet(
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[DenseNetOptions]",
) -> DenseNet:
    """DenseNet-BC with a number of layers.

    Args:
        num_layers: 121, 161, 169 or 201.
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of DenseNet.
    """
    net = DenseNet(*chosen("get_densenet", "num_layers", num_layers, densenet_spec), **kwargs)
    load_pretrained(net, f"densenet{num_layers}", pretrained, ctx, root)
    return net


densenet121: Variant[DenseNet] = variant("densenet121", "DenseNet-BC with 121 layers.", get_densenet, 121)
densenet161: Variant[DenseNet] = variant("densenet161", "DenseNet-BC with 161 layers.", get_densenet, 161)
densenet169: Variant[DenseNet] = variant("densenet169", "DenseNet-BC with 169 layers.", get_densenet, 169)
densenet201: Variant[DenseNet] = variant("densenet201", "DenseNet-BC with 201 layers.", get_densenet, 201)
