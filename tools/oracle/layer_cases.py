"""Layers to record from the real MXNet: an expression that makes each, and the shapes of its inputs.

Plain data: `record_layers.py` reads it with MXNet, the tests read what that writes.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LayerCase:
    """One layer.

    Attributes:
        make: expression on `nn`, `cnn` (contrib.cnn), `contrib` (contrib.nn) and `mx`.
        shapes: shapes of its inputs; empty where MXNet cannot run it on a CPU.
        given: the same layer with its input size given, where it can be.
        dtype: of the inputs; int32 inputs are indices below 5.
        grad: whether MXNet has a gradient on a CPU.
        random: whether training draws numbers: only prediction is recorded.
    """

    make: str
    shapes: tuple[tuple[int, ...], ...]
    given: str | None = None
    dtype: str = "float32"
    grad: bool = True
    random: bool = False


def layer(make: str, *shapes: tuple[int, ...], given: str | None = None, **options: Any) -> LayerCase:
    """A case; `given` is what to add to the arguments to give the input size."""
    if given is not None:
        joint = "" if make.endswith("(") or make[-2] == "(" else ", "
        given = f"{make[:-1]}{joint}{given})"
    return LayerCase(make, shapes, given, **options)


_DENSE = [
    layer("nn.Dense(3)", (2, 4), given="in_units=4"),
    layer("nn.Dense(3, activation='relu')", (2, 4, 2), given="in_units=8"),
    layer("nn.Dense(3, use_bias=False, flatten=False)", (2, 4, 2), given="in_units=2"),
    layer("nn.Dense(3, activation='tanh', flatten=False, prefix='head_')", (2, 3, 4), given="in_units=4"),
    layer("nn.Dense(2, dtype='float64')", (2, 3), given="in_units=3", dtype="float64"),
]

_BASIC = [
    layer("nn.Dropout(0.5)", (2, 3), random=True),
    layer("nn.Dropout(0.2, axes=(1,))", (2, 3), random=True),
    layer("nn.Dropout(0)", (2, 3)),
    layer("nn.Embedding(5, 3)", (2, 4), dtype="int32"),
    layer("nn.Embedding(5, 2, dtype='float64', prefix='words_')", (3,), dtype="int32"),
    layer("nn.Flatten()", (2, 3, 4)),
    layer("nn.Flatten()", (2, 3)),
    layer("nn.Lambda('tanh')", (2, 3)),
    layer("nn.HybridLambda('sigmoid')", (2, 3)),
    layer("nn.HybridLambda(lambda F, x, y: F.broadcast_mul(x, y))", (2, 3), (2, 3)),
    layer("nn.Lambda(lambda x: x * 2)", (2, 3)),
]

_NORMALIZATION = [
    layer("nn.BatchNorm()", (2, 3, 4, 2), given="in_channels=3"),
    layer("nn.BatchNorm(axis=-1, momentum=0.5, epsilon=1e-3)", (4, 2, 3), given="in_channels=3"),
    layer("nn.BatchNorm(center=False)", (4, 3), given="in_channels=3"),
    layer("nn.BatchNorm(scale=False)", (4, 3, 2), given="in_channels=3"),
    layer("nn.BatchNorm(use_global_stats=True)", (4, 3, 2), given="in_channels=3"),
    layer("nn.BatchNorm(gamma_initializer='zeros', beta_initializer='ones')", (4, 3), given="in_channels=3"),
    layer("nn.BatchNormReLU()", (2, 3, 4, 2), given="in_channels=3"),
    layer("nn.InstanceNorm()", (2, 3, 4), given="in_channels=3"),
    layer("nn.InstanceNorm(scale=True, epsilon=1e-3)", (2, 3, 4, 2), given="in_channels=3"),
    layer("nn.InstanceNorm(axis=2, center=False, scale=True)", (2, 4, 3), given="in_channels=3"),
    layer("nn.LayerNorm()", (2, 3, 4), given="in_channels=4"),
    layer("nn.LayerNorm(axis=1, epsilon=1e-3, center=False)", (2, 3, 4), given="in_channels=3"),
    layer("nn.LayerNorm(scale=False)", (2, 4), given="in_channels=4"),
    layer("nn.GroupNorm()", (2, 4, 3)),
    layer("nn.GroupNorm(num_groups=2, epsilon=1e-3)", (2, 4, 3, 2)),
    layer("nn.GroupNorm(2, center=False, scale=False)", (2, 4, 3)),
]

_ACTIVATION = [
    *(layer(f"nn.Activation('{name}')", (2, 5)) for name in ("relu", "sigmoid", "tanh", "softrelu", "softsign")),
    layer("nn.LeakyReLU(0.1)", (2, 5)),
    layer("nn.LeakyReLU(0)", (2, 5)),
    layer("nn.PReLU()", (2, 3, 4)),
    layer("nn.PReLU(in_channels=3)", (2, 3, 4)),
    layer("nn.PReLU(alpha_initializer='zeros', prefix='p_')", (2, 3)),
    layer("nn.ELU()", (2, 5)),
    layer("nn.ELU(0.5)", (2, 5)),
    layer("nn.SELU()", (2, 5)),
    layer("nn.GELU()", (2, 5)),
    layer("nn.Swish()", (2, 5)),
    layer("nn.Swish(beta=2)", (2, 5)),
]

# MXNet cannot tell the input channels of a transposed convolution with groups from the data.
_CONVOLUTION = [
    layer("nn.Conv1D(3, 2)", (2, 2, 6), given="in_channels=2"),
    layer("nn.Conv1D(4, 3, strides=2, padding=1, groups=2, activation='tanh')", (2, 2, 7), given="in_channels=2"),
    layer("nn.Conv1D(4, (2,), dilation=2, use_bias=False)", (1, 2, 7), given="in_channels=2"),
    layer("nn.Conv2D(3, 3)", (2, 2, 5, 5), given="in_channels=2"),
    layer("nn.Conv2D(4, kernel_size=(3, 2), strides=(2, 1), padding=(1, 0))", (2, 2, 5, 5), given="in_channels=2"),
    layer("nn.Conv2D(4, 3, dilation=2, groups=2, use_bias=False)", (1, 4, 6, 6), given="in_channels=4"),
    layer(
        "nn.Conv2D(3, [1, 1], padding=[0, 0], activation='relu', prefix='stem_')", (1, 2, 3, 3), given="in_channels=2"
    ),
    layer("nn.Conv2D(4, 3, layout='NHWC')", given="in_channels=2"),
    layer("nn.Conv3D(2, 2)", (1, 2, 3, 4, 3), given="in_channels=2"),
    layer("nn.Conv3D(2, (1, 2, 3), strides=(1, 2, 1), padding=1, groups=2)", (1, 4, 3, 3, 3), given="in_channels=4"),
    layer("nn.Conv3D(2, 2, layout='NDHWC', use_bias=False)", given="in_channels=2"),
    layer("nn.Conv1DTranspose(3, 3)", (2, 2, 4), given="in_channels=2"),
    layer("nn.Conv1DTranspose(4, 3, strides=2, padding=1, output_padding=1, groups=2, in_channels=2)", (2, 2, 4)),
    layer("nn.Conv2DTranspose(3, 3, activation='relu')", (1, 2, 3, 4), given="in_channels=2"),
    layer("nn.Conv2DTranspose(4, 3, (2, 2), 1, (1, 1), groups=2, use_bias=False, in_channels=4)", (1, 4, 3, 3)),
    layer("nn.Conv2DTranspose(4, (2, 3), strides=2, output_padding=(1, 0))", (1, 2, 3, 3), given="in_channels=2"),
    layer("nn.Conv2DTranspose(4, 3, layout='NHWC')", given="in_channels=2"),
    layer("nn.Conv3DTranspose(2, 2)", (1, 2, 2, 3, 2), given="in_channels=2"),
    layer("nn.Conv3DTranspose(2, 3, strides=2, padding=1, output_padding=1)", (1, 2, 2, 2, 2), given="in_channels=2"),
    layer("nn.Conv3DTranspose(2, 2, layout='NDHWC')", given="in_channels=2"),
]

_SIZES = {1: (2, 3, 7), 2: (2, 3, 5, 7), 3: (1, 2, 5, 4, 5)}
_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_POOLING = [
    *(layer(f"nn.{kind}Pool{n}D()", _SIZES[n]) for kind in ("Max", "Avg") for n in (1, 2, 3)),
    *(layer(f"nn.{kind}Pool{n}D(3, 2, 1)", _SIZES[n]) for kind in ("Max", "Avg") for n in (1, 2, 3)),
    *(layer(f"nn.{kind}Pool{n}D(2, ceil_mode=True)", _SIZES[n]) for kind in ("Max", "Avg") for n in (1, 2, 3)),
    *(layer(f"nn.AvgPool{n}D(3, strides=2, padding=1, count_include_pad=False)", _SIZES[n]) for n in (1, 2, 3)),
    layer("nn.MaxPool2D((3, 2), strides=(1, 2), prefix='p_')", _SIZES[2]),
    layer("nn.MaxPool2D([2, 3])", _SIZES[2]),
    *(layer(f"nn.{kind}Pool{n}D(layout='{_LAST[n]}')") for kind in ("Max", "Avg") for n in (1, 2, 3)),
    *(layer(f"nn.Global{kind}Pool{n}D()", _SIZES[n]) for kind in ("Max", "Avg") for n in (1, 2, 3)),
    *(layer(f"nn.Global{kind}Pool{n}D(layout='{_LAST[n]}')") for kind in ("Max", "Avg") for n in (1, 2, 3)),
    layer("nn.ReflectionPad2D(1)", (1, 2, 3, 4)),
    layer("nn.ReflectionPad2D((0, 0, 0, 0, 1, 2, 0, 1))", (1, 2, 3, 4)),
    layer("nn.ReflectionPad2D()", (1, 2, 3, 4)),
]

_CONTRIB = [
    layer("contrib.Identity()", (2, 3)),
    layer("added(contrib.Concurrent(axis=1), nn.Dense(2), contrib.Identity())", (2, 3)),
    layer("added(contrib.HybridConcurrent(axis=1), nn.Dense(2), nn.Dense(3), contrib.Identity())", (2, 3)),
    layer("added(contrib.HybridConcurrent(prefix='inception_'), nn.Flatten())", (2, 3)),
    layer("contrib.PixelShuffle1D(2)", (1, 4, 3)),
    layer("contrib.PixelShuffle2D(2)", (1, 8, 2, 3)),
    layer("contrib.PixelShuffle2D((2, 3))", (2, 6, 2, 2)),
    layer("contrib.PixelShuffle3D((2, 1, 3))", (1, 12, 2, 1, 2)),
    layer("contrib.PixelShuffle3D(2)", (1, 8, 1, 2, 1)),
    layer("contrib.SyncBatchNorm(num_devices=1)", (2, 3, 4), given="in_channels=3"),
    layer("contrib.SyncBatchNorm(num_devices=1, momentum=0.5, scale=False)", (2, 3, 4), given="in_channels=3"),
    layer("cnn.DeformableConvolution(3, 3, padding=1)", (1, 2, 4, 5), given="in_channels=2"),
    layer(
        "cnn.DeformableConvolution(4, (2, 2), strides=2, groups=2, num_deformable_group=2, use_bias=False,"
        " activation='relu')",
        (1, 4, 5, 5),
        given="in_channels=4",
    ),
    layer("cnn.DeformableConvolution(2, 3, dilation=2, offset_use_bias=False)", (1, 2, 6, 6), given="in_channels=2"),
    layer("cnn.DeformableConvolution(2, layout='NHWC')", given="in_channels=2"),
    layer("cnn.ModulatedDeformableConvolution(3, 3, padding=1)", (1, 2, 4, 5), given="in_channels=2", grad=False),
    layer(
        "cnn.ModulatedDeformableConvolution(4, 2, groups=2, num_deformable_group=2, activation='tanh')",
        (1, 4, 4, 4),
        given="in_channels=4",
        grad=False,
    ),
]

_CONTAINERS = [
    layer("added(nn.Sequential(), nn.Dense(4, activation='relu'), nn.Dense(2))", (2, 3)),
    layer("added(nn.HybridSequential(prefix='net_'), nn.Conv2D(2, 3), nn.BatchNorm(), nn.Flatten())", (2, 2, 4, 4)),
    layer(
        "added(nn.HybridSequential(), added(nn.HybridSequential(), nn.Dense(2), nn.ELU()), nn.Dropout(0.3))",
        (2, 3),
        random=True,
    ),
]

CASES = [
    *_DENSE,
    *_BASIC,
    *_NORMALIZATION,
    *_ACTIVATION,
    *_CONVOLUTION,
    *_POOLING,
    *_CONTRIB,
    *_CONTAINERS,
]

# Expressions that MXNet refuses, when the layer is made or when it is called on an array of the shape.
REFUSED: list[tuple[str, tuple[int, ...] | None]] = [
    ("nn.Conv1D(2, 3, layout='NWC')", None),
    ("nn.Conv2D(2, 3, layout='NCW')", None),
    ("nn.Conv2D(2, (3, 3, 3))", None),
    ("nn.Conv2D(3, 3, groups=2, in_channels=4)", None),
    ("nn.Conv2D(0, 3)", None),
    ("nn.Conv2DTranspose(2, 3, output_padding=(1, 1, 1))", None),
    ("nn.MaxPool2D((2, 2, 2))", None),
    ("nn.AvgPool1D(layout='NCHW')", None),
    ("nn.GlobalAvgPool3D(layout='NCHW')", None),
    ("nn.ReflectionPad2D((1, 1))", None),
    ("nn.LeakyReLU(-1)", None),
    ("nn.Lambda('no_such_function')", None),
    ("nn.Lambda(3)", None),
    ("nn.HybridLambda('no_such_function')", None),
    ("nn.HybridLambda(3)", None),
    ("contrib.PixelShuffle2D((1, 2, 3))", None),
    ("contrib.PixelShuffle3D((1, 2))", None),
    ("added(nn.HybridSequential(), nn.Lambda('tanh'))", None),
    ("cnn.DeformableConvolution(2, layout='NCW')", None),
    ("nn.Dense(3, in_units=4)", (2, 5)),
    ("nn.Conv2D(3, 3, in_channels=2)", (1, 3, 4, 4)),
    ("nn.Conv2D(3, 3)", (1, 2, 4)),
    ("nn.Conv2D(3, 5)", (1, 2, 4, 4)),
    ("nn.LayerNorm(in_channels=3)", (2, 4)),
    ("nn.InstanceNorm(in_channels=3)", (2, 4, 2)),
    ("nn.GroupNorm(num_groups=3)", (2, 4, 2)),
    ("nn.MaxPool2D()", (2, 4)),
    ("nn.PReLU(in_channels=3)", (2, 4, 2)),
    ("nn.Activation('no_such_function')", (2, 3)),
]

# Networks whose `summary` is recorded, with the shapes of their inputs.
SUMMARIES: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
    ("added(nn.HybridSequential(), nn.Dense(4, activation='relu'), nn.Dense(2))", ((2, 3),)),
    (
        "added(nn.HybridSequential(), nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation('relu'), nn.MaxPool2D(),"
        " nn.Flatten(), nn.Dropout(0.5), nn.Dense(10))",
        ((2, 3, 8, 8),),
    ),
    (
        "added(nn.Sequential(), added(contrib.HybridConcurrent(axis=1), nn.Dense(2), contrib.Identity()),"
        " nn.Lambda('tanh'), nn.Embedding(5, 3))",
        ((2, 3),),
    ),
    ("shared(nn.HybridSequential(), nn.Dense, 4, in_units=4)", ((2, 4),)),
    ("nn.HybridLambda(lambda F, x, y: [x, [y, F.concat(x, y, dim=1)]])", ((2, 3), (2, 4))),
    ("nn.Embedding(5, 3)", ((2, 4),)),
]
