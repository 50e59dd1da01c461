"""Products of arrays: what fixtures cannot show."""

import numpy as np

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input


def test_khatri_rao_is_a_kronecker_product_of_columns() -> None:
    values = [np.random.RandomState(i).randn(rows, 3) for i, rows in enumerate((2, 4, 3))]
    result = mx.nd.khatri_rao(*[mx.nd.array(value, dtype="float64") for value in values]).asnumpy()
    for column in range(3):
        expected = np.kron(np.kron(values[0][:, column], values[1][:, column]), values[2][:, column])
        np.testing.assert_allclose(result[:, column], expected, rtol=1e-12)


def test_khatri_rao_takes_a_list_and_num_args() -> None:
    matrices = [mx.nd.ones((2, 3)), mx.nd.ones((4, 3))]
    assert mx.nd.khatri_rao(matrices).shape == (8, 3)
    assert mx.nd.khatri_rao(*matrices, num_args=2).shape == (8, 3)


def test_khatri_rao_of_one_matrix_is_a_copy() -> None:
    matrix = mx.nd.ones((2, 3))
    mx.nd.khatri_rao(matrix)[:] = 4
    np.testing.assert_array_equal(matrix.asnumpy(), 1)


def test_float16_works_on_the_cpu() -> None:
    """MXNet had it on GPUs only."""
    result = mx.nd.dot(mx.nd.ones((2, 3), dtype="float16"), mx.nd.ones((3, 4), dtype="float16"))
    np.testing.assert_array_equal(result.asnumpy(), np.full((2, 4), 3, "float16"))


def test_texts_of_errors() -> None:
    data = mx.nd.ones((2, 3))
    check_bad_input(
        lambda: mx.nd.dot(data, data),
        r"expected the axes summed over to have equal lengths, got 3 and 2 for shapes \(2, 3\) and \(2, 3\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.dot(mx.nd.ones(3), mx.nd.ones(3), transpose_a=True), "vectors cannot be transposed", OpParamError
    )
    check_bad_input(lambda: mx.nd.batch_dot(data, data), "expected two arrays of 3 dimensions or more", OpShapeError)
    check_bad_input(
        lambda: mx.nd.khatri_rao(data, mx.nd.ones((2, 4))),
        r"expected matrices with equally many columns, got shapes \(2, 3\), \(2, 4\)",
        OpShapeError,
    )
