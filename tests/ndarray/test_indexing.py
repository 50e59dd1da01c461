"""Reading and writing through keys: views, memory, and what is refused.

Values of a thousand keys are compared with MXNet's in test_expressions.py.
"""

import numpy as np
import pytest
import torch

from mxnet import autograd, nd
from mxnet.base import MXNetError
from mxnet.ndarray.ndarray import (
    get_indexing_dispatch_code,
    get_oshape_of_gather_nd_op,
    indexing_key_expand_implicit_axes,
)


def values(array):
    return array.asnumpy().tolist()


def numbered(*shape):
    return nd.arange(int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize(
    "key", [0, -1, slice(1, 2), slice(0, 2), Ellipsis, None, (1, 2), (0, slice(1, 3)), (), np.int64(1)]
)
def test_keys_of_neighbouring_elements_give_views(key):
    x = nd.zeros((2, 3))
    x[key][:] = 5
    assert 5 in x.asnumpy()


@pytest.mark.parametrize(
    "key", [slice(None, None, 2), slice(None, None, -1), (slice(None), 1), [0, 1], np.array([0]), range(2)], ids=str
)
def test_other_keys_give_copies(key):
    x = nd.zeros((3, 3))
    x[key][:] = 5
    assert 5 not in x.asnumpy()


KEYS = [
    (slice(None, None, -1), slice(None)),
    (slice(None), slice(None, None, -2)),
    (slice(2, None, -1), slice(1, 3)),
    ([2, 0], slice(None, None, -1)),
    (slice(None, None, -1), [0, 2, 1]),
    ([0, 1], [1, 2]),
    (Ellipsis, None, 1),
    (1, None, slice(None, None, 2)),
    ([[0, 1], [2, 0]],),
    (slice(5, 1), slice(None)),
    (slice(-100, 100), slice(-1, None)),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading_agrees_with_numpy(key):
    x = numbered(3, 4)
    assert values(x[key]) == x.asnumpy()[key].tolist()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing_agrees_with_numpy(key):
    x = numbered(3, 4)
    expected = x.asnumpy()
    fill = np.arange(expected[key].size, dtype="float32").reshape(expected[key].shape) + 100
    expected[key] = fill
    x[key] = nd.array(fill)
    assert values(x) == expected.tolist()
    x[key] = -1
    expected[key] = -1
    assert values(x) == expected.tolist()


def test_overlapping_assignment_reads_before_it_writes():
    x = numbered(5)
    x[1:] = x[:-1]
    assert values(x) == [0, 0, 1, 2, 3]
    x = numbered(5)
    x[::-1] = x
    assert values(x) == [4, 3, 2, 1, 0]


def test_assignment_is_seen_by_views():
    x = nd.zeros((2, 3))
    row, flat = x[1], x.reshape((-1,))
    x[1, 1] = 4
    x[[0], [2]] = 9
    assert values(row) == [0, 4, 0]
    assert values(flat) == [0, 0, 9, 0, 4, 0]


@pytest.mark.parametrize(
    "value",
    [
        7,
        7.9,
        np.float64(7),
        [7, 7, 7],
        np.full(3, 7),
        (7, 7, 7),
        nd.full(3, 7),
        nd.full((1, 1, 3), 7),
        torch.full((3,), 7),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_take_the_dtype_of_the_array(value):
    x = nd.zeros((2, 3), dtype="int32")
    x[1] = value
    assert (values(x[1]), x.dtype) == ([7, 7, 7], np.int32)


@pytest.mark.parametrize(
    "value", ["a", {}, [[1], [2, 3]], print, [None]], ids=lambda value: getattr(value, "__name__", repr(value))
)
def test_values_that_are_no_numbers(value):
    x = nd.zeros((2, 3))
    with pytest.raises(TypeError, match=r"\[NDArray\] cannot assign a value of type .*; expected a number, an NDArray"):
        x[0] = value


@pytest.mark.parametrize("value", [nd.ones(2), np.ones((2, 3)), [[1, 2]]], ids=repr)
@pytest.mark.parametrize("key", [0, [0]], ids=str)
def test_values_of_another_shape(key, value):
    x = nd.zeros((4, 3))
    shape = str(np.shape(np.asarray(value))).replace("(", r"\(").replace(")", r"\)")
    text = rf"^\[NDArray\] cannot assign a value of shape {shape} to this selection of an array of shape \(4, 3\)"
    with pytest.raises(ValueError, match=text):
        x[key] = value
    assert set(x.asnumpy().ravel()) == {0.0}


def test_index_arrays_that_do_not_fit_together():
    x = numbered(2, 3)
    with pytest.raises(ValueError, match=r"^\[NDArray\] the index arrays do not fit together"):
        _ = x[[0, 1], [0, 1, 2]]
    with pytest.raises(ValueError, match=r"^\[NDArray\] cannot assign a value 1 to this selection"):
        x[[0, 1], [0, 1, 2]] = 1


@pytest.mark.parametrize(
    "key", [0, (slice(None), 1), ([0, 1], slice(None, None, -1)), (slice(None, None, -1), [0, 2])], ids=str
)
def test_strided_memory_is_written_where_it_lies(key):
    tensor = torch.zeros(3, 2)
    expected = np.zeros((2, 3))
    x = nd.from_torch(tensor.T)
    for value in (5, np.arange(expected[key].size).reshape(expected[key].shape)):
        x[key] = value
        expected[key] = value
        assert tensor.T.tolist() == values(x) == expected.tolist()


@pytest.mark.parametrize(
    ("key", "kind", "text"),
    [
        (2, IndexError, r"index 2 is out of bounds for axis 0 of length 2"),
        ((0, -4), IndexError, r"index -4 is out of bounds for axis 1 of length 3"),
        ((0, 0, 0), IndexError, r"received 3 indices; expected at most 2, the number of dimensions"),
        ((..., ...), IndexError, r"received a key with two `...`; expected at most one"),
        ([0, 5], IndexError, r"an index array reaches from 0 to 5; axis 0 has length 2"),
        ((0, np.array([-4])), IndexError, r"an index array reaches from -4 to -4; axis 1 has length 3"),
        ("a", ValueError, r"received the key 'a' of type str; expected integers, slices, `...`, None, lists or arrays"),
        (1.5, ValueError, r"received the key 1.5 of type float; expected integers"),
        ({}, ValueError, r"received the key \{\} of type dict; expected integers"),
    ],
    ids=str,
)
def test_keys_that_are_refused(key, kind, text):
    x = numbered(2, 3)
    with pytest.raises(kind, match=rf"^\[NDArray\] {text}"):
        _ = x[key]
    with pytest.raises(kind, match=rf"^\[NDArray\] {text}"):
        x[key] = 1
    assert values(x) == [[0, 1, 2], [3, 4, 5]]


def test_bool_arrays_are_refused_as_keys():
    x = numbered(3)
    mask = nd.array([1, 0, 1], dtype="bool")
    with pytest.raises(ValueError, match=r"\[NDArray\] received a bool array as a key; .*nd.contrib.boolean_mask"):
        _ = x[mask]


def test_index_arrays_of_any_dtype():
    x = numbered(4)
    for index in (nd.array([3, 0]), nd.array([3, 0], dtype="int32"), np.array([3, 0], "uint8"), range(3, -1, -3)):
        assert values(x[index]) == [3, 0]
    assert values(x[[nd.array([3]), nd.array([0])]]) == [[3], [0]]


def test_reading_is_recorded():
    x = numbered(3, 3)
    x.attach_grad()
    with autograd.record():
        y = x[1] * 2 + x[[0, 0, 2], [0, 0, 1]] * 10 + x[::-1, 0]
    y.backward()
    assert values(x.grad) == [[21, 0, 0], [3, 2, 2], [1, 10, 0]]


def test_recorded_values_can_be_assigned_to_constants():
    x = numbered(3)
    x.attach_grad()
    with autograd.record():
        rows = nd.ones((2, 3))
        rows[1] = x * 2
        y = rows * rows
    y.backward()
    assert values(x.grad) == [0, 8, 16]


def test_a_failed_assignment_while_recording_leaves_the_array():
    x = numbered(3)
    x.attach_grad()
    with autograd.record():
        rows = nd.ones((2, 3))
        with pytest.raises(ValueError, match="cannot assign a value of shape"):
            rows[:, :2] = x
    assert values(rows) == [[1] * 3] * 2


def test_assignment_inside_a_paused_block():
    x = numbered(3)
    x.attach_grad()
    with autograd.record():
        with autograd.pause():
            x[0] = 5
        with pytest.raises(MXNetError, match=r"^\[x\[\.\.\.\] = value\] cannot write"):
            x[0] = 6
    assert values(x) == [5, 1, 2]


def test_helpers_of_mxnet_programs():
    assert get_indexing_dispatch_code((1, slice(None), None)) == 0
    assert get_indexing_dispatch_code((1, [0])) == 1
    with pytest.raises(TypeError, match=r"\[get_indexing_dispatch_code\] received list; expected a tuple"):
        get_indexing_dispatch_code([1])
    assert indexing_key_expand_implicit_axes((..., 1), (2, 3, 4)) == (slice(None), slice(None), 1)
    assert get_oshape_of_gather_nd_op((2, 3, 4), (2, 5)) == (5, 4)


def test_whether_slices_lie_side_by_side():
    contiguous = nd.NDArray._basic_indexing_slice_is_contiguous
    every, first, second = slice(None), slice(0, 1), slice(None, None, 2)
    assert contiguous((every, every), (3, 4))
    assert contiguous((first, slice(1, 3)), (3, 4))
    assert not contiguous((every, slice(1, 3)), (3, 4))
    assert not contiguous((second, every), (3, 4))
