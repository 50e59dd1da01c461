"""MobileNet (arXiv:1704.04861) and MobileNetV2, "Inverted residuals and linear bottlenecks" (arXiv:1801.04381)."""

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..._block_inputs import BlockOptions
from ...nn import Conv2D, Dense, Flatten, GlobalAvgPool2D, HybridBlock, HybridSequential
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    Variant,
    conv_norm,
    conv_norm_relu,
    load_pretrained,
    row,
    variant,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet1_0",
    "mobilenet0_75",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet_v2_1_0",
    "mobilenet_v2_0_75",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
]

# Channels and stride of each depthwise convolution with the 1x1 convolution after it.
_SEPARABLE = [
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1),
    (512, 2), (512, 1), (512, 1), (512, 1), (512, 1), (512, 1),
    (1024, 2), (1024, 1),
]  # fmt: skip

# Expansion, channels, number of blocks, and stride of the first of them.
_INVERTED = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


class MobileNet(FeatureClassifier):
    """Convolutions of each channel by itself, followed by 1x1 convolutions.

    Args:
        multiplier: factor on the number of channels.
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = row(_separable(multiplier), GlobalAvgPool2D(), Flatten())
            self.output = Dense(classes)


def _separable(multiplier: float) -> Iterator[HybridBlock]:
    before = int(32 * multiplier)
    yield from conv_norm_relu(before, 3, 2, 1)
    for channels, stride in _SEPARABLE:
        yield from conv_norm_relu(before, 3, stride, 1, groups=before)
        before = int(channels * multiplier)
        yield from conv_norm_relu(before, 1)


class RELU6(HybridBlock):
    """Cuts off values below 0 and above 6."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Returns the values between 0 and 6."""
        return F.clip(x, 0, 6, name="relu6")


class LinearBottleneck(HybridBlock):
    """Widens the channels, convolves each by itself, and narrows them without an activation.

    The input is added if it has the shape of the result.

    Args:
        in_channels: channels of the input.
        channels: channels of the result.
        t: how many times wider the channels are inside.
        stride: stride of the convolution inside.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        self.use_shortcut: bool = stride == 1 and in_channels == channels
        wide = in_channels * t
        with self.name_scope():
            self.out = HybridSequential()
            # Named by the block, not by the row inside it.
            self.out.add(
                *_conv_norm_relu6(wide, 1),
                *_conv_norm_relu6(wide, 3, stride, 1, groups=wide),
                *conv_norm(channels, 1),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Transforms the channels, and adds the input where it fits."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


def _conv_norm_relu6(*args: Any, **kwargs: Any) -> list[HybridBlock]:
    return [*conv_norm(*args, **kwargs), RELU6()]


class MobileNetV2(FeatureClassifier):
    """Bottlenecks that are wide inside and narrow where they are added up.

    Args:
        multiplier: factor on the number of channels; the last ones do not become fewer.
        classes: number of classes.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = row(_bottlenecks(multiplier), prefix="features_")
            self.output = row(_prediction(classes), prefix="output_")


def _bottlenecks(multiplier: float) -> Iterator[HybridBlock]:
    before = int(32 * multiplier)
    yield from _conv_norm_relu6(before, 3, 2, 1)
    for expansion, channels, depth, first_stride in _INVERTED:
        for i in range(depth):
            after = int(channels * multiplier)
            yield LinearBottleneck(before, after, expansion, 1 if i else first_stride)
            before = after
    yield from _conv_norm_relu6(int(1280 * max(multiplier, 1.0)), 1)
    yield GlobalAvgPool2D()


def _prediction(classes: int) -> Iterator[HybridBlock]:
    yield Conv2D(classes, 1, use_bias=False, prefix="pred_")
    yield Flatten()


def get_mobilenet(
    multiplier: float,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[Options]",
) -> MobileNet:
    """MobileNet with a factor on its number of channels.

    Args:
        multiplier: the factor; parameters were published for 1.0, 0.75, 0.5 and 0.25.
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of MobileNet.
    """
    net = MobileNet(multiplier, **kwargs)
    load_pretrained(net, f"mobilenet{_suffix(multiplier)}", pretrained, ctx, root)
    return net


def get_mobilenet_v2(
    multiplier: float,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[Options]",
) -> MobileNetV2:
    """MobileNetV2 with a factor on its number of channels; arguments as those of `get_mobilenet`."""
    net = MobileNetV2(multiplier, **kwargs)
    load_pretrained(net, f"mobilenetv2_{_suffix(multiplier)}", pretrained, ctx, root)
    return net


def _suffix(multiplier: float) -> str:
    """The factor as names of published files have it: 1.0, 0.75, 0.5."""
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


mobilenet1_0: Variant[MobileNet] = variant("mobilenet1_0", "MobileNet.", get_mobilenet, 1.0)
mobilenet0_75: Variant[MobileNet] = variant(
    "mobilenet0_75", "MobileNet with 0.75 of its channels.", get_mobilenet, 0.75
)
mobilenet0_5: Variant[MobileNet] = variant("mobilenet0_5", "MobileNet with half of its channels.", get_mobilenet, 0.5)
mobilenet0_25: Variant[MobileNet] = variant(
    "mobilenet0_25", "MobileNet with a quarter of its channels.", get_mobilenet, 0.25
)
mobilenet_v2_1_0: Variant[MobileNetV2] = variant("mobilenet_v2_1_0", "MobileNetV2.", get_mobilenet_v2, 1.0)
mobilenet_v2_0_75: Variant[MobileNetV2] = variant(
    "mobilenet_v2_0_75", "MobileNetV2 with 0.75 of its channels.", get_mobilenet_v2, 0.75
)
mobilenet_v2_0_5: Variant[MobileNetV2] = variant(
    "mobilenet_v2_0_5", "MobileNetV2 with half of its channels.", get_mobilenet_v2, 0.5
)
mobilenet_v2_0_25: Variant[MobileNetV2] = variant(
    "mobilenet_v2_0_25", "MobileNetV2 with a quarter of its channels.", get_mobilenet_v2, 0.25
)
