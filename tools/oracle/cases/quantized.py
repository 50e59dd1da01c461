"""Cases of operators on quantized arrays, as oneDNN computes them in MXNet's CPU build.

The limits are powers of two where exact equality would otherwise hang on the order of multiplications in float32.
quantized_elemwise_mul cannot be called from Python there. Recurrent networks stay in the lower half of uint8, where the
sums of two products that old processors make cannot overflow 16 bits.
"""

import numpy as np

from ..case import Input, array, case, integers, uniform


def _int8(*shape: int, low: int = -128, high: int = 128) -> object:
    return integers(*shape, low=low, high=high, dtype="int8")


def _uint8(*shape: int, high: int = 256) -> object:
    return integers(*shape, low=0, high=high, dtype="uint8")


def _two_layers(state_size: int) -> Input:
    """Parameters for data as wide as the state. MXNet scales all weights by the first layer: those are larger here."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        weights = state.uniform(-1, 1, (2, 8 * state_size**2)) * [[1], [0.2]]
        return np.concatenate([weights.ravel(), state.uniform(-1, 1, 16 * state_size)]).astype("float32")

    return Input(draw)


def _limits(*values: float) -> list:
    return [array([value]) for value in values]


_CONV, _POOL = "_contrib_quantized_conv", "_contrib_quantized_pooling"
_FC, _ADD, _BN = (
    "_contrib_quantized_fully_connected",
    "_contrib_quantized_elemwise_add",
    "_contrib_quantized_batch_norm",
)
_CONCAT, _RNN = "_contrib_quantized_concat", "_contrib_quantized_rnn"
_EMBEDDING = "_contrib_quantized_embedding"
_NORMAL = [uniform(2, low=0.2, high=2), uniform(2), uniform(2), uniform(2, low=0.2, high=2)]

CASES = [
    case(_FC, _int8(2, 5), _int8(3, 5), _int8(3), *_limits(-1, 1, -2, 2, -3, 3), num_hidden=3, grad=False),
    case(_FC, _uint8(2, 5), _int8(3, 5), *_limits(0, 1.5, -2, 0.5), num_hidden=3, no_bias=True, grad=False),
    case(
        _FC,
        _uint8(2, 3, 4),
        _int8(3, 4),
        _int8(3),
        *_limits(0, 1, -2, 2, -3, 3),
        num_hidden=3,
        flatten=False,
        grad=False,
    ),
    case(_FC, _int8(2, 3, 4), _int8(2, 12), _int8(2), *_limits(-1, 1, -2, 2, -1, 3), num_hidden=2, grad=False),
    case(_FC, _int8(2, 5), _int8(3, 4), _int8(3), *_limits(-1, 1, -2, 2, -3, 3), num_hidden=3, error=True),
    case(_FC, uniform(2, 5), _int8(3, 5), _int8(3), *_limits(-1, 1, -2, 2, -3, 3), num_hidden=3, error=True),
    case(_FC, _int8(2, 5), _int8(3, 5), *_limits(-1, 1, -2, 2), num_hidden=3, error=True),
    case(
        _CONV,
        _uint8(2, 3, 4, 5),
        _int8(2, 3, 3, 2),
        _int8(2),
        *_limits(-1, 1, -2, 2, -3, 3),
        kernel=(3, 2),
        num_filter=2,
        grad=False,
    ),
    case(
        _CONV,
        _uint8(1, 2, 6, 5),
        _int8(4, 2, 2, 2),
        *_limits(0, 1, -0.5, 2),
        kernel=(2, 2),
        stride=(2, 1),
        pad=(1, 0),
        dilate=(1, 2),
        num_filter=4,
        no_bias=True,
        layout="NCHW",
        grad=False,
    ),
    case(
        _CONV,
        _uint8(1, 2, 4, 4),
        _int8(2, 1, 1, 1),
        *_limits(0, 1, -1, 1),
        kernel=(1, 1),
        num_filter=2,
        num_group=3,
        no_bias=True,
        error=True,
    ),
    case(
        _CONV,
        _uint8(1, 4, 4, 2),
        _int8(2, 1, 1, 2),
        *_limits(0, 1, -1, 1),
        kernel=(1, 1),
        num_filter=2,
        layout="NHWC",
        no_bias=True,
        error=True,
    ),
    case(_POOL, _int8(2, 2, 4, 5), *_limits(-1, 1), kernel=(2, 3), grad=False),
    case(_POOL, _int8(1, 2, 4, 4), *_limits(-1, 1), kernel=(2, 2), pad=(1, 1), pool_type="avg", grad=False),
    case(
        _POOL,
        _int8(1, 2, 4, 4),
        *_limits(-1, 1),
        kernel=(2, 2),
        pad=(1, 1),
        pool_type="avg",
        count_include_pad=False,
        grad=False,
    ),
    case(
        _POOL,
        _uint8(1, 2, 4, 4),
        *_limits(0, 1),
        kernel=(2, 2),
        stride=(3, 3),
        pool_type="avg",
        pooling_convention="full",
        grad=False,
    ),
    case(_POOL, _uint8(1, 3, 3, 3), *_limits(0, 2), pool_type="avg", kernel=(2, 2), global_pool=True, grad=False),
    case(_POOL, _int8(1, 1, 2, 4, 4), *_limits(-1, 1), kernel=(2, 2, 2), grad=False),
    case(_POOL, _int8(1, 1, 4, 4), *_limits(-1, 1), kernel=(2, 2), pool_type="sum", error=True),
    case(_POOL, _int8(1, 4, 4), *_limits(-1, 1), kernel=(2,), error=True),
    case(_POOL, uniform(1, 1, 4, 4), *_limits(-1, 1), kernel=(2, 2), error=True),
    case("_contrib_quantized_act", _int8(3, 4), *_limits(-1, 1), act_type="relu", grad=False),
    case("_contrib_quantized_act", _uint8(8), *_limits(0, 1), act_type="relu", grad=False),
    case("_contrib_quantized_act", _int8(3), *_limits(-1, 1), act_type="tanh", error=True),
    case("_contrib_quantized_act", uniform(3), *_limits(-1, 1), act_type="relu", error=True),
    case("_contrib_quantized_flatten", _int8(2, 3, 4), *_limits(-1, 1), grad=False),
    case("_contrib_quantized_flatten", _uint8(2, 1, 2, 2), *_limits(0, 1), grad=False),
    case("_contrib_quantized_flatten", _int8(2, 3), array([1, 2]), array([1]), error=True),
    case(_EMBEDDING, array([[0, 9], [-1, 1]]), _int8(3, 2), *_limits(-1, 1), input_dim=3, output_dim=2, grad=False),
    case(_EMBEDDING, array([2, 0], "int32"), _int8(3, 4), *_limits(-2, 1), input_dim=3, output_dim=4, grad=False),
    case(_EMBEDDING, array([2, 0]), _uint8(3, 4), *_limits(-2, 1), input_dim=3, output_dim=4, error=True),
    case(_CONCAT, _int8(2, 3), _int8(2, 1), *_limits(-1, 1, -2, 1), num_args=2, grad=False),
    case(_CONCAT, _int8(2, 3), _int8(1, 3), *_limits(-1, 1, -1, 1), num_args=2, dim=0, grad=False),
    case(_CONCAT, _int8(1, 2), _uint8(1, 3), _int8(1, 2), *_limits(-1, 1, 0, 2, -4, 1), num_args=3, grad=False),
    case(_CONCAT, _int8(2, 3), _int8(1, 3), *_limits(-1, 1, -1, 1), num_args=2, dim=1, error=True),
    case(_CONCAT, uniform(2, 3), _int8(2, 3), *_limits(-1, 1, -1, 1), num_args=2, error=True),
    case(_ADD, _int8(3, 4), _int8(3, 4), *_limits(-1, 1, -2, 2), min_calib_range=-1.0, max_calib_range=1.0, grad=False),
    case(_ADD, _uint8(5), _uint8(5), *_limits(0, 1, 0, 2), min_calib_range=0.0, max_calib_range=4.0, grad=False),
    case(_ADD, _int8(9), _uint8(9), *_limits(-1, 1, 0, 2), min_calib_range=-2.0, max_calib_range=4.0, grad=False),
    case(_ADD, _int8(2, 3), _int8(2, 3), *_limits(-1, 1, -1, 1), grad=False),
    case(_ADD, _int8(3), _int8(1), *_limits(-1, 1, -2, 2), error=True),
    case(_ADD, uniform(3), _int8(3), *_limits(-1, 1, -2, 2), error=True),
    case(_BN, _int8(2, 2, 3, 3), *_NORMAL, *_limits(-1, 1), min_calib_range=-3.0, max_calib_range=2.0, grad=False),
    case(
        _BN,
        _uint8(2, 2, 3, 3),
        *_NORMAL,
        *_limits(0, 2),
        eps=0.5,
        fix_gamma=False,
        min_calib_range=-1.0,
        max_calib_range=3.0,
        grad=False,
    ),
    case(_BN, _int8(5, 2), *_NORMAL, *_limits(-1, 1), min_calib_range=-1.0, max_calib_range=2.0, grad=False),
    case(_BN, _int8(2, 2, 3, 3), *_NORMAL, *_limits(-1, 1), error=True),
    case(
        _RNN,
        _uint8(3, 2, 4, high=128),
        uniform(4 * 5 * (4 + 5 + 2)),
        uniform(1, 2, 5),
        uniform(1, 2, 5),
        *_limits(50, 64),
        state_size=5,
        num_layers=1,
        mode="lstm",
        grad=False,
    ),
    case(
        _RNN,
        _uint8(4, 3, 2, high=128),
        uniform(4 * 3 * (2 + 3 + 2)),
        uniform(1, 3, 3),
        uniform(1, 3, 3),
        *_limits(60, 64),
        state_size=3,
        num_layers=1,
        mode="lstm",
        state_outputs=True,
        grad=False,
        tolerance=(1e-4, 1e-5),
    ),
    case(
        _RNN,
        _uint8(3, 2, 4, high=128),
        uniform(2 * 4 * 5 * (4 + 5 + 2)),
        uniform(2, 2, 5),
        uniform(2, 2, 5),
        *_limits(50, 64),
        state_size=5,
        num_layers=1,
        bidirectional=True,
        mode="lstm",
        grad=False,
    ),
    case(
        _RNN,
        _uint8(3, 2, 4, high=128),
        _two_layers(4),
        uniform(2, 2, 4),
        uniform(2, 2, 4),
        *_limits(50, 64),
        state_size=4,
        num_layers=2,
        mode="lstm",
        grad=False,
    ),
    case(
        _RNN,
        _uint8(3, 2, 4, high=128),
        uniform(3 * 5 * (4 + 5 + 2)),
        uniform(1, 2, 5),
        uniform(1, 2, 5),
        *_limits(50, 64),
        state_size=5,
        num_layers=1,
        mode="gru",
        error=True,
    ),
]
