"""Every translated operator gives in onnxruntime what it gives here."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib.onnx import get_operator_support
from regluon.graph.node import in_order
from tests.contrib.onnx.support import check

S = mx.sym
draw = np.random.RandomState(7)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    return draw.uniform(low, high, shape).astype(np.float32)


def places(*shape: int, high: int = 5, dtype: str = "float32") -> np.ndarray:
    return draw.randint(0, high, shape).astype(dtype)


IMAGE = real(2, 4, 7, 9)
ROW = real(3, 4)
CUBE = real(2, 3, 4)
POSITIVE = real(3, 4, low=0.2, high=0.9)

# Operator: (network of `x` and, if there are two arrays, `y`, then the arrays).
Case = tuple[Any, ...]
CASES: dict[str, list[Case]] = {
    "Convolution": [
        (lambda x: S.Convolution(x, kernel=(3, 3), num_filter=6, stride=(2, 1), pad=(1, 2), name="c"), IMAGE),
        (lambda x: S.Convolution(x, kernel=(3, 3), num_filter=4, num_group=2, dilate=(2, 2), no_bias=True), IMAGE),
        (lambda x: S.Convolution(x, kernel=(3,), num_filter=4, name="c"), real(2, 3, 8)),
        (lambda x: S.Convolution(x, kernel=(2, 2, 2), num_filter=4, name="c"), real(1, 2, 4, 4, 4)),
    ],
    "Deconvolution": [
        (lambda x: S.Deconvolution(x, kernel=(3, 3), num_filter=6, stride=(2, 2), pad=(1, 1), adj=(1, 1)), IMAGE),
        (lambda x: S.Deconvolution(x, kernel=(4, 4), num_filter=4, num_group=4, stride=(2, 2), pad=(1, 1)), IMAGE),
        (
            lambda x: S.Deconvolution(
                x, kernel=(4, 4), num_filter=2, stride=(2, 2), target_shape=(13, 18), no_bias=False
            ),
            IMAGE,
        ),
    ],
    "FullyConnected": [
        (lambda x: S.FullyConnected(x, num_hidden=5), IMAGE),
        (lambda x: S.FullyConnected(x, num_hidden=5, no_bias=True), ROW),
        (lambda x: S.FullyConnected(x, num_hidden=5, flatten=False), CUBE),
    ],
    "UpSampling": [
        (lambda x: S.UpSampling(x, scale=3, sample_type="nearest"), IMAGE),
        (lambda x: S.UpSampling(x, scale=2, sample_type="bilinear", num_filter=4), IMAGE),
        (lambda x, y: S.UpSampling(x, y, scale=2, sample_type="nearest"), real(1, 2, 4, 4), real(1, 3, 2, 2)),
    ],
    "_contrib_BilinearResize2D": [
        (lambda x: S.contrib.BilinearResize2D(x, height=10, width=5), IMAGE),
        (lambda x: S.contrib.BilinearResize2D(x, height=10, width=5, align_corners=False), IMAGE),
    ],
    "Pooling": [
        *[
            (
                lambda x, kind=kind, way=way, pad=pad, include=include: S.Pooling(
                    x,
                    kernel=(3, 2),
                    stride=(2, 2),
                    pad=pad,
                    pool_type=kind,
                    pooling_convention=way,
                    count_include_pad=include,
                    p_value=2,
                ),
                IMAGE,
            )
            for kind in ("max", "avg", "sum", "lp")
            for way in ("valid", "full")
            for pad in ((0, 0), (1, 1))
            for include in ((True, False) if kind == "avg" else (True,))
        ],
        *[
            (lambda x, kind=kind: S.Pooling(x, global_pool=True, pool_type=kind), IMAGE)
            for kind in ("max", "avg", "sum")
        ],
        (lambda x: S.Pooling(x, kernel=(3,), stride=(2,), pool_type="avg", pooling_convention="same"), real(2, 3, 8)),
        (lambda x: S.Pooling(x, kernel=(2, 2), pool_type="lp", p_value=3), real(2, 3, 4, 4, low=0.1)),
        (lambda x: S.Pooling(x, kernel=(2, 2), stride=(2, 2), layout="NHWC"), IMAGE),
    ],
    "_contrib_AdaptiveAvgPooling2D": [
        (S.contrib.AdaptiveAvgPooling2D, IMAGE),
        (lambda x: S.contrib.AdaptiveAvgPooling2D(x, output_size=(2, 3)), real(1, 2, 4, 9)),
    ],
    "BatchNorm": [
        (lambda x: S.BatchNorm(x, fix_gamma=False), IMAGE),
        (lambda x: S.BatchNorm(x, eps=1e-5), ROW),
        (lambda x: S.BatchNorm(x, axis=-1, fix_gamma=False), IMAGE),
    ],
    "LayerNorm": [(S.LayerNorm, CUBE), (lambda x: S.LayerNorm(x, axis=1), CUBE)],
    "InstanceNorm": [(S.InstanceNorm, IMAGE)],
    "GroupNorm": [(lambda x: S.GroupNorm(x, num_groups=2), IMAGE)],
    "L2Normalization": [
        (lambda x, mode=mode: S.L2Normalization(x, mode=mode), IMAGE) for mode in ("instance", "channel", "spatial")
    ],
    "LRN": [(lambda x: S.LRN(x, nsize=3, alpha=0.1), IMAGE)],
    "moments": [(lambda x: S.Group(list(S.moments(x, axes=(0, 2)))), CUBE)],
    "Activation": [
        (lambda x, kind=kind: S.Activation(x, act_type=kind), ROW)
        for kind in ("relu", "sigmoid", "tanh", "softrelu", "softsign")
    ],
    "LeakyReLU": [
        *[
            (lambda x, kind=kind: S.LeakyReLU(x, act_type=kind, slope=0.3), ROW)
            for kind in ("leaky", "elu", "selu", "gelu")
        ],
        (lambda x: S.LeakyReLU(x, act_type="prelu"), IMAGE),
        (lambda x: S.LeakyReLU(x, act_type="rrelu")[0], ROW),
    ],
    "softmax": [
        (lambda x: S.softmax(x, axis=1), CUBE),
        (lambda x: S.softmax(x, temperature=2.0), ROW),
    ],
    "SoftmaxActivation": [
        (S.SoftmaxActivation, CUBE),
        (lambda x: S.SoftmaxActivation(x, mode="channel"), IMAGE),
    ],
    "SoftmaxOutput": [
        (lambda x: S.SoftmaxOutput(x, name="softmax"), ROW),
        (lambda x: S.SoftmaxOutput(x, multi_output=True, name="softmax"), IMAGE),
        (lambda x: S.SoftmaxOutput(x, preserve_shape=True, name="softmax"), CUBE),
    ],
    "LogisticRegressionOutput": [(lambda x: S.LogisticRegressionOutput(x, name="out"), ROW)],
    "LinearRegressionOutput": [(lambda x: S.LinearRegressionOutput(x, name="out"), ROW)],
    "Dropout": [(lambda x: S.Dropout(x, p=0.5), ROW)],
    "Reshape": [
        (lambda x, shape=shape: S.Reshape(x, shape=shape), real(2, 3, 4, 5))
        for shape in ((0, -1), (-1, 5), (0, 0, -1), (-2,), (0, -3, -2), (-4, 1, 2, -2), (0, -4, 3, 1, -2))
    ]
    + [(lambda x: S.Reshape(x, shape=(-1, 0), reverse=True), CUBE)],
    "Flatten": [(S.Flatten, IMAGE)],
    "transpose": [(S.transpose, CUBE), (lambda x: S.transpose(x, axes=(0, 2, 1)), CUBE)],
    "SwapAxis": [(lambda x: S.swapaxes(x, dim1=0, dim2=2), CUBE)],
    "expand_dims": [(lambda x: S.expand_dims(x, axis=1), ROW), (lambda x: S.expand_dims(x, axis=-1), ROW)],
    "squeeze": [(S.squeeze, real(3, 1, 2, 1)), (lambda x: S.squeeze(x, axis=1), real(3, 1, 2))],
    "reshape_like": [(S.reshape_like, real(2, 6), real(3, 4))],
    "Concat": [(lambda x, y: S.Concat(x, y, dim=1), real(2, 3), real(2, 5))],
    "stack": [(lambda x, y: S.stack(x, y, axis=1), ROW, ROW)],
    "SliceChannel": [
        (lambda x: S.Group(list(S.SliceChannel(x, num_outputs=2, axis=1))), IMAGE),
        (lambda x: S.Group(list(S.SliceChannel(x, num_outputs=3, axis=1, squeeze_axis=True))), CUBE),
    ],
    "_split_v2": [
        (lambda x: S.Group(list(S.split_v2(x, (1, 3), axis=1))), ROW),
        (lambda x: S.Group(list(S.split_v2(x, 3, axis=1))), real(2, 6)),
    ],
    "tile": [(lambda x: S.tile(x, reps=(2, 1, 3)), ROW)],
    "repeat": [(lambda x: S.repeat(x, repeats=2, axis=1), CUBE), (lambda x: S.repeat(x, repeats=2), ROW)],
    "reverse": [(lambda x: S.reverse(x, axis=1), CUBE)],
    "Pad": [
        (lambda x: S.Pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 2, 3, 0), constant_value=1.5), IMAGE),
        (lambda x: S.Pad(x, mode="reflect", pad_width=(0, 0, 0, 0, 1, 2, 3, 0)), IMAGE),
        (lambda x: S.Pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 2, 3, 0)), IMAGE),
    ],
    "depth_to_space": [(lambda x: S.depth_to_space(x, block_size=2), real(1, 8, 2, 3))],
    "space_to_depth": [(lambda x: S.space_to_depth(x, block_size=2), real(1, 2, 4, 6))],
    "broadcast_to": [(lambda x: S.broadcast_to(x, shape=(2, 5, 0)), real(2, 1, 3))],
    "broadcast_axis": [(lambda x: S.broadcast_axis(x, axis=1, size=4), real(2, 1, 3))],
    "broadcast_like": [(S.broadcast_like, real(2, 1), ROW[:2])],
    "shape_array": [(S.shape_array, CUBE)],
    "size_array": [(S.size_array, CUBE)],
    "_contrib_arange_like": [(lambda x: S.broadcast_add(x, S.contrib.arange_like(x, axis=1)), ROW)],
    "_ones": [(lambda x: S.broadcast_add(x, S.ones((1, 4))), ROW)],
    "_arange": [(lambda x: S.broadcast_mul(x, S.arange(4)), ROW)],
    "slice": [
        (lambda x: S.slice(x, begin=(0, 1), end=(2, 3)), CUBE),
        (lambda x: S.slice(x, begin=(None, 2, None), end=(None, None, -1), step=(1, -1, 2)), CUBE),
    ],
    "slice_axis": [(lambda x: S.slice_axis(x, axis=-1, begin=1, end=None), CUBE)],
    "slice_like": [(lambda x, y: S.slice_like(x, y, axes=(1,)), real(3, 6), ROW)],
    "Crop": [
        (lambda x: S.Crop(x, offset=(1, 2), h_w=(4, 3)), IMAGE),
        (lambda x: S.Crop(x, h_w=(4, 3), center_crop=True), IMAGE),
    ],
    "Embedding": [(lambda x: S.Embedding(x, input_dim=5, output_dim=3), places(2, 4, high=7))],
    "take": [
        (lambda x, y: S.take(x, y, axis=1), CUBE, places(2, 2, high=6)),
        (lambda x, y: S.take(x, y, mode="wrap"), ROW, places(4, high=9) - 4),
    ],
    "pick": [
        (S.pick, ROW, places(3, high=4)),
        (lambda x, y: S.pick(x, y, axis=1, keepdims=True), CUBE, places(2, 4, high=3)),
    ],
    "batch_take": [(lambda x, y: S.batch_take(x, S.cast(y, "int32")), ROW, places(3, high=4))],
    "gather_nd": [(S.gather_nd, CUBE, places(2, 5, high=2))],
    "one_hot": [(lambda x: S.one_hot(x, depth=4, on_value=2), places(2, 3) - 1)],
    "where": [
        (lambda x, y: S.where(x > y, x, y), ROW, real(3, 4)),
        (lambda x, y: S.where(x, y, y * 2), places(3, high=2), ROW),
    ],
    "topk": [
        (lambda x: S.Group(list(S.topk(x, k=2, ret_typ="both"))), ROW),
        (lambda x: S.topk(x, k=2, is_ascend=True, axis=0), ROW),
    ],
    "sort": [(lambda x: S.sort(x, axis=1), ROW)],
    "argsort": [(lambda x: S.argsort(x, axis=0), ROW)],
    "SequenceMask": [
        (lambda x, y: S.SequenceMask(x, y, use_sequence_length=True, value=-1), real(4, 2, 3), places(2) + 1),
    ],
    "SequenceLast": [
        (lambda x, y: S.SequenceLast(x, y, use_sequence_length=True), real(4, 2, 3), places(2, high=4) + 1)
    ],
    "SequenceReverse": [
        (lambda x, y: S.SequenceReverse(x, y, use_sequence_length=True), real(4, 2, 3), places(2, high=4) + 1),
        (S.SequenceReverse, real(4, 2, 3)),
    ],
    "dot": [
        (S.dot, ROW, real(4, 5)),
        (lambda x, y: S.dot(x, y, transpose_b=True), ROW, real(5, 4)),
        (S.dot, CUBE, real(4, 2, 3)),
        (S.dot, real(4), real(4)),
    ],
    "batch_dot": [(lambda x, y: S.batch_dot(x, y, transpose_b=True), CUBE, real(2, 5, 4))],
    "_linalg_gemm2": [(lambda x, y: S.linalg.gemm2(x, y, transpose_a=True, alpha=2.0), CUBE, real(2, 3, 5))],
    "_contrib_div_sqrt_dim": [(S.contrib.div_sqrt_dim, ROW)],
    "_contrib_interleaved_matmul_selfatt_qk": [
        (lambda x: S.contrib.interleaved_matmul_selfatt_qk(x, heads=2), real(3, 2, 24)),
    ],
    "_contrib_interleaved_matmul_selfatt_valatt": [
        (lambda x, y: S.contrib.interleaved_matmul_selfatt_valatt(x, y, heads=2), real(3, 2, 24), real(4, 3, 3)),
    ],
    "sum": [
        (lambda x: S.sum(x, axis=1), CUBE),
        (S.sum, CUBE),
        (lambda x: S.sum(x, axis=1, exclude=True, keepdims=True), CUBE),
    ],
    **{
        kind: [
            (lambda x, kind=kind: getattr(S, kind)(x, axis=(0, 2)), CUBE),
            (lambda x, kind=kind: getattr(S, kind)(x), ROW),
        ]
        for kind in ("mean", "max", "min", "prod")
    },
    "norm": [(lambda x: S.norm(x, axis=1), CUBE), (lambda x: S.norm(x, ord=1, axis=1, keepdims=True), CUBE)],
    "argmax": [(lambda x: S.argmax(x, axis=1), ROW), (lambda x: S.argmax(x, axis=0, keepdims=True), ROW)],
    "argmin": [(lambda x: S.argmin(x, axis=1), ROW)],
    "argmax_channel": [(S.argmax_channel, ROW)],
    "_np_cumsum": [(lambda x: S.cumsum(x, axis=1), ROW)],
    "clip": [(lambda x: S.clip(x, -0.5, 0.7), ROW)],
    "Cast": [(lambda x: S.cast(x, "int32"), ROW)],
    "smooth_l1": [(lambda x: S.smooth_l1(x, scalar=1.5), ROW)],
    "add_n": [(lambda x, y: S.add_n(x, y, x), ROW, real(3, 4))],
    "RNN": [
        (
            lambda x, mode=mode, both=both: S.RNN(
                x,
                mode=mode,
                state_size=4,
                num_layers=2,
                bidirectional=both,
                state=S.zeros((4 if both else 2, 3, 4)),
                **({"state_cell": S.zeros((4 if both else 2, 3, 4))} if mode == "lstm" else {}),
                name="rnn",
            ),
            real(5, 3, 2),
        )
        for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu")
        for both in (False, True)
    ],
}
UNARY = (
    *("abs", "negative", "sign", "ceil", "floor", "exp", "log", "sqrt", "reciprocal", "erf", "sin", "cos", "tan"),
    *("arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arctanh", "relu", "sigmoid", "softsign"),
    *("square", "rsqrt", "cbrt", "rcbrt", "log2", "log10", "log1p", "expm1", "degrees", "radians", "trunc", "fix"),
    *("round", "rint", "logical_not", "zeros_like", "ones_like", "log_softmax", "softmin", "hard_sigmoid"),
    *("BlockGrad", "MakeLoss", "identity"),
)
BINARY = ("add", "sub", "mul", "div", "mod", "power", "maximum", "minimum", "hypot")
COMPARED = ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
SCALAR = {
    "_plus_scalar": lambda x: x + 2,
    "_minus_scalar": lambda x: x - 2,
    "_rminus_scalar": lambda x: 2 - x,
    "_mul_scalar": lambda x: x * 2,
    "_div_scalar": lambda x: x / 2,
    "_rdiv_scalar": lambda x: 2 / x,
    "_power_scalar": lambda x: x**2,
    "_rpower_scalar": lambda x: S._internal._rpower_scalar(x, scalar=2.0),
    "_mod_scalar": lambda x: x % 0.7,
    "_rmod_scalar": lambda x: S._internal._rmod_scalar(x, scalar=2.0),
    "_maximum_scalar": lambda x: S.maximum(x, 0.5),
    "_minimum_scalar": lambda x: S.minimum(x, 0.5),
    "_greater_scalar": lambda x: x > 0.5,
    "_lesser_equal_scalar": lambda x: x <= 0.5,
    "_equal_scalar": lambda x: x == 0.5,
    "_logical_and_scalar": lambda x: S._internal._logical_and_scalar(x, scalar=1.0),
}
CASES.update({name: [(lambda x, name=name: getattr(S, name)(x), POSITIVE)] for name in UNARY})
CASES["arccosh"] = [(S.arccosh, POSITIVE + 1)]
CASES["trunc"].append((S.trunc, ROW))
CASES["round"].append((S.round, np.array([-2.5, -1.5, -0.4, 0.5, 1.5, 2.4], np.float32)))
CASES["rint"].append((S.rint, np.array([-2.5, -1.5, -0.4, 0.5, 1.5, 2.4], np.float32)))
for _name in (*BINARY, *COMPARED, *LOGICAL):
    _pair = (POSITIVE, real(1, 4, low=0.2, high=0.9))
    CASES[f"broadcast_{_name}"] = [(lambda x, y, name=_name: getattr(S, f"broadcast_{name}")(x, y), *_pair)]
CASES["broadcast_mod"].append((S.broadcast_mod, ROW, real(1, 4)))
for _name in ("add", "sub", "mul", "div"):
    CASES[f"elemwise_{_name}"] = [(lambda x, y, name=_name: getattr(S, f"elemwise_{name}")(x, y), ROW, POSITIVE)]
CASES.update({name: [(make, POSITIVE)] for name, make in SCALAR.items()})

N = S._internal
for _name in ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", *LOGICAL, "hypot", "mod"):
    CASES[f"_{_name}"] = [(lambda x, y, name=_name: getattr(N, f"_{name}")(x, y), POSITIVE, POSITIVE[::-1].copy())]
    CASES[f"_{_name}_scalar"] = [(lambda x, name=_name: getattr(N, f"_{name}_scalar")(x, scalar=0.5), POSITIVE)]
for _name in ("maximum", "minimum", "power"):
    CASES[f"_{_name}"] = [(lambda x, y, name=_name: getattr(N, f"_{name}")(x, y), POSITIVE, POSITIVE[::-1].copy())]
CASES.update(
    {
        "_grad_add": [(N._grad_add, ROW, POSITIVE)],
        "_full": [(lambda x: S.broadcast_add(x, S.full((1, 4), 2.5)), ROW)],
        "_square_sum": [(lambda x: N._square_sum(x, axis=1), ROW)],
        "_linalg_gemm": [
            (lambda x, y: S.linalg.gemm(x, y, x, transpose_b=True, alpha=2.0, beta=0.5), real(3, 3), real(3, 3))
        ],
        "_contrib_SyncBatchNorm": [(lambda x: S.contrib.SyncBatchNorm(x, key="k", fix_gamma=False), IMAGE)],
        "_contrib_BatchNormWithReLU": [(S.contrib.BatchNormWithReLU, IMAGE)],
        "_contrib_SparseEmbedding": [
            (lambda x: S.contrib.SparseEmbedding(x, input_dim=5, output_dim=3), places(2, 4)),
        ],
        "_contrib_interleaved_matmul_encdec_qk": [
            (lambda x, y: S.contrib.interleaved_matmul_encdec_qk(x, y, heads=2), real(3, 2, 8), real(5, 2, 16)),
        ],
        "_contrib_interleaved_matmul_encdec_valatt": [
            (lambda x, y: S.contrib.interleaved_matmul_encdec_valatt(x, y, heads=2), real(5, 2, 16), real(4, 3, 5)),
        ],
        "MAERegressionOutput": [(lambda x: S.MAERegressionOutput(x, name="out"), ROW)],
        "SVMOutput": [(lambda x: S.SVMOutput(x, name="out"), ROW)],
        "make_loss": [(S.make_loss, ROW)],
        "amp_cast": [(lambda x: S.amp_cast(x, dtype="float16"), ROW)],
        "IdentityAttachKLSparseReg": [(S.IdentityAttachKLSparseReg, POSITIVE)],
        "BatchNorm_v1": [(lambda x: S.BatchNorm_v1(x, fix_gamma=False), IMAGE)],
        "Convolution_v1": [(lambda x: S.Convolution_v1(x, kernel=(3, 3), num_filter=2), IMAGE)],
        "Pooling_v1": [
            (
                lambda x, way=way: S.Pooling_v1(
                    x, kernel=(2, 2), stride=(2, 2), pad=(1, 1), pool_type="avg", pooling_convention=way
                ),
                IMAGE,
            )
            for way in ("valid", "full")
        ],
        "_rnn_param_concat": [(lambda x, y: N._rnn_param_concat(x, y, dim=0), real(3), real(4))],
        "_zeros_without_dtype": [(lambda x: S.broadcast_add(x, N._zeros_without_dtype(shape=(1, 4))), ROW)],
    }
)

ALL = [pytest.param(*case, id=f"{name}-{number}") for name, cases in CASES.items() for number, case in enumerate(cases)]


def network(make: Any, arrays: tuple[np.ndarray, ...]) -> tuple[Any, dict[str, np.ndarray]]:
    names = ["x", "y"][: len(arrays)]
    with mx.name.NameManager():
        return make(*[S.var(name) for name in names]), dict(zip(names, arrays, strict=True))


@pytest.mark.parametrize("case", [param.values for param in ALL], ids=[param.id for param in ALL])
@pytest.mark.sample(one_in=4)
def test_same_numbers(case: Case, tmp_path):
    make, *arrays = case
    symbol, feeds = network(make, tuple(arrays))
    check(symbol, feeds, tmp_path / "net.onnx")


VARYING = (
    *("Convolution", "FullyConnected", "Pooling", "BatchNorm", "LayerNorm", "InstanceNorm", "GroupNorm", "LRN"),
    *("L2Normalization", "LeakyReLU", "softmax", "SoftmaxActivation", "SoftmaxOutput", "Flatten", "expand_dims", "Pad"),
    *("SliceChannel", "slice_axis", "Embedding", "mean", "argmax", "clip", "UpSampling", "one_hot"),
    *("_contrib_BilinearResize2D", "Deconvolution", "_plus_scalar", "zeros_like", "shape_array", "depth_to_space"),
)


@pytest.mark.parametrize("name", VARYING)
def test_the_batch_may_vary(name: str, tmp_path):
    make, *arrays = CASES[name][0]
    symbol, feeds = network(make, tuple(arrays))
    check(symbol, feeds, tmp_path / "net.onnx", [(None, *array.shape[1:]) for array in arrays])


def test_recurrent_networks_with_varying_time_and_batch(tmp_path):
    zeros = [S.zeros((2, 0, 4)) for _ in range(2)]
    symbol = S.RNN(S.var("x"), None, *zeros, mode="lstm", state_size=4, num_layers=2, name="rnn")
    check(symbol, {"x": real(5, 3, 2)}, tmp_path / "net.onnx", [(None, None, 2)])


def test_recurrent_networks_with_states(tmp_path):
    parts = S.RNN(
        S.var("x"),
        state=S.var("h"),
        state_cell=S.var("c"),
        mode="lstm",
        state_size=4,
        num_layers=2,
        state_outputs=True,
        name="rnn",
    )
    feeds = {"x": real(5, 3, 2), "h": real(2, 3, 4), "c": real(2, 3, 4)}
    symbol = S.Group(list(parts))
    ordered = {name: feeds[name] for name in symbol.list_arguments() if name in feeds}
    check(symbol, ordered, tmp_path / "net.onnx")


def test_every_translation_has_a_case():
    used = set()
    for cases in CASES.values():
        for make, *arrays in cases:
            used |= {node.op_name for node in in_order(network(make, tuple(arrays))[0]._heads)}
    assert set(get_operator_support()) - used == set()


def test_the_table_is_listed():
    assert {"Convolution", "RNN", "softmax"} <= set(get_operator_support())
    assert get_operator_support() == sorted(get_operator_support())
