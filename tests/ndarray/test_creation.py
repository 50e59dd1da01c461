"""Functions that make arrays: where, of which dtype, from what, and what they refuse. Values: test_expressions.py."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError
from regluon.array.creation import reserved_zeros


def values(array):
    return array.asnumpy().tolist()


MAKERS = {
    "zeros": lambda **kw: nd.zeros((2, 3), **kw),
    "ones": lambda **kw: nd.ones((2, 3), **kw),
    "full": lambda **kw: nd.full((2, 3), 4, **kw),
    "empty": lambda **kw: nd.empty((2, 3), **kw),
    "array": lambda **kw: nd.array([[1, 2, 3]] * 2, **kw),
    "arange": lambda **kw: nd.arange(6, **kw),
    "linspace": lambda **kw: nd.linspace(0, 5, 6, **kw),
    "eye": lambda **kw: nd.eye(2, 3, **kw),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_dtype_and_context(make):
    assert (make().dtype, make().context) == (np.float32, mx.cpu(0))
    for dtype in ("float64", "int32", np.uint8, "float16"):
        assert make(dtype=dtype).dtype == np.dtype(dtype)
    assert make(dtype=None).dtype is np.float32
    assert make(ctx=mx.cpu(1)).context == mx.cpu(1)
    with mx.cpu(2):
        assert make().context == mx.cpu(2)
    assert make(dtype="int64").size == 6


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_unknown_dtypes_are_refused(make):
    with pytest.raises(MXNetError, match="received 'foo'"):
        make(dtype="foo")


@pytest.mark.parametrize("make", [nd.zeros, nd.ones, nd.empty, lambda shape: nd.full(shape, 1)])
@pytest.mark.parametrize("shape", ["a", 2.5, (1.5, 2), None], ids=repr)
def test_shapes_are_integers(make, shape):
    with pytest.raises(ValueError, match=r"\[shape\] received .*; expected an integer or a tuple of integers"):
        make(shape)


@pytest.mark.parametrize("shape", [3, (3,), [3], np.int64(3), (np.int32(3),)], ids=repr)
def test_shapes_in_many_forms(shape):
    assert nd.zeros(shape).shape == nd.ones(shape).shape == nd.empty(shape).shape == (3,)


@pytest.mark.parametrize("make", [nd.zeros, nd.empty])
def test_storage_types(make):
    assert make(2, stype="default").stype == "default"
    assert make((2, 3), stype="csr").stype == "csr"
    assert make(2, stype="row_sparse").shape == (2,)
    with pytest.raises(
        ValueError, match=r"\[nd.zeros\] stype: received 'coo'; expected one of 'default', 'csr', 'row_"
    ):
        make((2, 3), stype="coo")


def test_out():
    target = nd.ones((2, 2))
    assert nd.zeros((2, 2), out=target) is target
    assert values(target) == [[0, 0], [0, 0]]
    assert nd.full((2, 2), nd.array([1, 2]), out=target) is target
    assert values(target) == [[1, 2], [1, 2]]


def test_array_is_always_a_copy():
    for source in (np.ones(2, "float32"), nd.ones(2), torch.ones(2)):
        nd.array(source)[:] = 5
        assert list(source) == [1, 1]


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        ([1, 2], np.float32),
        (np.array([1, 2], "int64"), np.float32),
        (np.array([1, 2], "float64"), np.float32),
        (nd.array([1], dtype="int32"), np.int32),
        (torch.ones(1, dtype=torch.int8), np.int8),
        (3, np.float32),
        (np.uint16(3), np.float32),
        ([True, False], np.float32),
        (range(3), np.float32),
    ],
    ids=repr,
)
def test_array_chooses_the_dtype(source, dtype):
    assert nd.array(source).dtype is dtype


def test_array_of_large_unsigned_numbers():
    assert values(nd.array(np.array([40000], "uint16"), dtype="int32")) == [40000]


def test_array_of_arrays():
    assert values(nd.array([nd.array([1, 2]), nd.array([3, 4])])) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "source", [[[1, 2], [3]], "abc", {}, print, [[1], "a"]], ids=lambda source: getattr(source, "__name__", str(source))
)
def test_array_refuses(source):
    with pytest.raises(
        TypeError, match=r"\[nd.array\] received .*; expected an array, or nested lists of numbers of equal"
    ):
        nd.array(source)


def test_array_of_an_array_is_recorded():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = nd.array(x, ctx=mx.cpu(1), dtype="float64") * 5
    y.backward()
    assert (y.context, y.dtype) == (mx.cpu(1), np.float64)
    assert values(x.grad) == [5, 5]


def test_array_of_a_tensor_with_history():
    tensor = torch.ones(2, requires_grad=True) * 2
    x = nd.array(tensor)
    x[:] = 1
    assert tensor.tolist() == [2, 2]


def test_linspace():
    assert values(nd.linspace(0, 1, 1)) == [0]
    assert nd.linspace(0, 1, 0).shape == (0,)
    with pytest.raises(ValueError, match=r"\[nd.linspace\] num: received -1; expected a number of points, at least 0"):
        nd.linspace(0, 1, -1)


def test_concatenate():
    x = nd.ones((1, 2))
    assert nd.concatenate([x], always_copy=False) is x
    assert nd.concatenate([x]) is not x
    assert nd.concatenate([x, x * 2], axis=1).shape == (1, 4)
    with pytest.raises(TypeError, match=r"\[Concat\] input data\[0\] is missing; expected the array\(s\) data"):
        nd.concatenate([])


def test_moveaxis():
    x = nd.zeros((2, 3, 4))
    assert nd.moveaxis(x, 0, -1).shape == (3, 4, 2)
    assert nd.moveaxis(x, [0, 1], [-1, -2]).shape == (4, 3, 2)
    with pytest.raises(ValueError, match=r"\[nd.moveaxis\] received axis 5; expected one of the 3 dimensions"):
        nd.moveaxis(x, 5, 0)
    with pytest.raises(ValueError, match=r"\[nd.moveaxis\] received 2 source and 1 destination axes"):
        nd.moveaxis(x, [0, 1], [0])
    for source, destination in (([0, 0], [0, 1]), ([0, 1], [1, -2])):
        with pytest.raises(ValueError, match=r"\[nd.moveaxis\] .*expected each axis once"):
            nd.moveaxis(x, source, destination)


def test_split_v2():
    x = nd.arange(6)
    assert [values(part) for part in nd.split_v2(x, 3)] == [[0, 1], [2, 3], [4, 5]]
    assert [values(part) for part in nd.split_v2(x, (1, 4))] == [[0], [1, 2, 3], [4, 5]]
    for sections in (4, 0, -1):
        with pytest.raises(ValueError, match=rf"cannot cut an axis of length 6 into {sections} equal sections"):
            nd.split_v2(x, sections)


def test_histogram():
    counts, edges = nd.histogram(nd.array([0, 1, 1, 4]), bins=4)
    assert values(counts) == [1, 2, 0, 1]
    assert values(edges) == [0, 1, 2, 3, 4]
    counts, _ = nd.histogram(nd.array([0, 1, 1, 4]), bins=nd.array([0, 1, 5]))
    assert values(counts) == [1, 3]


def test_onehot_encode():
    target = nd.ones((3, 3))
    assert nd.onehot_encode(nd.array([1, 2, 5]), target) is target
    assert values(target) == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    with pytest.raises(
        ValueError, match=r"\[onehot_encode\] out: received an array of shape \(3, 3\); expected \(2, 3\)"
    ):
        nd.onehot_encode(nd.array([1, 2]), target)


def test_reserved_zeros_are_ordinary_arrays() -> None:
    large = reserved_zeros((300, 1000), mx.cpu(), "float32")
    assert large.shape == (300, 1000)
    assert large.dtype == np.float32
    assert not large.asnumpy().any()
    large[5:7] = 2
    assert float(large.sum().asscalar()) == 4000
    assert values(reserved_zeros((1, 2), mx.cpu(), "int32")) == [[0, 0]]
