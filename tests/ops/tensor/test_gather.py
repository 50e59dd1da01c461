"""Operators with indices: what fixtures cannot show, most of it because MXNet reads or writes foreign memory there."""

import numpy as np

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

nd = mx.nd


def _matrix() -> mx.nd.NDArray:
    return nd.arange(12).reshape((3, 4))


def test_scatter_set_nd() -> None:
    """MXNet only does it in place."""
    target = _matrix()
    indices = nd.array([[0, 1], [1, 0]])
    returned = nd._internal._scatter_set_nd(target, nd.array([100, 200]), indices, shape=(3, 4), out=target)
    expected = np.arange(12, dtype="float32").reshape(3, 4)
    expected[[0, 1], [1, 0]] = [100, 200]
    assert returned is target
    np.testing.assert_array_equal(target.asnumpy(), expected)


def test_scatter_set_nd_of_rows_leaves_its_input_alone() -> None:
    target = _matrix().astype("int32")
    rows = nd.ones((1, 4), dtype="int32")
    result = nd._internal._scatter_set_nd(target, rows, nd.array([[2]]), shape=(3, 4))
    np.testing.assert_array_equal(result.asnumpy()[2], [1, 1, 1, 1])
    np.testing.assert_array_equal(target.asnumpy()[2], [8, 9, 10, 11])


def test_negative_coordinates_count_from_the_end() -> None:
    data = _matrix()
    data.attach_grad()
    with mx.autograd.record():
        result = nd.gather_nd(data, nd.array([[-1], [-2]]))
    result.backward()
    assert result.asnumpy() == [10]
    assert data.grad.asnumpy()[2, 2] == 1
    scattered = nd.scatter_nd(nd.array([5]), nd.array([[-1], [-2]]), shape=(3, 4))
    assert scattered.asnumpy()[2, 2] == 5


def test_batch_take_of_several_axes() -> None:
    data = nd.arange(12).reshape((2, 2, 3))
    result = nd.batch_take(data, nd.array([[0, 1], [1, 2]], dtype="int32"))
    np.testing.assert_array_equal(result.asnumpy(), [[0, 4], [7, 11]])


def test_histogram_of_many_agrees_with_numpy() -> None:
    values = np.random.RandomState(0).normal(size=(50, 40)).astype("float32")
    counts, edges = nd._internal._histogram(nd.array(values), bin_cnt=13, range=(-2.0, 2.5))
    expected, expected_edges = np.histogram(values, 13, (-2.0, 2.5))
    np.testing.assert_array_equal(counts.asnumpy(), expected)
    np.testing.assert_allclose(edges.asnumpy(), expected_edges, rtol=1e-6)


def test_histogram_leaves_out_what_is_no_number() -> None:
    data = nd.array([0, 1, np.nan, np.inf, -np.inf])
    for counts in (nd._internal._histogram(data, bin_cnt=2, range=(0, 2)), nd.histogram(data, nd.array([0, 1, 2]))):
        np.testing.assert_array_equal(counts[0].asnumpy(), [1, 1])


def test_gradient_of_a_gradient() -> None:
    data, weight = nd.array([1, 1, 0]), nd.array([[1, 2], [3, 4]])
    weight.attach_grad()
    with mx.autograd.record():
        rows = nd.Embedding(data, weight, input_dim=2, output_dim=2)
        first = mx.autograd.grad((rows**3).sum(), weight, create_graph=True)[0]
    first.backward()
    np.testing.assert_allclose(weight.grad.asnumpy(), [[6, 12], [36, 48]])


def test_bad_input() -> None:
    data, three = _matrix(), nd.array([0, 1, 2])
    check_bad_input(lambda: nd.take(data, nd.array([3]), mode="raise"), "expected 0 to 2 on axis 0", OpIndexError)
    check_bad_input(lambda: nd.pick(data, nd.array([1])), "index of shape \\(3,\\) or \\(3, 1\\)", OpShapeError)
    check_bad_input(lambda: nd.batch_take(data, three), "astype\\('int32'\\)", OpTypeError)
    check_bad_input(lambda: nd.gather_nd(data, nd.array([[0], [9]])), "index 9 is out of bounds", OpIndexError)
    check_bad_input(lambda: nd.gather_nd(data, three), "at least 2 axes", OpShapeError)
    places = nd.array([[0], [9]])
    check_bad_input(lambda: nd.scatter_nd(nd.ones((1,)), places, shape=(3, 4)), "expected indices of", OpIndexError)
    check_bad_input(lambda: nd.scatter_nd(three, places, shape=(3, 4)), "values of shape \\(1,\\)", OpShapeError)
    check_bad_input(lambda: nd.one_hot(three, depth=-1), "depth=-1", OpParamError)
    check_bad_input(lambda: nd.Embedding(three, data, input_dim=3, output_dim=5), "weight of shape \\(3, 5\\)")
    check_bad_input(lambda: nd.ravel_multi_index(three, shape=(3, 4)), "a row for each axis", OpShapeError)
    check_bad_input(lambda: nd.unravel_index(three), "shape is empty", OpParamError)
    check_bad_input(lambda: nd._internal._histogram(three, bin_cnt=3), "either the edges", OpParamError)


def test_gradient_of_gather_nd_adds_up():
    data, indices = mx.nd.array([2, 3, 1]), mx.nd.array([[1, 1, 0], [1, 1, 0]])
    assert mx.nd._internal._backward_gather_nd(data, indices, shape=(2, 2)).asnumpy().tolist() == [[1, 0], [0, 5]]
