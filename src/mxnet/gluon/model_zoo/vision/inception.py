"""Inception V3, of "Rethinking the Inception architecture for computer vision" (arXiv:1512.00567)."""

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._block_inputs import BlockOptions
from ...nn import AvgPool2D, Dense, Dropout, HybridBlock, HybridSequential, MaxPool2D
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    branches,
    conv_norm_relu,
    load_pretrained,
    row,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Inception3", "inception_v3"]


class _Conv(NamedTuple):
    """A normalized convolution."""

    channels: int
    kernel_size: int | tuple[int, int] = 1
    strides: int = 1
    padding: int | tuple[int, int] = 0


class _Split(NamedTuple):
    """Convolutions side by side at the end of a branch."""

    convolutions: tuple[_Conv, ...]


_AVERAGE, _MAXIMUM = "avg", "max"  # pooling at the beginning of a branch
_Branch = tuple[str | _Conv | _Split, ...]


def _wide(channels: int, length: int) -> _Conv:
    """A convolution along the width; it keeps the size of images."""
    return _Conv(channels, (1, length), padding=(0, length // 2))


def _high(channels: int, length: int) -> _Conv:
    """A convolution along the height; it keeps the size of images."""
    return _Conv(channels, (length, 1), padding=(length // 2, 0))


def _square(channels: int, length: int) -> _Conv:
    """A convolution that keeps the size of images."""
    return _Conv(channels, length, padding=length // 2)


# The kinds of modules, by the paper's order: branches whose results are joined.


def _module_a(pooled: int) -> list[_Branch]:
    return [
        (_Conv(64),),
        (_Conv(48), _square(64, 5)),
        (_Conv(64), _square(96, 3), _square(96, 3)),
        (_AVERAGE, _Conv(pooled)),
    ]


def _module_b() -> list[_Branch]:
    return [
        (_Conv(384, 3, strides=2),),
        (_Conv(64), _square(96, 3), _Conv(96, 3, strides=2)),
        (_MAXIMUM,),
    ]


def _module_c(inner: int) -> list[_Branch]:
    return [
        (_Conv(192),),
        (_Conv(inner), _wide(inner, 7), _high(192, 7)),
        (_Conv(inner), _high(inner, 7), _wide(inner, 7), _high(inner, 7), _wide(192, 7)),
        (_AVERAGE, _Conv(192)),
    ]


def _module_d() -> list[_Branch]:
    return [
        (_Conv(192), _Conv(320, 3, strides=2)),
        (_Conv(192), _wide(192, 7), _high(192, 7), _Conv(192, 3, strides=2)),
        (_MAXIMUM,),
    ]


def _module_e() -> list[_Branch]:
    both_ways = _Split((_wide(384, 3), _high(384, 3)))
    return [
        (_Conv(320),),
        (_Conv(384), both_ways),
        (_Conv(448), _square(384, 3), both_ways),
        (_AVERAGE, _Conv(192)),
    ]


_MODULES = {
    "A1_": _module_a(32),
    "A2_": _module_a(64),
    "A3_": _module_a(64),
    "B_": _module_b(),
    "C1_": _module_c(128),
    "C2_": _module_c(160),
    "C3_": _module_c(160),
    "C4_": _module_c(192),
    "D_": _module_d(),
    "E1_": _module_e(),
    "E2_": _module_e(),
}


def _made(layer: str | _Conv) -> HybridBlock:
    if isinstance(layer, _Conv):
        return row(conv_norm_relu(**layer._asdict(), epsilon=0.001))
    if layer == _AVERAGE:
        return AvgPool2D(pool_size=3, strides=1, padding=1)
    return MaxPool2D(pool_size=3, strides=2)


def _branch(layers: _Branch) -> HybridSequential:
    straight = row(_made(layer) for layer in layers if not isinstance(layer, _Split))
    splits = [layer for layer in layers if isinstance(layer, _Split)]
    if not splits:
        return straight
    # Saved parameters are named by the place of layers: what leads to the split is a row of its own.
    return row(straight, (branches(_branch((each,)) for each in split.convolutions) for split in splits))


def _features() -> Iterator[HybridBlock]:
    stem: list[str | _Conv] = [
        *(_Conv(32, 3, strides=2), _Conv(32, 3), _square(64, 3), _MAXIMUM),
        *(_Conv(80), _Conv(192, 3), _MAXIMUM),
    ]
    yield from map(_made, stem)
    for prefix, parts in _MODULES.items():
        yield branches(map(_branch, parts), prefix=prefix)
    yield AvgPool2D(pool_size=8)
    yield Dropout(0.5)


class Inception3(FeatureClassifier):
    """Modules of convolutions of several sizes side by side, for images of 299 pixels.

    Args:
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, classes: int = 1000, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = row(_features())
            self.output = Dense(classes)


def inception_v3(
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[Options]",
) -> Inception3:
    """Inception V3.

    Args:
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of Inception3.
    """
    net = Inception3(**kwargs)
    load_pretrained(net, "inceptionv3", pretrained, ctx, root)
    return net
