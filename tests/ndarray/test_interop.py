"""Memory shared with NumPy, torch and DLPack, and pickles of either library."""

import base64
import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError
from regluon.dtypes import FLAG_OF_NAME

NUMPY_NAMES = [name for name in FLAG_OF_NAME if name != "bfloat16"]


def values(array):
    return array.asnumpy().tolist()


# -- NumPy ----------------------------------------------------------------------------------------------------------


def test_from_numpy_shares_memory_and_locks_the_source():
    source = np.arange(3, dtype="float32")
    array = nd.from_numpy(source)
    array[0] = 9
    assert source.tolist() == [9, 1, 2]
    assert not source.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        source[0] = 1


def test_writing_to_numpy_is_seen_by_the_array():
    source = np.arange(3, dtype="float32")
    view = source[:]
    array = nd.from_numpy(source)
    view[1] = 7
    assert values(array) == [0, 7, 2]


def test_from_numpy_can_share_one_array_twice():
    source = np.arange(3, dtype="float32")
    first, second = nd.from_numpy(source), nd.from_numpy(source)
    first[0] = 9
    assert values(second) == [9, 1, 2]


def test_from_numpy_keeps_the_memory_alive():
    array = nd.from_numpy(np.full(1 << 16, 3, "float32"))
    np.zeros(1 << 16, "float32")
    assert set(array.asnumpy()) == {3.0}


def test_from_numpy_copies_on_request():
    source = np.arange(3, dtype="float32")
    array = nd.from_numpy(source, zero_copy=False)
    array[0] = 9
    assert source.tolist() == [0, 1, 2]
    assert source.flags.writeable


def test_memory_that_must_not_be_written_is_copied(tmp_path):
    frozen = np.frombuffer(b"\0\0\x80\x3f" * 2, "float32")
    np.save(tmp_path / "a.npy", np.ones(2, "float32"))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    for source in (frozen, mapped):
        array = nd.from_numpy(source)
        array[0] = 9
        assert source.tolist() == [1, 1]


@pytest.mark.parametrize("zero_copy", [True, False])
@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_from_numpy_keeps_the_dtype(name, zero_copy):
    array = nd.from_numpy(np.ones((2, 3), name), zero_copy=zero_copy)
    assert (array.dtype, array.shape, array.context) == (np.dtype(name), (2, 3), mx.cpu())


@pytest.mark.parametrize("zero_copy", [True, False])
@pytest.mark.parametrize("name", ["uint16", "int16", "uint32", "uint64", "complex64", "object", "U1"])
def test_from_numpy_refuses_other_dtypes(name, zero_copy):
    with pytest.raises(ValueError, match=r"\[nd.from_numpy\] received .*; expected one of float32, float64"):
        nd.from_numpy(np.ones(2).astype(name), zero_copy=zero_copy)


def test_from_numpy_shares_only_what_lies_in_order():
    source = np.arange(6, dtype="float32").reshape(2, 3)
    for strided in (source.T, source[:, ::2], source[::-1]):
        with pytest.raises(ValueError, match=r"\[nd.from_numpy\] .*not C-contiguous; use numpy.ascontiguousarray"):
            nd.from_numpy(strided)
        assert values(nd.from_numpy(strided, zero_copy=False)) == strided.tolist()


def test_from_numpy_wants_an_array():
    with pytest.raises(TypeError, match=r"\[nd.from_numpy\] received list; expected a NumPy array"):
        nd.from_numpy([1, 2])


@pytest.mark.parametrize("shape", [(), (0, 3), (1, 1)])
def test_from_numpy_of_odd_shapes(shape):
    assert nd.from_numpy(np.zeros(shape, "float32")).shape == shape


def test_asnumpy_is_a_copy():
    array = nd.array([1, 2])
    array.asnumpy()[0] = 5
    assert values(array) == [1, 2]


def test_numpy_functions_take_arrays():
    array = nd.array([[1, 2], [3, 4]])
    assert np.asarray(array).dtype == np.float32
    assert np.array(array, dtype="int32").tolist() == [[1, 2], [3, 4]]
    assert np.sum(np.asarray(array)) == 10


def test_bfloat16_becomes_float32_in_numpy():
    assert nd.ones(2, dtype="bfloat16").asnumpy().dtype == np.float32


# -- torch ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLAG_OF_NAME)
def test_torch_shares_memory_both_ways(name):
    tensor = torch.zeros(3, dtype=getattr(torch, name))
    array = nd.from_torch(tensor)
    array[0] = 1
    tensor[1] = 1
    array.as_torch()[2] = 1
    assert tensor.tolist() == values(array) == [1, 1, 1]
    assert array.as_torch().data_ptr() == tensor.data_ptr()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int16, torch.float8_e5m2])
def test_from_torch_refuses_other_dtypes(dtype):
    with pytest.raises(TypeError, match=r"\[nd.from_torch\] received torch\..*; expected one of float32, float64"):
        nd.from_torch(torch.zeros(2).to(dtype))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, 2], r"received list; expected a torch.Tensor. Use nd.array\(x\)"),
        (torch.ones(2).to_sparse(), "received a tensor of torch.sparse_coo; expected a dense one"),
        (torch.ones(2, device="meta"), "on the device 'meta', which has no values; expected a dense one"),
    ],
)
def test_from_torch_refuses_what_has_no_memory_to_share(value, text):
    with pytest.raises(TypeError, match=text):
        nd.from_torch(value)


def test_from_torch_leaves_the_history_behind():
    weight = torch.ones(2, requires_grad=True)
    array = nd.from_torch(weight * 2)
    array[:] = 5
    assert not array.as_torch().requires_grad
    assert weight.tolist() == [1, 1]


def test_from_torch_takes_strided_tensors():
    tensor = torch.arange(6.0).reshape(2, 3)
    array = nd.from_torch(tensor.T)
    array[0] = 9
    assert tensor.tolist() == [[9, 1, 2], [9, 4, 5]]
    assert values(array + 0) == [[9, 9], [1, 4], [2, 5]]
    assert values(array.reshape((-1,))) == [9, 9, 1, 4, 2, 5]


def test_as_torch_of_a_recorded_array_carries_no_graph():
    x = nd.ones(3)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        assert not y.as_torch().requires_grad
        assert not x.as_torch().requires_grad
    y.backward()
    assert values(x.grad) == [2, 2, 2]


# -- DLPack ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("export", [nd.to_dlpack_for_read, nd.to_dlpack_for_write])
def test_capsules_share_memory(export):
    array = nd.array([1, 2, 3])
    tensor = torch.utils.dlpack.from_dlpack(export(array))
    tensor[0] = 9
    array[1] = 8
    assert values(array) == tensor.tolist() == [9, 8, 3]


def test_from_dlpack_takes_capsules_and_objects():
    array, tensor, memory = nd.array([1, 2]), torch.ones(2), np.ones(2, "float32")
    for source in (array, array.to_dlpack_for_write(), tensor, torch.utils.dlpack.to_dlpack(tensor), memory):
        nd.from_dlpack(source)[0] = 7
    assert (values(array), tensor.tolist(), memory.tolist()) == ([7, 2], [7, 1], [7, 1])


def test_arrays_offer_dlpack():
    array = nd.array([1, 2])
    torch.from_dlpack(array)[0] = 5
    assert np.from_dlpack(array).tolist() == [5, 2]
    assert array.__dlpack_device__()[1] == 0


def test_a_capsule_is_used_once():
    capsule = nd.array([1, 2]).to_dlpack_for_read()
    nd.from_dlpack(capsule)
    with pytest.raises(
        MXNetError, match=r"\[nd.from_dlpack\] received PyCapsule; expected a capsule that nobody has used"
    ):
        nd.from_dlpack(capsule)


@pytest.mark.parametrize("given", [3, None, "text", [1, 2]])
def test_from_dlpack_refuses_other_things(given):
    with pytest.raises(MXNetError, match=rf"\[nd.from_dlpack\] received {type(given).__name__}; expected a capsule"):
        nd.from_dlpack(given)


def test_from_dlpack_refuses_other_dtypes():
    with pytest.raises(TypeError, match=r"received torch.int16; expected one of"):
        nd.from_dlpack(np.ones(2, "int16"))


def test_a_recorded_array_is_exported_for_reading_only():
    x = nd.ones(3)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        assert values(nd.from_dlpack(y.to_dlpack_for_read())) == [2, 2, 2]
        with pytest.raises(MXNetError, match=r"\[to_dlpack_for_write\] cannot write"):
            y.to_dlpack_for_write()


# -- pickles and copies ---------------------------------------------------------------------------------------------


def pickled(array, protocol=None):
    return pickle.loads(pickle.dumps(array, protocol))  # noqa: S301 - our own bytes


@pytest.mark.parametrize("name", FLAG_OF_NAME)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_keep_dtype_shape_and_values(name, protocol):
    array = nd.array([[0, 1, 1]], dtype=name)
    found = pickled(array, protocol)
    assert (found.dtype, found.shape, values(found)) == (array.dtype, (1, 3), values(array))


def test_a_pickle_holds_the_values_only():
    x = nd.arange(6, ctx=mx.cpu(1)).reshape((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x * 2
        found = [pickled(each) for each in (x, y, x[1])]
    assert [values(each) for each in found] == [values(x), values(y), [3, 4, 5]]
    assert all(each.grad is None and each.context == mx.cpu(0) for each in found)
    found[0][:] = 7
    assert values(x) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_pickles_of_odd_shapes(shape):
    with mx.util.np_shape():
        assert pickled(nd.zeros(shape)).shape == shape


# pickle.dumps(...) of MXNet 1.9.1, protocol 4.
FROM_MXNET = (
    "gASVxQEAAAAAAAB9lCiMBm1hdHJpeJSMFW14bmV0Lm5kYXJyYXkubmRhcnJheZSMB05EQXJyYXmUk5ROhZRSlH2UjAZoYW5kbGWUjAhidWlsdGlu"
    "c5SMCWJ5dGVhcnJheZSTlEM4yfqT+QAAAAACAAAAAgAAAAAAAAACAAAAAAAAAAEAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgECUhZRSlHNijAVp"
    "bnQ2NJRoBGgFUpR9lGgIaAtDMMn6k/kAAAAAAQAAAAIAAAAAAAAAAQAAAAAAAAAGAAAAAQAAAAAAAAD+/////////5SFlFKUc2KMB2Zsb2F0MTaU"
    "aARoBVKUfZRoCGgLQyLJ+pP5AAAAAAEAAAABAAAAAAAAAAEAAAAAAAAAAgAAAAA+lIWUUpRzYowJb24gY3B1KDEplGgEaAVSlH2UaAhoC0MwyfqT"
    "+QAAAAACAAAAAQAAAAAAAAACAAAAAAAAAAEAAAABAAAAAAAAAAAAgD8AAIA/lIWUUpRzYowEbGlzdJRdlGgEaAVSlH2UaAhoC0MryfqT+QAAAAAC"
    "AAAAAQAAAAAAAAADAAAAAAAAAAEAAAAAAAAAAwAAAAAAAJSFlFKUc2JhdS4="
)


def test_a_pickle_made_by_mxnet():
    found = pickle.loads(base64.b64decode(FROM_MXNET))  # noqa: S301
    assert values(found["matrix"]) == [[1, 2], [3, 4]]
    assert (values(found["int64"]), found["int64"].dtype) == ([1, -2], np.int64)
    assert (values(found["float16"]), found["float16"].dtype) == ([1.5], np.float16)
    assert found["on cpu(1)"].context == mx.cpu(0)
    assert found["list"][0].dtype == np.uint8
    found["matrix"] += 1
    assert values(found["matrix"]) == [[2, 3], [4, 5]]


def test_a_damaged_pickle():
    state = nd.ones(3).__getstate__()
    array = nd.zeros(1)
    with pytest.raises(MXNetError, match=r"\[NDArray.__setstate__\]"):
        array.__setstate__({"handle": state["handle"][:-1]})


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda x: x.copy()], ids=["copy", "deepcopy", "method"])
def test_copies_are_independent(make):
    x = nd.array([1, 2])
    x.attach_grad()
    other = make(x)
    other[0] = 5
    assert values(x) == [1, 2]
    assert other.grad is None


def test_deepcopy_of_containers():
    x = nd.array([1, 2])
    found = copy.deepcopy({"a": [x, x]})
    found["a"][0][0] = 5
    assert values(x) == [1, 2]


def test_mxnet_may_be_imported_before_torch():
    code = "import mxnet, torch; print(mxnet.nd.from_torch(torch.ones(2)).shape)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("(2,)\n", "")
