"""Gradients of and through sparse arrays."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from tests.ndarray.sparse.examples import drawn, example


def test_gradients_that_add_up() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad("add", stype="row_sparse")
    for row in (1, 3):
        with autograd.record():
            out = nd.Embedding(nd.array([row, 3]), weight, input_dim=4, output_dim=2, sparse_grad=True)
        out.backward()
    np.testing.assert_array_equal(weight.grad.indices.asnumpy(), [1, 3])
    np.testing.assert_array_equal(weight.grad.data.asnumpy(), [[1, 1], [3, 3]])


def test_a_sparse_gradient_fits_a_dense_buffer() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad()
    with autograd.record():
        out = nd.Embedding(nd.array([3]), weight, input_dim=4, output_dim=2, sparse_grad=True)
    out.backward()
    np.testing.assert_array_equal(weight.grad.asnumpy(), [[0, 0], [0, 0], [0, 0], [1, 1]])


def test_a_computed_weight_passes_gradients_on() -> None:
    weight, rows = nd.ones((4, 2)), nd.array([3, 3])
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        doubled = weight * 2
        out = nd.Embedding(rows, doubled, input_dim=4, output_dim=2, sparse_grad=True)
        out = out.sum() + nd.dot(nd.sparse.csr_matrix(([5], [0], [0, 1]), shape=(1, 4)), doubled).sum()
    out.backward()
    np.testing.assert_array_equal(weight.grad.asnumpy(), [[10, 10], [0, 0], [0, 0], [4, 4]])


def test_sparse_results_are_part_of_the_graph() -> None:
    x = nd.array([[1, 0], [0, 2]])
    x.attach_grad()
    with autograd.record():
        rows = x.tostype("row_sparse")
        out = (rows * rows).tostype("default") * 3
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[6, 0], [0, 12]])
    later = rows + rows  # outside: nothing of the graph stays
    assert later._place is None
    with autograd.record():
        again = rows * 2
    assert again.stype == "row_sparse"


def test_backward_from_a_sparse_array() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = rows * 3
    out.backward(nd.ones((3, 3)).tostype("row_sparse"))
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 3))
    with autograd.record():
        out = rows * 3
    out.detach()
    out.backward()
    with pytest.raises(mx.MXNetError, match="not part of a recorded graph"):
        out.backward()


def test_a_variable_without_gradient_is_zero() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = nd.zeros_like(rows.tostype("default"))
    out.backward()
    assert rows.grad.stype == "row_sparse"
    assert rows.grad.indices.shape == (0,)
    rows.attach_grad("null")
    with autograd.record():
        out = rows * 2
    assert out._place is None


def test_gradients_of_the_sparse_side() -> None:
    for turn in (False, True):
        matrix, right = example("csr"), nd.ones((3, 2))
        matrix.attach_grad(stype="default")
        with autograd.record():
            out = nd.dot(matrix, right, transpose_a=turn, forward_stype="default")
        out.backward()
        np.testing.assert_array_equal(matrix.grad.asnumpy(), np.full((3, 3), 2.0))
    matrix = example("csr")
    matrix.attach_grad()
    with autograd.record():
        out = nd.dot(nd.ones((2, 3)), matrix)
    out.backward()
    np.testing.assert_array_equal(matrix.grad.asnumpy(), np.full((3, 3), 2.0))
    data = example("csr")
    weight = nd.ones((9, 2)).tostype("row_sparse")
    weight.attach_grad()
    with autograd.record():  # sparse indices are looked up in their dense form
        out = nd.Embedding(data, weight, input_dim=9, output_dim=2)
    out.backward()
    assert weight.grad.indices.asnumpy().tolist() == [0]


def test_gradients_through_an_earlier_tape() -> None:
    x = nd.array([[1, 0], [0, 2]])
    x.attach_grad()
    with autograd.record():
        rows = x.tostype("row_sparse") * 2
    with autograd.record():
        out = nd.exp(rows * 0) * 3
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.zeros((2, 2)))


def test_no_gradient_reaches_a_variable_that_adds_up() -> None:
    rows = example("row_sparse")
    rows.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            out = (rows * 2).sum() + nd.BlockGrad(rows.tostype("default")).sum()
        out.backward()
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 4.0))


def test_autograd_takes_sparse_heads_and_variables() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = rows * 2
    autograd.backward([out], [nd.ones((3, 3)).tostype("row_sparse")])
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 2.0))
    weight = nd.ones((4, 2))
    weight.attach_grad()
    with autograd.record():
        out = nd.Embedding(nd.array([3]), weight, input_dim=4, output_dim=2, sparse_grad=True).sum() + (rows * 5).sum()
    for_weight, for_rows = autograd.grad([out], [weight, rows])
    np.testing.assert_array_equal(for_weight.asnumpy(), [[0, 0], [0, 0], [0, 0], [1, 1]])
    np.testing.assert_array_equal(for_rows.asnumpy(), np.full((3, 3), 5.0))


@pytest.mark.parametrize("is_computed", [False, True])
def test_sums_of_squares_of_rows(is_computed: bool) -> None:
    values, matrix = drawn((6, 2), 0.5), drawn((3, 6), 0.5, 1)
    rows = nd.array(values).tostype("row_sparse")
    rows.attach_grad()
    with autograd.record():
        given = nd.sparse.square(rows) if is_computed else rows
        sums = nd._internal._square_sum(given, axis=1, keepdims=True)
        product = nd.dot(nd.array(matrix).tostype("csr"), sums)
    product.backward()
    assert (sums.stype, product.stype, rows.grad.stype) == ("row_sparse", "default", "row_sparse")
    powers = (4, 4 * values**3) if is_computed else (2, 2 * values)
    np.testing.assert_allclose(sums.asnumpy(), (values ** powers[0]).sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(rows.grad.asnumpy(), powers[1] * matrix.sum(0)[:, None], rtol=1e-4, atol=1e-6)
