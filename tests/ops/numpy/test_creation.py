"""Arrays made for mx.np: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input

_npi = mx.nd.numpy._internal


@pytest.mark.parametrize("name", ["hanning", "hamming", "blackman"])
def test_windows_have_full_precision(name: str) -> None:
    """MXNet knows pi to the precision of float32 only."""
    np.testing.assert_allclose(
        getattr(_npi, name)(M=12, dtype="float64").asnumpy(), getattr(np, name)(12), rtol=1e-12, atol=1e-15
    )


def test_arange_of_float16() -> None:
    """MXNet makes zeros of it when start or step has a fraction."""
    made = _npi.arange(start=0, stop=1, step=0.25, dtype="float16")
    np.testing.assert_array_equal(made.asnumpy(), np.arange(0, 1, 0.25, "float16"))


def test_dtype_none_is_the_default() -> None:
    assert _npi.zeros(shape=(2,), dtype=None).dtype == np.float32
    assert _npi.arange(start=2, dtype=None).dtype == np.float32
    assert _npi.indices(dimensions=(2,), dtype=None).dtype == np.int32


def test_full_like_a_scalar() -> None:
    made = _npi.full_like(_npi.zeros(), fill_value=3, dtype="int32")
    assert (made.shape, made.dtype, made.item()) == ((), np.int32, 3)


def test_bad_input() -> None:
    check_bad_input(lambda: _npi.zeros(shape=(-1, 2)), r"shape=\(-1, 2\) is not known", OpShapeError)
    check_bad_input(lambda: _npi.arange(start=2, step=0), "expected a step other than 0", OpParamError)
    check_bad_input(lambda: _npi.arange(start=2, infer_range=True), "the length is not known", OpShapeError)
    check_bad_input(lambda: _npi.logspace(start=0, stop=1, num=-1), "num=-1; expected a number of points", OpParamError)
    check_bad_input(lambda: _npi.eye(N=2, M=-1), "expected numbers of rows and columns", OpParamError)
    check_bad_input(lambda: _npi.identity(shape=(2, 3)), "expected two equal lengths", OpShapeError)
    check_bad_input(lambda: _npi.indices(dimensions=(-1,)), "expected lengths of at least 0", OpParamError)
    check_bad_input(_npi.hanning, "parameter M is required", OpParamError)
