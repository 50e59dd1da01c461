# ruff: noqa: UP031, UP032  these ways of writing numbers are what is tested
"""Arrays of one element from `asnumpy()` convert to numbers, whatever NumPy thinks of it, and are plain otherwise."""

import copy
import io
import math
import pickle

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd

SHAPES = [(1,), (1, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32", "uint8", "bool"])
def test_one_element_converts(shape: tuple[int, ...], dtype: str):
    array = nd.full(shape, 1, dtype=dtype).asnumpy()
    assert array.shape == shape
    assert array.dtype == np.dtype(dtype)
    assert float(array) == 1.0
    assert int(array) == 1
    assert complex(array) == 1 + 0j
    assert math.sqrt(array) == 1.0
    assert round(array) == 1
    assert "%d" % array == "1"
    assert "%f" % array == "1.000000"
    assert f"{array:.2f}" == "1.00"
    assert "{:5.1f}|{}".format(array, array) == f"  1.0|{np.ones(shape, dtype)}"


def test_the_lines_of_the_books_run():
    loss = nd.array([1.25, 1.5])
    assert "epoch %d, loss: %f" % (1, loss.mean().asnumpy()) == "epoch 1, loss: 1.375000"
    assert "%.2f" % (loss.sum().asnumpy() / 2) == "1.38"
    total = 0.0
    for _ in range(3):
        total += loss.sum().asnumpy()
    assert "%.2f" % (total / 3) == "2.75"
    assert round(float(loss.sum().asnumpy()), 1) == 2.8
    assert round(loss.sum().asnumpy(), 1) == 2.8
    assert float(mx.np.ones((1, 1)).asnumpy()) == 1.0
    assert float(nd.ones((1, 1)).tostype("csr").asnumpy()) == 1.0


def test_other_arrays_are_plain():
    for array in (nd.ones(2), mx.np.zeros((0, 1)), mx.np.array(1.0)):
        assert type(array.asnumpy()) is np.ndarray


def test_results_are_plain_unless_they_have_one_element():
    array = nd.ones((1, 1)).asnumpy()
    other = np.ones((2, 3), np.float32)
    for result in (
        array + other,
        other * array,
        np.add(array, other),
        np.concatenate([array, array]),
        np.tile(other, 2),
    ):
        assert type(result) is np.ndarray
    for result in (np.asarray(array), np.array(array), np.vstack([array, array]), np.broadcast_to(array, (2, 2))):
        assert type(result) is np.ndarray
    assert type(array.sum()) is np.float32
    assert type(np.mean(array)) is np.float32
    assert type(array[0, 0]) is np.float32
    assert isinstance(array, np.ndarray)


def test_more_elements_are_refused_as_numpy_refuses_them():
    array = nd.ones(1).asnumpy().repeat(3)
    for convert in (float, int, complex):
        with pytest.raises(TypeError):
            convert(array)
    with pytest.raises(TypeError, match="expected one element"):
        round(array)
    with pytest.raises(TypeError):
        format(array, ".2f")


def test_text_and_files_are_those_of_plain_arrays():
    array = nd.full((1, 1), 1.5).asnumpy()
    plain = np.full((1, 1), 1.5, np.float32)
    assert repr(array) == repr(plain)
    assert str(array) == str(plain)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.dumps(array, protocol) == pickle.dumps(plain, protocol)
    assert type(pickle.loads(pickle.dumps(array))) is np.ndarray  # noqa: S301  our own bytes
    ours, theirs = io.BytesIO(), io.BytesIO()
    np.save(ours, array)
    np.save(theirs, plain)
    assert ours.getvalue() == theirs.getvalue()
    assert copy.deepcopy(array).tolist() == [[1.5]]


def test_they_go_back_into_arrays():
    array = nd.full((1,), 2.5).asnumpy()
    assert nd.array(array).asnumpy().tolist() == [2.5]
    assert mx.np.array(array).shape == (1,)
    target = nd.zeros(3)
    target[1:2] = array
    assert target.asnumpy().tolist() == [0, 2.5, 0]
    row = np.zeros(3)
    row[0] = array
    assert row.tolist() == [2.5, 0, 0]


def test_writing_into_one_stays_in_it():
    array = nd.ones(1).asnumpy()
    seen = array
    array += 1
    assert seen.tolist() == [2.0]
    assert float(array) == 2.0
