"""`.params` files: what MXNet wrote is read exactly, written back byte for byte, and damage is always told as such."""

import contextlib
import io
import json
import struct
import tracemalloc
from pathlib import Path

import hypothesis.extra.numpy as arrays_of
import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings

from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.dtypes import FLAG_OF_NAME
from regluon.formats import params
from regluon.formats.atomic import MAP_FROM_BYTES, open_mapped

FILES = Path(__file__).resolve().parent.parent / "fixtures" / "files"
INDEX = json.loads((FILES / "index.json").read_text(encoding="utf-8"))["files"]
LISTS = [name for name in INDEX if name.endswith(".params")]
HANDLES = [name for name in INDEX if name.endswith(".bin")]
# The old versions, and what MXNet cannot load again itself, are written in a better way.
REWRITTEN = [name for name in LISTS if not name.startswith("legacy_") and INDEX[name]["origin"] != "lost"]

HEADER = struct.pack("<QQQ", 0x112, 0, 1)
V2 = struct.pack("<I", 0xF993FAC9)
V3 = struct.pack("<I", 0xF993FACA)


def content(name):
    return (FILES / name).read_bytes()


def whole(*numbers):
    return struct.pack(f"<{len(numbers)}i", *numbers)


def longs(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def one(array, names=b"\0" * 8):
    """The bytes of a list of one array."""
    return HEADER + array + names


def written(arrays, names=(), **options):
    stream = io.BytesIO()
    params.write(stream, arrays, names, **options)
    return stream.getvalue()


def check_stored(stored, expected):
    if expected is None:
        assert stored.is_none
        return
    assert (stored.stype, stored.dtype, list(stored.shape)) == (expected["stype"], expected["dtype"], expected["shape"])
    storage = "uint16" if stored.dtype == "bfloat16" else stored.dtype
    assert stored.data.dtype == np.dtype(storage)
    np.testing.assert_array_equal(stored.data.ravel(), np.array(expected["values"], storage))
    if stored.stype == "default":
        assert stored.data.shape == stored.shape
    aux = expected.get("aux", [])
    assert len(stored.aux) == len(aux)
    for index, values in zip(stored.aux, aux, strict=True):
        assert index.tolist() == values


# Files of the real MXNet


@pytest.mark.parametrize("name", LISTS)
def test_reads_what_mxnet_reads(name):
    result = params.read(content(name), name)
    assert result.names == INDEX[name]["names"]
    assert len(result.arrays) == len(INDEX[name]["arrays"])
    for stored, expected in zip(result.arrays, INDEX[name]["arrays"], strict=True):
        check_stored(stored, expected)


@pytest.mark.parametrize("name", REWRITTEN)
def test_writes_the_bytes_mxnet_writes(name):
    result = params.read(content(name), name)
    assert written(result.arrays, result.names) == content(name)


@pytest.mark.parametrize("name", [name for name in LISTS if name.startswith("legacy_")])
def test_old_versions_are_written_as_the_current_one(name):
    result = params.read(content(name), name)
    data = written(result.arrays, result.names)
    again = params.read(data)
    assert data[24:28] == V2
    assert again.names == result.names
    for stored, expected in zip(again.arrays, INDEX[name]["arrays"], strict=True):
        check_stored(stored, expected)


@pytest.mark.parametrize("name", HANDLES)
def test_pickle_state_of_mxnet(name):
    stored = params.decode_array(content(name), name)
    check_stored(stored, INDEX[name]["arrays"][0])
    assert params.encode_array(stored) == content(name)


@pytest.mark.parametrize("dtype", sorted(set(FLAG_OF_NAME) - {"bfloat16", "float32"}))
def test_numpy_arrays_are_written_as_mxnet_does(dtype):
    values = INDEX[f"{dtype}.params"]["arrays"][0]["values"]
    assert written([np.array(values, dtype)]) == content(f"{dtype}.params")


def test_order_in_memory_does_not_matter():
    array = np.arange(6, dtype="float32").reshape(2, 3)
    assert written([array.T.copy().T]) == written([array.astype(">f4")]) == written([array])


def test_np_shape_is_used_where_it_is_needed():
    scalar, flat = np.float32(1).reshape(()), np.ones(2, "float32")
    assert written([flat])[24:28] == V2
    assert written([flat, scalar])[24:28] == V3
    assert written([flat], np_shape=True)[24:28] == V3
    assert params.read(written([flat, scalar])).arrays[1].data.shape == ()
    from_numpy_semantics = params.read(content("np_dict.params")).arrays[1]
    assert written([from_numpy_semantics], np_shape=False)[24:28] == V2


def test_context_is_a_record_only():
    assert params.read(content("from_gpu.params")).arrays[0].context == (2, 3)
    assert params.read(content("second_cpu.params")).arrays[0].context == (1, 1)
    assert params.read(one(V2 + whole(0, 1) + longs(0) + whole(99, -7, 0))).arrays[0].context == (99, -7)


def test_none_arrays_of_every_version():
    v1 = struct.pack("<I", 0xF993FAC8)
    for array in (whole(0), v1 + whole(0), V2 + whole(0, 0), V2 + whole(1, 0, 0), V3 + whole(0, 1) + longs(-1)):
        assert params.read(one(array)).arrays[0].is_none
        assert params.decode_array(array).is_none
    assert params.encode_array(params.NONE) == V2 + whole(0, 0)


def test_bytes_after_the_names_and_the_reserved_field_are_ignored():
    data = bytearray(content("dict.params") + b"more")
    data[8:16] = b"reserved"
    assert params.read(data).names == ["weight", "bias"]


def test_stale_storage_shape_is_not_trusted():
    """The file of a real MXNet, seen once, that says four stored rows and has none."""
    rows = V2 + whole(1, 2) + longs(4, 2) + whole(2) + longs(4, 2) + whole(1, 0, 0, 6, 1) + longs(0)
    stored = params.read(one(rows)).arrays[0]
    assert (stored.stype, stored.shape, stored.data.shape) == ("row_sparse", (4, 2), (0, 2))


def test_scalars_mxnet_cannot_load_are_read_and_written_loadable():
    result = params.read(content("scalars.params"))
    assert [stored.shape for stored in result.arrays] == [(), (2,), ()]
    again = written(result.arrays)
    assert again[24:28] == V3
    assert params.read(again).arrays[2].data == -4
    scalar = V2 + whole(0, 0, 1, 0, 0) + struct.pack("<f", 0)
    assert params.read(one(scalar)).arrays[0].shape == ()
    assert params.decode_array(scalar).data == 0
    assert not params.decode_array(scalar).is_none
    with pytest.raises(FileFormatError):
        params.read(one(scalar[:-4] + struct.pack("<f", 1), b"more"))
    assert params.decode_array(V2 + whole(0, 0) + b"more").is_none


# Memory


def test_arrays_are_views_of_the_buffer():
    buffer = bytearray(content("dict.params"))
    array = params.read(buffer).arrays[0].data
    array[0, 0] = 77
    assert params.read(buffer).arrays[0].data[0, 0] == 77
    assert not params.read(bytes(buffer)).arrays[0].data.flags.writeable


@pytest.mark.parametrize("size", [10, MAP_FROM_BYTES // 4])
def test_opened_files_are_writable_in_memory_only(tmp_path, size):
    path = tmp_path / "net.params"
    original = written([np.ones(size, "float32")], ["w"])
    path.write_bytes(original)
    buffer = open_mapped(path)
    assert isinstance(buffer, bytearray) == (len(original) < MAP_FROM_BYTES)
    array = params.read(buffer, str(path)).arrays[0].data
    del buffer
    array += 1
    assert array.sum() == 2 * size
    assert path.read_bytes() == original


ABSURD = {
    "count": struct.pack("<QQQ", 0x112, 0, 2**60) + bytes(64),
    "ndim": one(V2 + whole(0, 2**30)),
    "oldest ndim": one(whole(2**28)),
    "length": one(V2 + whole(0, 1) + longs(2**61) + whole(1, 0, 0)),
    "product": one(V2 + whole(0, 3) + longs(2**40, 2**40, 2**40) + whole(1, 0, 0)),
    "product of an empty array": one(V2 + whole(0, 3) + longs(0, 2**40, 2**40) + whole(1, 0, 0)),
    "index length": one(
        V2 + whole(1, 2) + longs(1, 2) + whole(2) + longs(4, 2) + whole(1, 0, 0, 6, 1) + longs(2**50) + bytes(64)
    ),
    "name count": HEADER + whole(0) + longs(2**60),
    "name length": HEADER + whole(0) + longs(1, 2**62),
}


@pytest.mark.parametrize("data", ABSURD.values(), ids=list(ABSURD))
def test_absurd_numbers_allocate_nothing(data):
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=r"byte [0-9]+"):
            params.read(data)
        assert tracemalloc.get_traced_memory()[1] < 64 * 1024
    finally:
        tracemalloc.stop()


def test_empty_array_with_a_long_axis_allocates_nothing():
    tracemalloc.start()
    try:
        stored = params.read(one(V2 + whole(0, 2) + longs(0, 2**40) + whole(1, 0, 0))).arrays[0]
        assert stored.data.shape == (0, 2**40)
        assert tracemalloc.get_traced_memory()[1] < 64 * 1024
    finally:
        tracemalloc.stop()


# Damage


def read_any(name):
    return params.decode_array if name.endswith(".bin") else params.read


@pytest.mark.parametrize("name", list(INDEX))
def test_every_truncation_is_told(name):
    data = content(name)
    for size in range(len(data)):
        with pytest.raises(FileFormatError):
            read_any(name)(data[:size], name)


@pytest.mark.parametrize("name", list(INDEX))
def test_every_flipped_byte_is_told_or_harmless(name):
    data = bytearray(content(name))
    for at in range(len(data)):
        for flip in (0x01, 0x08, 0x80, 0xFF):
            data[at] ^= flip
            try:
                result = read_any(name)(bytes(data), name)
            except FileFormatError:
                pass
            else:
                for stored in getattr(result, "arrays", [result]):
                    assert stored.data.nbytes + sum(index.nbytes for index in stored.aux) <= len(data)
            data[at] ^= flip


@given(some.binary(max_size=200))
@settings(max_examples=100)
def test_any_bytes_after_the_header(data):
    for array in (data, V2 + data, V3 + data, V2 + whole(1) + data, V2 + whole(2) + data):
        with contextlib.suppress(FileFormatError):
            params.read(one(array))


DAMAGED = {
    "[nd.load] net.params, byte 0: received 0 bytes beginning with nothing; expected a .params file, which begins with "
    "12 01 00 00 00 00 00 00 (8 bytes). The download may be incomplete": b"",
    "run `git lfs pull`": b"version https://git-lfs.github.com/spec/v1\n",
    "looks like a web page": b"<!DOCTYPE html><html>",
    "zip archive: unpack it first": b"PK\x03\x04xxxxxxxx",
    "gzip file": b"\x1f\x8bxxxxxxxx",
    "HDF5 file": b"\x89HDF\r\n\x1a\n",
    "Python pickle, which is never loaded": b"\x80\x04\x95xxxxxxx",
    "load a network's symbol file with `mx.sym.load`": b'{\n  "nodes": []}',
    "give it the suffix .safetensors": struct.pack("<Q", 20) + b'{"__metadata__":{}}  ',
    "byte 8: received 2 bytes before the end at 10; expected 8 bytes for the reserved field": HEADER[:10],
    "byte 16: received a count of 1 arrays, which need at least 4 bytes; expected a count that fits the 0": HEADER,
    "byte 24: received 0x12345678; expected a version mark or a number of dimensions up to 32 of array 1 of 1": one(
        struct.pack("<I", 0x12345678)
    ),
    "byte 28: received storage type 3; expected 0 (dense), 1 (row_sparse) or 2 (csr) of array 1 of 1": one(
        V2 + whole(3)
    ),
    "byte 28: received storage type 1; expected 0 (dense) of array 1 of 1": one(V3 + whole(1)),
    "byte 32: received 33 dimensions for the shape; expected at most 32 of array 1 of 1": one(V2 + whole(0, 33)),
    "byte 36: received (-1,) for the shape; expected no length below 0": one(V2 + whole(0, 1) + longs(-1)),
    "byte 52: received dtype flag 8; expected one of 0 (float32), 1 (float64)": one(
        V2 + whole(0, 1) + longs(1) + whole(1, 0, 8)
    ),
    "byte 56: received 12 bytes before the end at 68; expected 40 bytes for the data (float32 of shape (10,)) of array "
    "1 of 1. The download may be incomplete or the file damaged: fetch or save it again.": one(
        V2 + whole(0, 1) + longs(10) + whole(1, 0, 0), bytes(12)
    ),
    "received shape (0, 1099511627776, 1099511627776) for the data; expected at most 9223372036854775807 bytes": one(
        V2 + whole(0, 3) + longs(0, 2**40, 2**40) + whole(1, 0, 0)
    ),
    "byte 28: received 2 names; expected 1 names, one an array, or none": one(whole(0), longs(2) + bytes(16)),
    "byte 47: received byte 0xff; expected utf-8 text of name 1": one(whole(0), longs(1, 4) + b"abc\xff"),
    "received 1 bytes before the end at 45; expected 9 bytes for the text of name 1": one(whole(0), longs(1, 9) + b"a"),
    "received a csr array of shape (4,); expected two dimensions": one(
        V2 + whole(2, 1) + longs(0) + whole(1) + longs(4) + whole(1, 0, 0) + (whole(6, 1) + longs(0)) * 2
    ),
    "received index arrays of shapes [(1, 1)]; expected one dimension each": one(
        V2 + whole(1, 1) + longs(1) + whole(1) + longs(4) + whole(1, 0, 0) + whole(6, 2) + longs(1, 1)
    ),
    "received dtype flag 0; expected one of 6 (int64), 4 (int32)": one(
        V2 + whole(1, 1) + longs(1) + whole(1) + longs(4) + whole(1, 0, 0) + whole(0)
    ),
    "received indices from 4 to 4; expected indices from 0 to 3": one(
        V2 + whole(1, 1) + longs(1) + whole(1) + longs(4) + whole(1, 0, 3) + whole(6, 1) + longs(1) + b"\0" + longs(4)
    ),
    "received 2 row starts; expected 3 for 2 rows": one(
        V2 + whole(2, 1) + longs(0) + whole(2) + longs(2, 2) + whole(1, 0, 0, 6, 1) + longs(2) + whole(6, 1)
        + longs(0) + longs(0, 0)
    ),
    "received row starts from 0 to 5; expected numbers rising from 0 to 1": one(
        V2 + whole(2, 1) + longs(1) + whole(2) + longs(1, 2) + whole(1, 0, 3, 6, 1) + longs(2) + whole(6, 1)
        + longs(1) + b"\0" + longs(0, 5) + longs(0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", list(DAMAGED))
def test_error_says_where_what_and_what_to_do(text):
    with pytest.raises(FileFormatError) as caught:
        params.read(DAMAGED[text], "net.params")
    assert str(caught.value).startswith("[nd.load] net.params, byte ")
    assert text in str(caught.value)
    assert issubclass(FileFormatError, MXNetError)
    assert issubclass(FileFormatError, ValueError)


# Refusals of the writer

DENSE = np.ones(2, "float32")
ROWS = params.Stored("float32", (4,), np.ones(1, "float32"), stype="row_sparse", aux=(np.array([1]),))
REFUSED = {
    r"\[nd.save\] received 1 names for 2 arrays; expected one name for each": (OpParamError, [DENSE, DENSE], ["a"], {}),
    r"received an array of dtype complex64; expected one of float32": (OpTypeError, [DENSE.astype("c8")], [], {}),
    r"received the name '\\ud800'; expected text that utf-8": (OpParamError, [DENSE], ["\ud800"], {}),
    r"received the name 3; expected text": (OpParamError, [DENSE], [3], {}),
    r"shape \(\) to save without NumPy shape semantics": (OpParamError, [np.ones(())], [], {"np_shape": False}),
    r"received sparse arrays to save with NumPy.*\(an array has shape \(\)\)": (
        OpParamError, [ROWS, np.ones(())], [], {},
    ),
    r"Save sparse arrays to a file of their own": (OpParamError, [ROWS], [], {"np_shape": True}),
    r"received float64 data for a float32 array; expected float32": (
        OpTypeError, [params.Stored("float32", (1,), np.ones(1))], [], {},
    ),
    r"received data of shape \(1,\); expected \(2,\)": (
        OpParamError, [params.Stored("float64", (2,), np.ones(1))], [], {},
    ),
    r"received storage type 'csr' with 0 index arrays; expected default with 0": (
        OpParamError, [params.Stored("float64", (1, 1), np.ones(1), stype="csr")], [], {},
    ),
    r"received index arrays of dtype float64; expected int64 or int32": (
        OpTypeError, [params.Stored("float64", (1,), np.ones(1), stype="row_sparse", aux=(np.ones(1),))], [], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", list(REFUSED))
def test_writer_refuses_before_writing(text):
    kind, arrays, names, options = REFUSED[text]
    stream = io.BytesIO()
    with pytest.raises(kind, match=text):
        params.write(stream, arrays, names, **options)
    assert stream.getvalue() == b""


# Round trips

NUMBERS = some.sampled_from(sorted(set(FLAG_OF_NAME) - {"bfloat16"}))
ARRAYS = NUMBERS.flatmap(
    lambda name: arrays_of.arrays(name, arrays_of.array_shapes(min_dims=0, max_side=4, min_side=0))
)
NAMES = some.text(some.characters(exclude_categories=["Cs"]), max_size=8)


@given(some.lists(some.tuples(NAMES, ARRAYS), max_size=4))
@settings(max_examples=60)
def test_round_trip(named):
    result = params.read(written([array for _, array in named], [name for name, _ in named]))
    assert result.names == [name for name, _ in named]
    for stored, (_, array) in zip(result.arrays, named, strict=True):
        assert (stored.dtype, stored.shape) == (array.dtype.name, array.shape)
        assert stored.data.tobytes() == array.tobytes()


def test_bfloat16_keeps_its_bits_and_name():
    stored = params.Stored("bfloat16", (2,), np.array([0x3F80, 0xFFFF], "uint16"))
    again = params.decode_array(params.encode_array(stored))
    assert (again.dtype, again.data.tolist()) == ("bfloat16", [0x3F80, 0xFFFF])
