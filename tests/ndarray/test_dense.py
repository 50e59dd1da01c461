"""The NDArray class: what it is, views and copies, conversions. Its arithmetic and indexing have their own tests."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError
from mxnet.ndarray import NDArray


def values(array):
    return array.asnumpy().tolist()


def test_what_an_array_says_of_itself():
    x = nd.zeros((2, 3), dtype="float16", ctx=mx.cpu(1))
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 3), 2, 6, 2)
    assert x.dtype is np.float16
    assert x.context == x.ctx == mx.cpu(1)
    assert (x.stype, x.writable, x.grad) == ("default", True, None)
    assert x.as_nd_ndarray() is x


def test_other_software_knows_the_class_by_its_path():
    assert f"{NDArray.__module__}.{NDArray.__qualname__}" == "mxnet.ndarray.ndarray.NDArray"
    assert mx.nd.NDArray is NDArray


def test_arrays_have_no_room_for_other_attributes():
    with pytest.raises(AttributeError):
        nd.zeros(1).note = 1


def test_there_is_no_c_handle():
    with pytest.raises(MXNetError, match=r"\[NDArray.handle\] there is no C handle.*as_torch\(\)"):
        _ = nd.zeros(1).handle


@pytest.mark.parametrize(("content", "truth"), [([0], False), ([2], True), ([[0.5]], True), ([], False)])
def test_truth_of_one_element(content, truth):
    assert bool(nd.array(content)) is truth


def test_truth_of_several_elements():
    with pytest.raises(ValueError, match=r"\[NDArray\] the truth value of an array of shape \(2,\) is ambiguous; use"):
        bool(nd.zeros(2))


def test_numbers_from_one_element():
    x = nd.array([[2.5]])
    assert (float(x), int(x), x.item()) == (2.5, 2, 2.5)
    assert type(x.asscalar()) is np.float32
    assert type(x.item()) is float


@pytest.mark.parametrize("convert", [float, int, lambda x: x.asscalar(), lambda x: x.item()])
def test_numbers_need_one_element(convert):
    with pytest.raises(ValueError, match=r"\[asscalar\] received an array of shape \(2,\); expected one element"):
        convert(nd.zeros(2))


def test_integers_are_indices():
    assert [10, 20, 30][nd.array([1], dtype="int32")] == 20
    with pytest.raises(TypeError, match=r"\[NDArray\] only an array of one integer can be used as an index"):
        _ = [10, 20][nd.array([1])]


def test_a_scalar_has_no_length():
    with mx.util.np_shape():
        x = nd.zeros(())
        with pytest.raises(TypeError, match=r"\[NDArray\] an array without axes has no len\(\)"):
            len(x)
        with pytest.raises(TypeError, match="no len"):
            list(x)


def test_iteration_gives_views():
    x = nd.zeros((2, 2))
    for number, row in enumerate(x):
        row[:] = number + 1
    assert values(x) == [[1, 1], [2, 2]]


# -- copies and conversions -----------------------------------------------------------------------------------------


def test_astype():
    x = nd.array([1.7, -1.7])
    assert values(x.astype("int32")) == [1, -1]
    assert x.astype("float32") is not x
    assert x.astype("float32", copy=False) is x
    assert x.astype(np.float64).dtype is np.float64


def test_copyto_another_array():
    target = nd.zeros(2, dtype="int32")
    assert nd.array([1.5, 2.5]).copyto(target) is target
    assert values(target) == [1, 2]
    assert target.copyto(target) is target


def test_copyto_a_context():
    x = nd.array([1, 2])
    other = x.copyto(mx.cpu(1))
    other[:] = 0
    assert (other.context, values(x)) == (mx.cpu(1), [1, 2])


def test_copyto_refuses():
    with pytest.raises(TypeError, match=r"\[copyto\] received int; expected an NDArray or a Context"):
        nd.zeros(1).copyto(3)
    with pytest.raises(ValueError, match=r"\[copyto\] out: received an array of shape \(3,\); expected \(2,\)"):
        nd.zeros(2).copyto(nd.zeros(3))


def test_storage_types():
    x = nd.ones(2)
    assert x.tostype("default").stype == "default"
    assert x.tostype("row_sparse").stype == "row_sparse"
    with pytest.raises(MXNetError, match=r"\[tostype\] stype: received 'coo'; expected one of 'default', 'csr', 'row_"):
        x.tostype("coo")
    with pytest.raises(ValueError, match=r"received an array of shape \(2,\); expected two dimensions"):
        x.tostype("csr")


def test_waiting_is_allowed():
    x = nd.ones(1)
    x.wait_to_read()
    x.wait_to_write()
    nd.waitall()


# -- shape ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.reshape((3, 2)),
        lambda x: x.reshape(3, 2),
        lambda x: x.reshape([-1]),
        lambda x: x.reshape(shape=(6,)),
        lambda x: x.reshape((-1, 2), reverse=True),
        lambda x: x.expand_dims(0, inplace=True),
        lambda x: x.expand_dims(axis=-1, inplace=True),
        lambda x: x.flatten(inplace=True),
        lambda x: x.squeeze(inplace=True),
        lambda x: x.detach(),
        lambda x: x[0:1],
        lambda x: x[1],
    ],
)
def test_views_share_memory(view):
    x = nd.zeros((2, 3))
    view(x)[:] = 5
    assert 5 in x.asnumpy()


@pytest.mark.parametrize(
    "copied",
    [
        lambda x: x.expand_dims(0),
        lambda x: x.flatten(),
        lambda x: x.squeeze(),
        lambda x: x.transpose(),
        lambda x: x.T,
        lambda x: x.broadcast_to((2, 3)),
        lambda x: x.astype("float32"),
        lambda x: x.copy(),
        lambda x: x.tostype("default"),
        lambda x: x[:, ::2],
        lambda x: x[::-1],
        lambda x: x[[0, 1]],
    ],
)
def test_copies_do_not_share_memory(copied):
    x = nd.zeros((2, 3))
    copied(x)[:] = 5
    assert 5 not in x.asnumpy()


def test_views_of_views_and_in_place_operators():
    x = nd.arange(12).reshape((3, 4))
    row = x[1].reshape((2, 2))[1]
    row += 100
    row *= 2
    assert values(x)[1] == [4, 5, 212, 214]


def test_reshape_reads_positions_before_names():
    x = nd.zeros(6)
    assert x.reshape((3, 2), shape=(2, 3)).shape == (3, 2)


def test_reshape_refuses():
    x = nd.zeros(6)
    with pytest.raises(ValueError, match=r"\[reshape\] cannot reshape 6 elements of shape \(6,\) to \(4, 2\)"):
        x.reshape((4, 2))
    with pytest.raises(
        TypeError, match=r"\[reshape\] received unknown arguments \['order'\]; expected shape and reverse"
    ):
        x.reshape((3, 2), order="F")
    with pytest.raises(TypeError):
        x.reshape((3.0, 2))


@pytest.mark.parametrize("inplace", [True, False])
def test_axes_out_of_range(inplace):
    with pytest.raises(IndexError, match=r"^\[expand_dims\] received data float32\(2,\): axis=5 is out of range"):
        nd.zeros(2).expand_dims(5, inplace=inplace)
    with pytest.raises(MXNetError, match=r"^\[squeeze\] received data float32\(2, 3\)"):
        nd.zeros((2, 3)).squeeze(0, inplace=inplace)


def test_broadcasting():
    assert nd.zeros((1, 3)).broadcast_to((2, 3)).shape == (2, 3)
    assert nd.zeros(3).broadcast_to((4, 2, 3)).shape == (4, 2, 3)
    assert nd.zeros(1).broadcast_to(3).shape == (3,)
    assert nd.zeros((1, 3)).broadcast_like(nd.zeros((2, 3))).shape == (2, 3)
    with pytest.raises(ValueError, match=r"^\[broadcast_to\] received data float32\(2, 3\): cannot stretch axis 0"):
        nd.zeros((2, 3)).broadcast_to((3, 3))


@pytest.mark.parametrize("given", [((1, 0, 2),), (1, 0, 2), ([1, 0, 2],)])
def test_transpose(given):
    assert nd.zeros((2, 3, 4)).transpose(*given).shape == (3, 2, 4)
    assert nd.zeros((2, 3, 4)).transpose().shape == nd.zeros((2, 3, 4)).T.shape == (4, 3, 2)
    assert nd.zeros((2, 3, 4)).transpose(axes=(0, 2, 1)).shape == (2, 4, 3)


@pytest.mark.parametrize("shape", [(2,), ()])
def test_an_array_with_less_than_two_axes_is_its_transposed_one(shape):
    with mx.util.np_shape():
        x = nd.zeros(shape)
        assert x.T is x
        assert x.transpose() is not x
        x.T[()] = 7
        assert x.asnumpy().tolist() == np.full(shape, 7).tolist()
        rows = nd.zeros((2,)).tostype("row_sparse")
        assert rows.T is rows
        copy = mx.np.zeros(shape)
        assert copy.T is not copy


def test_slice_assign():
    x = nd.zeros((3, 4))
    assert x.slice_assign(nd.ones((2, 2)), (0, 1), (2, 3)) is x
    assert x.slice_assign_scalar(7, (2, 0), (3, 4), (1, 2)) is x
    assert values(x) == [[0, 1, 1, 0], [0, 1, 1, 0], [7, 0, 7, 0]]


def test_views_are_recorded():
    x = nd.arange(6)
    x.attach_grad()
    with autograd.record():
        y = x.reshape((2, 3)).expand_dims(0, inplace=True).flatten(inplace=True).squeeze(inplace=True)
        z = y * y
    z.backward()
    assert values(x.grad) == [0, 2, 4, 6, 8, 10]


def test_a_strided_array_is_used_as_it_looks():
    tensor = torch.arange(6.0).reshape(2, 3)
    x = nd.from_torch(tensor.T)
    assert values(x) == [[0, 3], [1, 4], [2, 5]]
    assert "3x2" in repr(x)
    x += 1
    assert tensor.tolist() == [[1, 2, 3], [4, 5, 6]]
