"""Numbers converted to dtypes as C does it, in every way a program can meet one."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from regluon.ops.precision import as_float, as_integer, fitted, number, single


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1e300, torch.float16, math.inf),
        (-1e5, torch.float16, -math.inf),
        (65519.0, torch.float16, 65504.0),
        (65520.0, torch.float16, math.inf),
        (1e-8, torch.float16, 0.0),
        (0.1, torch.float16, float(np.float16(0.1))),
        (1e39, torch.float32, math.inf),
        (0.1, torch.float32, 0.1),
        (1e300, torch.float64, 1e300),
        (1e39, torch.bfloat16, math.inf),
        (1.01, torch.bfloat16, 1.0078125),
    ],
)
def test_floats(value: float, dtype: torch.dtype, expected: float) -> None:
    assert as_float(value, dtype) == expected


def test_not_a_number_stays() -> None:
    assert all(math.isnan(as_float(math.nan, dtype)) for dtype in (torch.float16, torch.float32, torch.bfloat16))


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (2.9, torch.int32, 2),
        (-2.9, torch.int32, -2),
        (300, torch.uint8, 44),
        (-300, torch.int8, -44),
        (3e9, torch.int32, -(2**31)),
        (3e9, torch.int8, 0),
        (math.nan, torch.int64, -(2**63)),
        (math.inf, torch.uint8, 0),
    ],
)
def test_integers(value: float, dtype: torch.dtype, expected: int) -> None:
    assert as_integer(value, dtype) == expected


def test_bools_compare_with_zero() -> None:
    assert fitted(0.5, torch.bool) is True
    assert fitted(0.0, torch.bool) is False


def test_single_precision() -> None:
    assert single(0.1) == float(np.float32(0.1))
    assert single(-1e300) == -math.inf


def test_number_is_an_array_without_axes() -> None:
    made = number(1e5, torch.float16, torch.device("cpu"))
    assert made.shape == ()
    assert made.item() == math.inf


def _assigned(key: Any) -> Callable[[Any], Any]:
    def write(x: Any) -> Any:
        x = x.copy()
        x[key] = 1e300
        return x

    return write


_WRITES = (slice(0, 1), slice(None), 0)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("write", [_assigned(key) for key in _WRITES], ids=map(str, _WRITES))
def test_assigned_number_beyond_the_dtype_is_infinite(write: Callable[[Any], Any], dtype: str) -> None:
    for made in (nd.ones((2, 2), dtype=dtype), mx.np.ones((2, 2), dtype=dtype)):
        assert write(made).asnumpy()[0, 0] == np.inf


class _Attention(mx.gluon.HybridBlock):
    """What attention layers do in half precision."""

    def hybrid_forward(self, F: Any, x: Any, valid_length: Any) -> Any:
        masked = F.SequenceMask(x, valid_length, use_sequence_length=True, value=-1e18, axis=1)
        return F.softmax(F.maximum(F.clip(masked * 1.0, -1e30, 1e30), -1e30), axis=1)


def test_masks_of_attention_in_half_precision() -> None:
    x, lengths = nd.array([[1, 2, 3], [3, 1, 2]], dtype="float16"), nd.array([2, 3])
    net = _Attention()
    eager = net(x, lengths)
    net.hybridize()
    for _ in range(4):
        hybridized = net(x, lengths)
    assert eager.dtype == np.float16
    assert eager.asnumpy()[0, 2] == 0
    np.testing.assert_array_equal(eager.asnumpy(), hybridized.asnumpy())
    data, steps = mx.sym.var("data"), mx.sym.var("steps")
    bound = _Attention()(data, steps).bind(mx.cpu(), {"data": x, "steps": lengths})
    np.testing.assert_array_equal(bound.forward()[0].asnumpy(), eager.asnumpy())


class _Scaled(mx.gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.clip(x * 1e-8 + 0.1, 0.1, 0.7)


def test_gradients_compiled_as_eager() -> None:
    """1e-8 is 0 in half precision, and an element at the end of the interval is compared before it is rounded."""
    x = nd.array([100, 0, -3], dtype="float16")
    x.attach_grad()
    net, found = _Scaled(), []
    for is_hybrid in (False, True, True, True):
        if is_hybrid:
            net.hybridize()
        with mx.autograd.record():
            y = net(x)
        y.backward()
        found.append((y.asnumpy().tolist(), x.grad.asnumpy().tolist()))
    assert all(each == found[0] for each in found)
    assert found[0][1] == [0, 0, 0]


def test_refused_scalars_name_the_parameter() -> None:
    with pytest.raises(mx.base.MXNetError, match=r"\[clip\] parameter a_min: received 'low'"):
        nd.clip(nd.ones(2), "low", 1)


@pytest.mark.parametrize("symbol", ["*", "/", "+", "-"])
@pytest.mark.parametrize("scalar", [1e18, 70000.0, -1e300, 1e-8])
def test_arithmetic_in_half_precision_is_the_operator(symbol: str, scalar: float) -> None:
    """Whatever kernels there are: 0 times a number that is infinite in half precision is no number."""
    name = {"*": "_mul_scalar", "/": "_div_scalar", "+": "_plus_scalar", "-": "_minus_scalar"}[symbol]
    x = nd.array([1, 0, -3, 60000], dtype="float16")
    written = eval(f"x {symbol} scalar", {"x": x, "scalar": scalar})
    called = getattr(nd._internal, name)(x, scalar=scalar)
    np.testing.assert_array_equal(written.asnumpy(), called.asnumpy())
    if (symbol, scalar) == ("*", 1e18):
        np.testing.assert_array_equal(written.asnumpy(), np.array([np.inf, np.nan, -np.inf, np.inf], "float16"))


def test_sparse_arrays_are_filled_with_what_their_dtype_holds() -> None:
    rows = nd.array([[1], [0], [3]], dtype="float16").tostype("row_sparse")
    rows[:] = -1e300
    assert rows.asnumpy().tolist() == [[-math.inf]] * 3


def test_numbers_below_single_precision_are_zero_to_it() -> None:
    assert as_float(1e-50, torch.float32) == 0.0
    assert as_float(-1e-50, torch.float32) == 0.0
    assert as_float(1e-50, torch.float64) == 1e-50
    assert as_float(1e-40, torch.float32) == float(np.float32(1e-40))
