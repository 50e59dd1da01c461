"""ResNet, version 1 of "Deep residual learning" (arXiv:1512.03385), 2 of "Identity mappings" (arXiv:1603.05027)."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from ..._block_inputs import BlockOptions
from ...nn import (
    Activation,
    BatchNorm,
    Conv2D,
    Dense,
    Flatten,
    GlobalAvgPool2D,
    HybridBlock,
    HybridSequential,
    MaxPool2D,
)
from ...nn._arguments import LayerArgumentError
from ._builder import (
    DEFAULT_CONTEXT,
    DEFAULT_ROOT,
    FeatureClassifier,
    Options,
    Pretrained,
    Variant,
    chosen,
    conv_norm_relu,
    load_pretrained,
    row,
    variant,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "ResNetV1",
    "ResNetV2",
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "get_resnet",
    "resnet18_v1",
    "resnet34_v1",
    "resnet50_v1",
    "resnet101_v1",
    "resnet152_v1",
    "resnet18_v2",
    "resnet34_v2",
    "resnet50_v2",
    "resnet101_v2",
    "resnet152_v2",
]


def _conv3x3(channels: int, stride: int, in_channels: int) -> Conv2D:
    return Conv2D(channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels)


def _projection(channels: int, stride: int, in_channels: int) -> Conv2D:
    """Gives the input of a block the shape of its result."""
    return Conv2D(channels, kernel_size=1, strides=stride, use_bias=False, in_channels=in_channels)


def _relu(F: Any, x: Any) -> Any:
    return F.Activation(x, act_type="relu")


# -- blocks of version 1 --------------------------------------------------------------------------------------------


class _BlockV1(HybridBlock):
    """Adds its input to what `body` makes of it, and cuts off the sum at 0."""

    body: HybridSequential
    downsample: HybridSequential | None

    def _make_downsample(self, channels: int, stride: int, in_channels: int, needed: bool) -> None:
        self.downsample = row(_projection(channels, stride, in_channels), BatchNorm()) if needed else None

    def _shortcut(self, x: Any) -> Any:
        return x if self.downsample is None else self.downsample(x)


class BasicBlockV1(_BlockV1):
    """Two 3x3 convolutions, for ResNet V1 with 18 and 34 layers.

    Args:
        channels: channels of the result.
        stride: stride of the first convolution.
        downsample: whether the input needs a convolution to have the shape of the result.
        in_channels: channels of the input; found from the first data if 0.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        self.body = row(
            *(_conv3x3(channels, stride, in_channels), BatchNorm(), Activation("relu")),
            *(_conv3x3(channels, 1, channels), BatchNorm()),
        )
        self._make_downsample(channels, stride, in_channels, downsample)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Adds the input to the result of the convolutions."""
        hidden = self.body(x)
        return _relu(F, self._shortcut(x) + hidden)


class BottleneckV1(_BlockV1):
    """A 3x3 convolution on a quarter of the channels, between two 1x1, for ResNet V1 with 50 layers and more.

    Args:
        channels: channels of the result.
        stride: stride of the first convolution.
        downsample: whether the input needs a convolution to have the shape of the result.
        in_channels: channels of the input; found from the first data if 0.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        narrow = channels // 4
        self.body = row(
            *(Conv2D(narrow, kernel_size=1, strides=stride), BatchNorm(), Activation("relu")),
            *(_conv3x3(narrow, 1, narrow), BatchNorm(), Activation("relu")),
            *(Conv2D(channels, kernel_size=1, strides=1), BatchNorm()),
        )
        self._make_downsample(channels, stride, in_channels, downsample)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Adds the input to the result of the convolutions."""
        hidden = self.body(x)
        return _relu(F, hidden + self._shortcut(x))


# -- blocks of version 2 --------------------------------------------------------------------------------------------


class _BlockV2(HybridBlock):
    """Adds its input to the result of convolutions `conv1`, ..., each after `bn1`, ... and a cut at 0."""

    downsample: Conv2D | None

    def _make(self, convolutions: Sequence[Conv2D], downsample: Conv2D | None) -> None:
        self._depth = len(convolutions)
        for i, convolution in enumerate(convolutions, start=1):
            setattr(self, f"bn{i}", BatchNorm())
            setattr(self, f"conv{i}", convolution)
        self.downsample = downsample

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Adds the input to the result of the convolutions."""
        shortcut = x
        for i in range(1, self._depth + 1):
            x = _relu(F, getattr(self, f"bn{i}")(x))
            if i == 1 and self.downsample is not None:
                shortcut = self.downsample(x)
            x = getattr(self, f"conv{i}")(x)
        return x + shortcut


class BasicBlockV2(_BlockV2):
    """Two 3x3 convolutions, for ResNet V2 with 18 and 34 layers.

    Args:
        channels: channels of the result.
        stride: stride of the first convolution.
        downsample: whether the input needs a convolution to have the shape of the result.
        in_channels: channels of the input; found from the first data if 0.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        self._make(
            [_conv3x3(channels, stride, in_channels), _conv3x3(channels, 1, channels)],
            _projection(channels, stride, in_channels) if downsample else None,
        )


class BottleneckV2(_BlockV2):
    """A 3x3 convolution on a quarter of the channels, between two 1x1, for ResNet V2 with 50 layers and more.

    Args:
        channels: channels of the result.
        stride: stride of the 3x3 convolution.
        downsample: whether the input needs a convolution to have the shape of the result.
        in_channels: channels of the input; found from the first data if 0.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        narrow = channels // 4
        self._make(
            [
                Conv2D(narrow, kernel_size=1, strides=1, use_bias=False),
                _conv3x3(narrow, stride, narrow),
                Conv2D(channels, kernel_size=1, strides=1, use_bias=False),
            ],
            _projection(channels, stride, in_channels) if downsample else None,
        )


# -- networks -------------------------------------------------------------------------------------------------------


class _ResNet(FeatureClassifier):
    """What both versions share: how they begin, and their stages."""

    def _make_layer(
        self,
        block: Callable[..., HybridBlock],
        layers: int,
        channels: int,
        stride: int,
        stage_index: int,
        in_channels: int = 0,
    ) -> HybridSequential:
        """One stage: a block that changes the shape, then blocks that keep it."""

        def blocks() -> Iterator[HybridBlock]:
            yield block(channels, stride, channels != in_channels, in_channels=in_channels, prefix="")
            for _ in range(layers - 1):
                yield block(channels, 1, False, in_channels=channels, prefix="")

        return row(blocks(), prefix=f"stage{stage_index}_")

    def _stages(
        self, block: Callable[..., HybridBlock], layers: Sequence[int], channels: Sequence[int]
    ) -> Iterator[HybridBlock]:
        for i, depth in enumerate(layers):
            stride = 2 if i else 1
            yield self._make_layer(block, depth, channels[i + 1], stride, i + 1, in_channels=channels[i])

    def _check(self, layers: Sequence[int], channels: Sequence[int]) -> None:
        if len(channels) != len(layers) + 1:
            raise LayerArgumentError(
                f"[{type(self).__name__}] received channels {channels!r} for layers {layers!r}; expected "
                f"{len(layers) + 1} numbers of channels: that of the first convolution, then one for each stage."
            )


def _stem(channels: int, thumbnail: bool) -> list[HybridBlock]:
    if thumbnail:
        return [_conv3x3(channels, 1, 0)]
    return [*conv_norm_relu(channels, 7, 2, 3), MaxPool2D(3, 2, 1)]


class ResNetV1(_ResNet):
    """Stages of blocks to whose result their input is added.

    Args:
        block: the class of the blocks: BasicBlockV1 or BottleneckV1.
        layers: number of blocks in each stage.
        channels: number of channels at first, then of each stage.
        classes: number of classes.
        thumbnail: whether images are small, and are not made smaller before the first stage.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        block: Callable[..., HybridBlock],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        self._check(layers, channels)
        with self.name_scope():
            self.features = row(_stem(channels[0], thumbnail), self._stages(block, layers, channels), GlobalAvgPool2D())
            self.output = Dense(classes, in_units=channels[-1])


class ResNetV2(_ResNet):
    """Stages of blocks that normalize before they convolve: the sums are passed on as they are.

    Args:
        block: the class of the blocks: BasicBlockV2 or BottleneckV2.
        layers: number of blocks in each stage.
        channels: number of channels at first, then of each stage.
        classes: number of classes.
        thumbnail: whether images are small, and are not made smaller before the first stage.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self,
        block: Callable[..., HybridBlock],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        self._check(layers, channels)
        with self.name_scope():
            self.features = row(
                BatchNorm(scale=False, center=False),
                _stem(channels[0], thumbnail),
                self._stages(block, layers, channels),
                *(BatchNorm(), Activation("relu"), GlobalAvgPool2D(), Flatten()),
            )
            self.output = Dense(classes, in_units=channels[-1])


# Number of layers with parameters: kind of blocks, blocks in each stage, channels.
resnet_spec: dict[int, tuple[str, list[int], list[int]]] = {
    18: ("basic_block", [2, 2, 2, 2], [64, 64, 128, 256, 512]),
    34: ("basic_block", [3, 4, 6, 3], [64, 64, 128, 256, 512]),
    50: ("bottle_neck", [3, 4, 6, 3], [64, 256, 512, 1024, 2048]),
    101: ("bottle_neck", [3, 4, 23, 3], [64, 256, 512, 1024, 2048]),
    152: ("bottle_neck", [3, 8, 36, 3], [64, 256, 512, 1024, 2048]),
}

resnet_net_versions: list[type[ResNetV1] | type[ResNetV2]] = [ResNetV1, ResNetV2]
resnet_block_versions: list[dict[str, type[HybridBlock]]] = [
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
]


class ResNetOptions(Options, total=False):
    """Arguments of the networks of this family."""

    thumbnail: bool


@overload
def get_resnet(
    version: Literal[1],
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[ResNetOptions]",
) -> ResNetV1: ...
@overload
def get_resnet(
    version: Literal[2],
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[ResNetOptions]",
) -> ResNetV2: ...
@overload
def get_resnet(
    version: int,
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[ResNetOptions]",
) -> ResNetV1 | ResNetV2: ...
def get_resnet(
    version: int,
    num_layers: int,
    pretrained: Pretrained = False,
    ctx: Any = DEFAULT_CONTEXT,
    root: str | PathLike[str] = DEFAULT_ROOT,
    **kwargs: "Unpack[ResNetOptions]",
) -> ResNetV1 | ResNetV2:
    """ResNet of a version, with a number of layers.

    Args:
        version: 1 or 2.
        num_layers: 18, 34, 50, 101 or 152.
        pretrained: whether to load the published parameters; or other weights, see `get_model`.
        ctx: the context, or contexts, to load them to.
        root: the folder where their files are kept.
        kwargs: arguments of the network, such as `thumbnail`.
    """
    kind, layers, channels = chosen("get_resnet", "num_layers", num_layers, resnet_spec)
    number = chosen("get_resnet", "version", version, {1: 0, 2: 1})
    net = resnet_net_versions[number](resnet_block_versions[number][kind], layers, channels, **kwargs)
    load_pretrained(net, f"resnet{num_layers}_v{version}", pretrained, ctx, root)
    return net


resnet18_v1: Variant[ResNetV1] = variant("resnet18_v1", "ResNet V1 with 18 layers.", get_resnet, 1, 18)
resnet34_v1: Variant[ResNetV1] = variant("resnet34_v1", "ResNet V1 with 34 layers.", get_resnet, 1, 34)
resnet50_v1: Variant[ResNetV1] = variant("resnet50_v1", "ResNet V1 with 50 layers.", get_resnet, 1, 50)
resnet101_v1: Variant[ResNetV1] = variant("resnet101_v1", "ResNet V1 with 101 layers.", get_resnet, 1, 101)
resnet152_v1: Variant[ResNetV1] = variant("resnet152_v1", "ResNet V1 with 152 layers.", get_resnet, 1, 152)
resnet18_v2: Variant[ResNetV2] = variant("resnet18_v2", "ResNet V2 with 18 layers.", get_resnet, 2, 18)
resnet34_v2: Variant[ResNetV2] = variant("resnet34_v2", "ResNet V2 with 34 layers.", get_resnet, 2, 34)
resnet50_v2: Variant[ResNetV2] = variant("resnet50_v2", "ResNet V2 with 50 layers.", get_resnet, 2, 50)
resnet101_v2: Variant[ResNetV2] = variant("resnet101_v2", "ResNet V2 with 101 layers.", get_resnet, 2, 101)
resnet152_v2: Variant[ResNetV2] = variant("resnet152_v2", "ResNet V2 with 152 layers.", get_resnet, 2, 152)
