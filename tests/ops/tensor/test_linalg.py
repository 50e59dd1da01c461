"""Linear algebra: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.base import MXNetError
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

linalg = mx.nd.linalg


def _draw(*shape: int) -> np.ndarray:
    return np.random.RandomState(0).randn(*shape)


def _array(values: np.ndarray) -> mx.nd.NDArray:
    return mx.nd.array(values, dtype="float64")


def test_front_end_has_all_functions() -> None:
    for name in linalg.__all__:
        assert getattr(linalg, name).__name__ == name
        assert getattr(linalg, name).__doc__


def test_gelqf_factors() -> None:
    values = _draw(2, 3, 5)
    orthonormal, lower = (each.asnumpy() for each in linalg.gelqf(_array(values)))
    np.testing.assert_allclose(lower @ orthonormal, values, atol=1e-12)
    np.testing.assert_allclose(
        orthonormal @ orthonormal.swapaxes(1, 2), np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-12
    )
    np.testing.assert_array_equal(lower, np.tril(lower))


def test_syevd_factors_and_signs() -> None:
    values = _draw(4, 5, 5)
    values = values + values.swapaxes(1, 2)
    vectors, eigenvalues = (each.asnumpy() for each in linalg.syevd(_array(values)))
    rebuilt = vectors.swapaxes(1, 2) @ (eigenvalues[..., None] * vectors)
    np.testing.assert_allclose(rebuilt, values, atol=1e-12)
    assert (np.diff(eigenvalues) >= 0).all()
    np.testing.assert_array_equal(vectors.max(-1), np.abs(vectors).max(-1))


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 3])
@pytest.mark.parametrize("lower", [True, False])
def test_triangles_there_and_back(offset: int, lower: bool) -> None:
    values = _draw(2, 5, 5)
    is_lower = lower if offset == 0 else offset < 0
    expected = np.tril(values, offset) if is_lower else np.triu(values, offset)
    packed = linalg.extracttrian(_array(values), offset=offset, lower=lower)
    np.testing.assert_array_equal(linalg.maketrian(packed, offset=offset, lower=lower).asnumpy(), expected)


def test_results_own_their_memory() -> None:
    matrix = mx.nd.ones((3, 3))
    linalg.extractdiag(matrix)[:] = 5
    linalg.makediag(matrix)[:] = 5
    np.testing.assert_array_equal(matrix.asnumpy(), 1)


def test_cholesky_factors_by_the_upper_triangle() -> None:
    root = _draw(2, 3, 3)
    matrix = root @ root.swapaxes(-1, -2) + np.eye(3)
    upper = linalg.potrf(_array(np.triu(matrix)), lower=False).asnumpy()
    np.testing.assert_allclose(upper, np.linalg.cholesky(matrix).swapaxes(-1, -2))
    noisy = upper + np.tril(np.full((3, 3), 7.0), -1)
    np.testing.assert_allclose(linalg.potri(_array(noisy), lower=False).asnumpy(), np.linalg.inv(matrix))
    symbol = mx.sym.linalg.potrf(mx.sym.var("A"), lower=False)
    np.testing.assert_allclose(symbol.eval(A=_array(matrix))[0].asnumpy(), upper)


def test_texts_of_errors() -> None:
    wide, square = mx.nd.ones((2, 3)), mx.nd.ones((2, 2))
    check_bad_input(
        lambda: linalg.det(wide),
        r"\[_linalg_det\].*expected A to have square matrices in the last two axes, got 2 x 3",
        OpShapeError,
    )
    check_bad_input(
        lambda: linalg.potrf(mx.nd.ones((2,))),
        r"expected A to be a matrix or a batch of them, got shape \(2,\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: linalg.inverse(square.astype("int32")), "expected A of float32 or float64, got int32", OpTypeError
    )
    check_bad_input(lambda: linalg.inverse(square), "expected invertible matrices, got a singular one", MXNetError)
    check_bad_input(lambda: linalg.potrf(-square), "expected symmetric positive definite matrices", MXNetError)
    check_bad_input(
        lambda: linalg.gemm2(wide, wide), "cannot multiply 2 x 3 matrices with 2 x 3 matrices", OpShapeError
    )
    check_bad_input(
        lambda: linalg.gemm2(mx.nd.ones((2, 2, 3)), mx.nd.ones((1, 3, 2))),
        "expected A and B with equal lengths",
        OpShapeError,
    )
    check_bad_input(lambda: linalg.gemm2(square, square, axis=-1), "axis=-1 cannot hold the rows", OpIndexError)
    check_bad_input(
        lambda: linalg.gemm(square, square, wide), r"expected C of shape \(2, 2\), got \(2, 3\)", OpShapeError
    )
    check_bad_input(lambda: linalg.trsm(square, mx.nd.ones((3, 2))), "with as many rows as that has rows", OpShapeError)
    check_bad_input(
        lambda: linalg.extractdiag(square, offset=2), "offset=2 lies outside of 2 x 2 matrices", OpParamError
    )
    check_bad_input(lambda: linalg.maketrian(mx.nd.ones((4,))), "expected 1, 3, 6, 10, ... elements", OpShapeError)
    check_bad_input(lambda: linalg.gelqf(mx.nd.ones((3, 2))), "at least as wide as high, got 3 x 2", OpShapeError)
