"""`.safetensors` files: read as views, written whole, understood by the official package, damage told."""

import contextlib
import json
import os
import struct

import numpy as np
import pytest
import safetensors.numpy

from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.dtypes import FLAG_OF_NAME
from regluon.formats.tensors import NAME_OF_TAG, NONE, Stored, read_tensors, write_tensors


@pytest.fixture
def path(tmp_path):
    return tmp_path / "net.safetensors"


def raw(header, data=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_every_dtype_has_a_tag():
    assert set(NAME_OF_TAG.values()) == set(FLAG_OF_NAME)


def test_round_trip_of_every_dtype(path):
    arrays = {name: np.array([[1, 0, 1]], name) for name in FLAG_OF_NAME if name != "bfloat16"}
    arrays["scalar"], arrays["empty"] = np.array(2.5, "float64"), np.zeros((0, 3), "int8")
    write_tensors(path, list(arrays.values()), list(arrays))
    result = read_tensors(path)
    found = dict(zip(result.names, result.arrays, strict=True))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype.name, array.shape)
        np.testing.assert_array_equal(found[name].data, array)
    assert safetensors.numpy.load_file(path)["scalar"] == 2.5


def test_reads_what_the_official_package_writes(path):
    rng = np.random.default_rng(0)
    arrays = {f"layer{number}": rng.random((number, 3)).astype("float32") for number in range(12)}
    safetensors.numpy.save_file(arrays, path)
    result = read_tensors(path)
    for name, stored in zip(result.names, result.arrays, strict=True):
        np.testing.assert_array_equal(stored.data, arrays[name])


def test_bfloat16_keeps_its_bits(path):
    write_tensors(path, [Stored("bfloat16", (2,), np.array([0x3F80, 0xFFFF], "uint16")), np.ones(1)], ["b", "a"])
    result = read_tensors(path)
    stored = result.arrays[result.names.index("b")]
    assert (stored.dtype, stored.data.tolist()) == ("bfloat16", [0x3F80, 0xFFFF])


def test_a_list_stays_a_list(path):
    arrays = [np.full(2, number, "float32" if number % 2 else "int64") for number in range(12)]
    write_tensors(path, arrays)
    result = read_tensors(path)
    assert result.names == []
    assert [stored.data[0] for stored in result.arrays] == list(range(12))
    write_tensors(path, [])
    assert read_tensors(path).arrays == []


@pytest.mark.parametrize("size", [3, 300_000])
def test_arrays_are_private_views(path, size):
    write_tensors(path, [np.ones(size, "float32")], ["w"])
    before = path.read_bytes()
    array = read_tensors(path).arrays[0].data
    assert not array.flags.owndata
    array += 1
    assert array.sum() == 2 * size
    assert path.read_bytes() == before


def test_order_in_memory_does_not_matter(path):
    array = np.arange(6, dtype="float32").reshape(2, 3)
    write_tensors(path, [array.T.copy().T, array.astype(">f4")])
    for stored in read_tensors(path).arrays:
        np.testing.assert_array_equal(stored.data, array)


def test_failure_leaves_the_old_file(path, monkeypatch):
    write_tensors(path, [np.ones(2)], ["old"])
    before = path.read_bytes()

    def fail(specs, name, metadata):
        with open(name, "wb") as stream:
            stream.write(b"half")
        raise safetensors.SafetensorError("disk full")

    monkeypatch.setattr("regluon.formats.tensors.serialize_file", fail)
    with pytest.raises(MXNetError, match=r"\[nd.save\] received 1 arrays .*: disk full. What was there before is unch"):
        write_tensors(path, [np.ones(3)], ["new"])
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_new_file_has_the_rights_the_umask_gives(path):
    plain = path.with_suffix(".txt")
    plain.write_text("")
    write_tensors(path, [np.ones(2)])
    assert path.stat().st_mode == plain.stat().st_mode


def test_every_truncation_and_flip_is_told_or_harmless(path):
    write_tensors(path, [np.arange(3, dtype="float32"), np.zeros((0, 2), "int64")], ["w", "b"])
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(FileFormatError):
            read_tensors(path)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x01 if at % 2 else 0xFF
        path.write_bytes(damaged)
        with contextlib.suppress(FileFormatError):
            read_tensors(path)


DAMAGED = {
    r"\[nd.load\] .*net.safetensors: received 3 bytes that are no valid safetensors.*download may be incompl": b"abc",
    r"byte [0-9]+: received tensor 'w' of dtype F8_E5M2 and shape \(2,\); expected one of F32, .*Convert it": raw(
        {"w": {"dtype": "F8_E5M2", "shape": [2], "data_offsets": [0, 2]}}, b"ab"
    ),
    r"received tensor 'w' of dtype F32 and shape \(0, 4611686018427387904, 8\)": raw(
        {"w": {"dtype": "F32", "shape": [0, 2**62, 8], "data_offsets": [0, 0]}}
    ),
    r"received a saved list with the names 0, x; expected the numbers from 0 to 1": raw(
        {
            "__metadata__": {"mxnet.container": "list"},
            "0": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "x": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]},
        },
        b"ab",
    ),
}


@pytest.mark.parametrize("text", list(DAMAGED))
def test_damage_is_told(path, text):
    path.write_bytes(DAMAGED[text])
    with pytest.raises(FileFormatError, match=text):
        read_tensors(path)


REFUSED = {
    r"received 1 names, 1 of them different, for 2 arrays": (OpParamError, [np.ones(1)] * 2, ["a"]),
    r"received 2 names, 1 of them different, for 2 arrays": (OpParamError, [np.ones(1)] * 2, ["a", "a"]),
    r"storage type undefined for a .safetensors file, which holds dense arrays only": (OpParamError, [NONE], ["a"]),
    r"received an array of dtype complex64": (OpTypeError, [np.ones(1, "complex64")], ["a"]),
}


@pytest.mark.parametrize("text", list(REFUSED))
def test_writer_refuses(path, text):
    kind, arrays, names = REFUSED[text]
    with pytest.raises(kind, match=text):
        write_tensors(path, arrays, names)
    assert not path.exists()


def test_missing_file_and_folder(path):
    with pytest.raises(MXNetError, match="expected an existing file, and there is none"):
        read_tensors(path)
    with pytest.raises(MXNetError, match="expected an existing folder"):
        write_tensors(path / "no" / "net.safetensors", [np.ones(1)])
