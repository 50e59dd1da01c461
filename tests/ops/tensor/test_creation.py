"""Operators that make arrays: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input

_internal = mx.nd._internal


@pytest.mark.parametrize(("flag", "dtype"), [(-1, "float32"), (1, "float64"), (4, "int32"), (7, "bool")])
def test_zeros_without_dtype(flag: int, dtype: str) -> None:
    """MXNet's own Python refuses the number, saved graphs contain it."""
    made = _internal._zeros_without_dtype(shape=(2, 3), dtype=flag)
    assert (made.shape, np.dtype(made.dtype)) == ((2, 3), np.dtype(dtype))
    assert not made.asnumpy().any()


def test_arange_of_float16() -> None:
    """MXNet makes zeros of it when start or step has a fraction."""
    made = _internal._arange(start=0.5, stop=3000, step=1, dtype="float16")
    np.testing.assert_array_equal(made.asnumpy(), np.arange(0.5, 3000).astype("float16"))


def test_bad_input() -> None:
    check_bad_input(lambda: _internal._zeros(shape=(0, 2)), "expected positive lengths", OpShapeError)
    check_bad_input(lambda: _internal._zeros_without_dtype(shape=(2,), dtype=99), "dtype=99", OpParamError)
    check_bad_input(lambda: _internal._arange(start=3, stop=1), "leads from start to stop", OpParamError)
    check_bad_input(lambda: _internal._arange(start=3, stop=5, repeat=0), "repeat=0", OpParamError)
    check_bad_input(lambda: _internal._linspace(start=0, stop=1, num=-1), "num=-1", OpParamError)
    check_bad_input(lambda: _internal._linspace(start=0, stop=1, num=3, step=2), "have no use here", OpParamError)
    check_bad_input(lambda: _internal._eye(N=-1), "number of rows", OpParamError)
