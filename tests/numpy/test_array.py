"""The class of `mx.np` arrays: memory, conversions, gradients and printing beyond the recorded programs."""

import copy
import math
import pickle

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, nd, np, npx
from mxnet.base import MXNetError


def test_results_of_legacy_operators_are_of_the_class_of_their_first_input() -> None:
    x = np.array([[1.0, -2.0]])
    assert type(nd.relu(x)) is np.ndarray
    assert type(nd.broadcast_add(x, nd.array([1, 2]))) is np.ndarray
    assert type(nd.array([1, 2]) + np.array([1, 2])) is nd.NDArray


def test_both_classes_share_memory_and_gradient() -> None:
    x = np.array([1.0, 2.0])
    x.attach_grad()
    legacy = x.as_nd_ndarray()
    legacy[:] = 5
    assert x.tolist() == [5, 5]
    with autograd.record():
        y = legacy * 3
    y.backward()
    assert x.grad.tolist() == [3, 3]
    assert type(legacy.as_np_ndarray()) is np.ndarray


def test_nd_array_makes_a_legacy_copy() -> None:
    x = np.array([1, 2], dtype="int32")
    made = nd.array(x)
    assert type(made) is nd.NDArray
    assert made.dtype is onp.int32
    made[:] = 0
    assert x.tolist() == [1, 2]


def test_gradients_of_np_arrays_are_np_arrays() -> None:
    x = np.array(3.0)
    x.attach_grad()
    with autograd.record():
        y = np.sin(x) * x
    y.backward()
    assert type(x.grad) is np.ndarray
    assert x.grad.shape == ()
    assert float(x.grad) == pytest.approx(math.cos(3) * 3 + math.sin(3), rel=1e-5)


def test_functions_written_by_users_take_np_arrays() -> None:
    class Double(autograd.Function):
        def forward(self, x):
            assert type(x) is np.ndarray
            return x * 2

        def backward(self, dy):
            return dy * 2

    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = Double()(x)
    y.backward()
    assert type(y) is np.ndarray
    assert x.grad.tolist() == [2, 2]


def test_copies_and_pickles_keep_the_class_and_the_shape() -> None:
    for shape in ((), (0, 2), (2, 3)):
        x = np.ones(shape)
        for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301
            assert type(made) is np.ndarray
            assert made.shape == shape
            assert made.dtype == onp.float32


def test_arrays_are_keys_by_identity() -> None:
    x, y = np.array([1]), np.array([1])
    assert {x: "x", y: "y"}[x] == "x"


def test_an_array_of_one_integer_is_an_index() -> None:
    assert ["a", "b"][np.array(1, dtype="int32")] == "b"
    with pytest.raises(TypeError, match="only an array of one integer"):
        ["a", "b"][np.array(1)]


def test_contexts() -> None:
    x = np.ones((2,), ctx=mx.cpu(1))
    assert (x + 1).ctx == mx.cpu(1)
    assert x[0].ctx == mx.cpu(1)
    assert x[x > 0].ctx == mx.cpu(1)
    assert np.ptp(x.reshape(1, 2), axis=0).ctx == mx.cpu(1)
    assert x.as_in_ctx(mx.cpu(0)).ctx == mx.cpu(0)


def test_basic_slices_are_views_and_reshape_is_a_copy() -> None:
    x = np.zeros((2, 3))
    x[0][:] = 1
    assert x.sum().item() == 3
    x.reshape(-1)[:] = 7
    assert x.sum().item() == 3
    x.reshape_view(-1)[:] = 7
    assert x.sum().item() == 42


def test_writing_through_masks_is_recorded() -> None:
    x, target = np.array([1.0, 2.0, 3.0]), np.zeros((3,))
    x.attach_grad()
    with autograd.record():
        target[np.array([0, 2], dtype="int32")] = x[1:] * 2
        y = (target * np.array([1, 10, 100])).sum()
    y.backward()
    assert x.grad.tolist() == [0, 2, 200]


def test_saving_keeps_scalars_and_empty_arrays(tmp_path) -> None:
    path = str(tmp_path / "arrays")
    with mx.util.np_shape(), mx.util.np_array():
        npx.save(path, {"number": np.array(2.5), "empty": np.zeros((0, 3)), "row": np.arange(3, dtype="int64")})
        loaded = npx.load(path)
    assert loaded["number"].item() == 2.5
    assert loaded["empty"].shape == (0, 3)
    assert loaded["row"].dtype == onp.int64
    assert all(type(array) is np.ndarray for array in loaded.values())


def test_an_empty_array_is_false_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="truth value of an empty array"):
        assert not np.zeros((0,))


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (bool, ValueError, r"truth value of an array of shape \(3,\) is ambiguous; use x.any\(\)"),
        (float, TypeError, "only an array of one element becomes a Python float"),
        (int, TypeError, "only an array of one element becomes a Python int"),
        (lambda x: x.reshape(), TypeError, "received no lengths; expected a shape"),
        (lambda x: x.reshape(3, order="F"), NotImplementedError, "only 'C', row by row, is available"),
        (lambda x: x.reshape(3, bogus=1), TypeError, "received bogus; expected lengths and order"),
        (lambda x: x.copy("F"), NotImplementedError, "order: received 'F'"),
        (lambda x: x.astype("int32", casting="safe"), ValueError, "casting='unsafe' and subok=True are available"),
        (lambda x: x.tostype("csr"), MXNetError, r"x.as_nd_ndarray\(\).tostype\('csr'\)"),
        (lambda x: f"{x:.2f}", TypeError, r"received the format '.2f' for an array of shape \(3,\)"),
        (lambda x: x * [1, 2, 3], TypeError, r"received an operand of type builtins.list.*Wrap it: np.array"),
        (lambda x: x @ 2, TypeError, r"\[_npi_matmul\] input b: received builtins.int.*np.array"),
        (lambda x: x[np.zeros((2,)) > 0], IndexError, r"bool key of shape \(2,\) from axis 0 on"),
        (lambda x: x[0, 0], IndexError, "received 2 indices; expected at most 1"),
        (lambda x: np.array(nd.array([1])), ValueError, r"x.as_np_ndarray\(\) gives an mx.np array"),
    ],
)
def test_error_texts(act, kind, text) -> None:
    with pytest.raises(kind, match=text):
        act(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("kind", [onp.array, np.array])
def test_indices_without_axes_leave_no_axis(kind):
    with mx.util.np_shape(True), mx.util.np_array(True):
        x = np.arange(24).reshape(2, 3, 4)
        one = kind(1, dtype="int64")
        expected = onp.arange(24).reshape(2, 3, 4)
        for key in (
            (one, 2),
            (1, one, one),
            (one, slice(None), 0),
            (..., one, 1),
            (one, onp.array([0, 2])),
            (one, None),
        ):
            plain = tuple(1 if item is one else item for item in key)
            assert x[key].shape == expected[plain].shape
            onp.testing.assert_array_equal(x[key].asnumpy(), expected[plain])
        x[one, one, one] = -1
        assert x[1, 1].asnumpy().tolist() == [16, -1, 18, 19]
