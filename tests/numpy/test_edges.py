"""Functions of `mx.np` at the edges of what they take, with the results of MXNet 1.9.1."""

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, np, npx
from mxnet.base import MXNetError
from mxnet.ndarray.numpy import _internal


@pytest.fixture(autouse=True)
def _numpy_shapes():
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def shapes(arrays):
    return [array.shape for array in arrays]


def test_parts_of_nothing():
    assert shapes(np.split(np.zeros((0, 3)), [1, 2])) == [(0, 3)] * 3
    assert shapes(np.vsplit(np.zeros((0, 3)), [4])) == [(0, 3)] * 2
    assert shapes(np.dsplit(np.zeros((2, 3, 0, 4)), [2, 4])) == [(2, 3, 0, 4)] * 3
    with pytest.raises(MXNetError, match="expected the starts of the parts of an axis of length 4, in order"):
        np.split(np.zeros((4, 3)), [2, 6])


def test_mask_of_an_array_without_axes():
    x = np.array(3.0)
    assert npx.nonzero(x).tolist() == [[0]]
    for truth, expected in ((True, 5), (False, 3)):
        assert _internal.boolean_mask_assign_scalar(x, np.array(truth), value=5.0).item() == expected


@pytest.mark.parametrize(
    "key",
    [(0, True), (True, 1), (slice(1, 2), True), (False, 1), (..., True), (True, slice(None), 0)],
    ids=["0,True", "True,1", "1:2,True", "False,1", "...,True", "True,:,0"],
)
def test_bools_among_the_items_of_a_key(key):
    values = onp.arange(12.0).reshape(3, 4)
    found = np.array(values)[key]
    assert found.shape == values[key].shape
    onp.testing.assert_array_equal(found.asnumpy(), values[key])
    array = np.array(values)
    array[key] = 7
    values[key] = 7
    onp.testing.assert_array_equal(array.asnumpy(), values)


def test_bools_beside_a_mask():
    values, mask = onp.arange(18.0).reshape(3, 2, 3), onp.arange(6).reshape(2, 3) % 2 == 0
    array = np.array(values)
    onp.testing.assert_array_equal(array[0, True, True, np.array(mask)].asnumpy(), values[0, True, True, mask])
    array[0, True, True, np.array(mask)] = -1
    values[0, True, True, mask] = -1
    onp.testing.assert_array_equal(array.asnumpy(), values)


def test_clip_of_a_number():
    assert np.clip(0.5, 0.6, 1) == 0.6
    assert np.clip(3, None, 1) == 1


def test_unravelled_indices_have_the_shape_of_the_indices():
    assert shapes(np.unravel_index(np.array(5, dtype="int32"), (2, 3))) == [(), ()]
    rows, columns = np.unravel_index(np.array([[5, 1], [2, 0]], dtype="int64"), (2, 3))
    assert rows.tolist() == [[1, 0], [0, 0]]
    assert columns.tolist() == [[2, 1], [2, 0]]


def test_tensorsolve_with_as_many_axes_on_both_sides():
    assert np.linalg.tensorsolve(np.ones((1, 1, 1)), np.ones((1, 1, 1))).shape == (1, 1, 1)


def test_determinants_in_graphs_made_by_hand():
    found = mx.sym.np.linalg.det(mx.sym.var("a").as_np_ndarray())
    matrices = onp.array([[[2.0, 1.0], [1.0, 3.0]]], "float32")
    executor = found.as_nd_ndarray().bind(mx.cpu(), {"a": mx.nd.array(matrices)})
    onp.testing.assert_allclose(executor.forward()[0].asnumpy(), [5.0], rtol=1e-6)


def test_nan_to_num_in_place_inside_a_hybridized_block():
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.nan_to_num(x, copy=False, nan=4.0)

    net = Net()
    net.hybridize()
    x = np.array([onp.nan, 2.0])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    assert y.tolist() == [4, 2]
    assert x.grad.tolist() == [0, 1]


def test_no_outcomes():
    assert np.random.multinomial(10, []).shape == (0,)
    assert np.random.multinomial(10, np.array([]), size=(2,)).shape == (2, 0)


def test_normal_vectors_in_half_precision():
    drawn = np.random.multivariate_normal(
        np.array([1, -1], dtype="float16"), np.array([[4, 2], [2, 5]], dtype="float16"), size=(4000,)
    )
    assert drawn.dtype == onp.float16
    onp.testing.assert_allclose(onp.cov(drawn.asnumpy().T.astype("float64")), [[4, 2], [2, 5]], atol=0.6)


@pytest.mark.parametrize(
    ("given", "dtype", "expected"), [("int8", "int8", 18), ("int32", "int8", 18), ("int8", None, 104)]
)
def test_means_of_integers_are_held_by_their_dtype(given, dtype, expected):
    assert np.mean(np.array([100, 100, 112], dtype=given), dtype=dtype).item() == expected


def test_buffers_of_gradients_that_are_not_wanted_go_with_the_graph():
    x, weight = np.ones((2,)), np.ones((2,))
    x.attach_grad("null")
    weight.attach_grad()
    with autograd.record():
        y = x * weight
    assert x.grad.tolist() == [0, 0]
    y.backward(retain_graph=True)
    assert x.grad is not None
    y.backward()
    assert x.grad is None
    assert weight.grad.tolist() == [1, 1]


def test_names_that_the_official_numpy_carries_out_are_listed():
    assert "allclose" in np.fallback.__all__
    assert "qr" in np.fallback_linalg.__all__


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_index_arrays_without_axes_beside_integers(dtype):
    x = np.arange(24).reshape(2, 3, 4)
    one = np.array(1, dtype=dtype)
    assert x[0, one, 2].shape == ()
    assert x[0, one, 2].item() == 6
    assert x[one].shape == (3, 4)
    assert x[:, one, 2].tolist() == [6, 18]
    assert x[0, one, np.array([2, 3])].tolist() == [6, 7]
    row = x[one]
    row[:] = -1
    assert x.min().item() == 0  # what index arrays select is a copy
    x[0, one, 2] = 100
    assert x.max().item() == 100


def test_values_with_more_axes_than_a_selection_taken_backwards():
    values, rows = onp.zeros((3, 2, 4)), onp.arange(4.0).reshape(1, 1, 4)
    array = np.array(values)
    values[::-1, 1] = rows
    array[::-1, 1] = np.array(rows)
    onp.testing.assert_array_equal(array.asnumpy(), values)


@pytest.mark.parametrize("name", ["quantile", "percentile"])
def test_quantiles_through_numpy_take_the_newer_name_of_an_argument(name):
    share = 0.4 if name == "quantile" else 40
    values = onp.array([1.0, 2.0, 4.0, 8.0])
    found = getattr(onp, name)(np.array(values), np.array(share), method="higher")
    assert isinstance(found, np.ndarray)
    assert found.item() == getattr(onp, name)(values, share, method="higher")
