"""Products and linear algebra of mx.np: factors, gradients that MXNet gets wrong, refusals."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.base import MXNetError
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

internal, op = mx.nd.numpy._internal, mx.nd.numpy._op


@pytest.fixture(autouse=True)
def _numpy_shapes():
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float64"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


def _draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


def _check_gradient(function, *values):
    """Compares with differences of the function."""
    arrays = [_array(value) for value in values]
    for each in arrays:
        each.attach_grad()
    with mx.autograd.record():
        result = function(*arrays)
    head = _draw(*result.shape, seed=9)
    result.backward(_array(head))
    for position, value in enumerate(values):
        expected = np.zeros_like(value)
        for place in np.ndindex(*value.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = value.copy()
                moved[place] += step
                inputs = [_array(moved if i == position else other) for i, other in enumerate(values)]
                ends.append((function(*inputs).asnumpy() * head).sum())
            expected[place] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(arrays[position].grad.asnumpy(), expected, atol=1e-6)


def test_gradients_of_stretched_axes():
    _check_gradient(internal.matmul, _draw(2, 1, 2, 3), _draw(4, 3, 2))
    _check_gradient(lambda a, b: internal.einsum(a, b, subscripts="ij,ij->ij"), _draw(1, 3), _draw(2, 3))
    _check_gradient(lambda a, b: internal.einsum(a, b, subscripts="...i,...i->..."), _draw(1, 3), _draw(2, 3))


def test_gradients_of_matrix_norms():
    for order in (1, -1, 2, -2):
        _check_gradient(lambda x, order=order: internal.norm(x, ord=order, axis=(0, 2), flag=-1), _draw(2, 3, 3))


def test_gradients_of_solutions():
    _check_gradient(internal.solve, _draw(2, 3, 3), _draw(2, 3))
    _check_gradient(internal.solve, _draw(3, 3), _draw(3))


def test_numbers_multiply():
    assert op.dot(_array(2.0), _array(3.0)).shape == ()
    np.testing.assert_array_equal(op.dot(_array([[1.0, 2.0]]), _array(3.0)).asnumpy(), [[3, 6]])
    np.testing.assert_array_equal(op.dot(_array(3.0), _array([1.0, 2.0])).asnumpy(), [3, 6])
    _check_gradient(op.dot, np.array(2.0), _draw(3))
    np.testing.assert_array_equal(internal.einsum(_array(2.0), _array([1, 2]), subscripts=",i").asnumpy(), [2, 4])
    assert internal.norm(_array(-3.0), flag=-2).asnumpy() == 3
    assert internal.tensorsolve(_array(4.0), _array(2.0)).asnumpy() == 0.5


def test_dot_like_numpy():
    for left, right in (
        ((3,), (4, 3, 2)),
        ((2, 3), (5, 4, 3, 2)),
        ((2, 2, 3), (3,)),
        ((0,), (0,)),
        ((2, 0), (3, 0, 2)),
    ):
        result = op.dot(_array(_draw(*left)), _array(_draw(*right, seed=1)))
        np.testing.assert_allclose(result.asnumpy(), np.dot(_draw(*left), _draw(*right, seed=1)), atol=1e-12)


def test_tensordot_int_axes_below_0_counts_as_0():
    result = internal.tensordot_int_axes(_array([1, 2]), _array([1, 2, 3]), axes=-1)
    np.testing.assert_array_equal(result.asnumpy(), np.outer([1, 2], [1, 2, 3]))


def test_einsum_is_no_view():
    x = _array(_draw(2, 3))
    y = internal.einsum(x, subscripts="ij->ji")
    y[:] = 0
    assert (x.asnumpy() == _draw(2, 3)).all()


def test_eig_factors():
    vectors = _draw(2, 4, 4)
    values = vectors @ (np.arange(1, 5)[:, None] * np.linalg.inv(vectors))
    found, columns = (each.asnumpy() for each in internal.eig(_array(values)))
    np.testing.assert_allclose(values @ columns, columns * found[:, None, :], atol=1e-10)
    np.testing.assert_allclose(np.sort(found), np.tile(np.arange(1, 5), (2, 1)), atol=1e-10)
    np.testing.assert_array_equal(internal.eigvals(_array(values)).asnumpy(), found)


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh_factors_and_signs(triangle):
    values = _draw(3, 5, 5)
    half = np.tril(values) if triangle == "L" else np.triu(values)
    whole = half + half.swapaxes(1, 2) - half * np.eye(5)
    found, columns = (each.asnumpy() for each in internal.eigh(_array(values), UPLO=triangle))
    np.testing.assert_allclose(columns * found[:, None, :] @ columns.swapaxes(1, 2), whole, atol=1e-12)
    np.testing.assert_array_equal(columns.max(1), np.abs(columns).max(1))
    np.testing.assert_allclose(internal.eigvalsh(_array(values), UPLO=triangle).asnumpy(), found, atol=1e-12)


def test_svd_factors_and_signs():
    values = _draw(3, 2, 5)
    left, singular, right = (each.asnumpy() for each in internal.svd(_array(values)))
    np.testing.assert_allclose(left * singular[:, None, :] @ right, values, atol=1e-12)
    np.testing.assert_array_equal(right.max(-1), np.abs(right).max(-1))
    assert [each.shape for each in internal.svd(_array(np.zeros((0, 3))))] == [(0, 0), (0,), (0, 3)]


def test_pinv():
    values = _draw(2, 3, 4)
    for rcond in (1e-15, 0.5):
        result = internal.pinv_scalar_rcond(_array(values), rcond=rcond).asnumpy()
        np.testing.assert_allclose(result, np.linalg.pinv(values, rcond), atol=1e-10)
        result = internal.pinv(_array(values[0]), _array(rcond)).asnumpy()
        np.testing.assert_allclose(result, np.linalg.pinv(values[0], rcond), atol=1e-10)
    assert internal.pinv_scalar_rcond(_array(np.zeros((0, 3)))).shape == (3, 0)


def test_norm_like_numpy():
    values = _draw(3, 4)
    for order, axis in ((1, None), (-1, None), (2, None), (-2, None), (1, (1, 0)), (3, (1,)), (-2, (0,))):
        for keepdims in (False, True):
            result = internal.norm(_array(values), ord=order, axis=axis, keepdims=keepdims, flag=-1)
            along = axis[0] if axis is not None and len(axis) == 1 else axis
            expected = np.linalg.norm(values, ord=order, axis=along, keepdims=keepdims)
            np.testing.assert_allclose(result.asnumpy(), expected)
            assert result.shape == expected.shape


def test_refusals_of_products():
    x, y = _array(_draw(2, 3)), _array(_draw(2, 3))
    check_bad_input(
        lambda: op.dot(x, y), r"\[_np_dot\] .* equal lengths, got shapes \(2, 3\) and \(2, 3\)", OpShapeError
    )
    check_bad_input(lambda: op.dot(x, y.astype("float32")), "one dtype", OpTypeError)
    check_bad_input(lambda: op.dot(_array([1], "int32"), _array([1], "int32")), "floating-point numbers", OpTypeError)
    check_bad_input(lambda: internal.matmul(x, _array(2.0)), "a number multiplies with", OpShapeError)
    check_bad_input(
        lambda: internal.matmul(_array(_draw(2, 3, 3)), _array(_draw(3, 3, 3))), "batches that fit", OpShapeError
    )
    check_bad_input(
        lambda: internal.tensordot(x, y, a_axes_summed=(0, 0), b_axes_summed=(0, 1)), "each once", OpParamError
    )
    check_bad_input(lambda: internal.tensordot_int_axes(x, y, axes=3), "axes=3 for arrays of 2", OpParamError)
    check_bad_input(
        lambda: internal.tensordot(x, y, a_axes_summed=(2,), b_axes_summed=(0,)), "a_axes_summed=2 is out", OpIndexError
    )


def test_refusals_of_einsum():
    x = _array(_draw(2, 3))
    check_bad_input(lambda: internal.einsum(x, subscripts="ij,jk"), "are for 2 arrays; received 1", OpParamError)
    check_bad_input(lambda: internal.einsum(x, subscripts="ijk"), "name 3 axes, but data.0. has 2", OpShapeError)
    check_bad_input(lambda: internal.einsum(x, subscripts="ij->k"), "'k' of the result is not among", OpParamError)
    check_bad_input(lambda: internal.einsum(x, subscripts="i!"), "expected letters", OpParamError)
    check_bad_input(lambda: internal.einsum(x, x, subscripts="ij,jk"), "axis 'j' is 2 long in data.1.", OpShapeError)


def test_refusals_of_linear_algebra():
    x, ones = _array(_draw(2, 3)), _array(np.ones((2, 2)))
    check_bad_input(lambda: internal.cholesky(_array([[1, 2], [2, 1]])), "positive definite", MXNetError)
    check_bad_input(lambda: internal.eigh(x), r"A to be a square matrix .* got shape \(2, 3\)", OpShapeError)
    check_bad_input(lambda: internal.eigvals(_array([[0, 1], [-1, 0]])), "complex eigenvalues", MXNetError)
    check_bad_input(lambda: internal.eig(ones.astype("float16")), "integers, got float16", OpTypeError)
    check_bad_input(lambda: internal.svd(_array(_draw(3, 2))), "at least as wide as high", OpShapeError)
    check_bad_input(lambda: internal.svd(_array([[1]], "int32")), "float32 or float64, got int32", OpTypeError)
    check_bad_input(lambda: internal.solve(ones, ones), "got a singular one", MXNetError)
    check_bad_input(lambda: internal.solve(ones, x[0]), "a matrix or a vector for each matrix", OpShapeError)
    check_bad_input(lambda: internal.pinv(x, _array([0.1])), "expected rcond to be one number", OpShapeError)
    check_bad_input(lambda: internal.tensorinv(x, ind=0), "ind=0; expected at least 1", OpParamError)
    check_bad_input(lambda: internal.tensorinv(x, ind=1), "as many elements as the others", OpShapeError)
    check_bad_input(lambda: internal.tensorinv(ones, ind=1), "got a singular one", MXNetError)
    check_bad_input(lambda: internal.tensorsolve(x, x), "as many unknowns as equations", OpShapeError)
    check_bad_input(lambda: internal.norm(x, ord=3, axis=(0, 1)), "ord=3 for matrices", OpParamError)
    check_bad_input(lambda: internal.norm(x, axis=(1, 1)), "names an axis twice", OpParamError)
    check_bad_input(lambda: internal.norm(x, axis=1, flag=0), "expected the two axes of matrices", OpParamError)
    check_bad_input(lambda: internal.norm(_array(_draw(2, 2, 2)), ord=1), "expected one or two axes", OpParamError)
