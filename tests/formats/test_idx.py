"""The idx format of MNIST."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnet.error import FileFormatError, OpTypeError
from regluon.formats import idx

IMAGES = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 3, 4), (0, 3)])
def test_round_trip(tmp_path, dtype, shape):
    array = (np.arange(np.prod(shape)) * 3 - 7).astype(dtype).reshape(shape)
    path = tmp_path / "array"
    path.write_bytes(idx.encode(array))
    for content in (idx.encode(array), gzip.compress(idx.encode(array))):
        path.write_bytes(content)
        found = idx.read(path)
        assert found.dtype == np.dtype(dtype)
        assert found.dtype.isnative
        assert found.flags.writeable
        np.testing.assert_array_equal(found, array)


def test_the_bytes_of_mnist():
    assert idx.encode(IMAGES)[:16] == bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4])
    assert idx.encode(np.array([1, -2], dtype="int16")) == b"\0\0\x0b\x01\0\0\0\x02\0\x01\xff\xfe"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", r"begins with b''; expected the header of an idx file"),
        (b"\0\0\x08", "expected the header"),
        (b"\x01\0\x08\x01\0\0\0\0", "expected the header"),
        (b"\0\0\x07\x01\0\0\0\0", "expected the header"),
        (b"\0\0\x08\x00", "expected the header"),
        (b"\0\0\x08\x21" + b"\0" * 200, "expected the header"),
        (b"\0\0\x08\x03\0\0\0\x01\0", "ends within the lengths of its 3 axes"),
        (b"\0\0\x08\x03" + b"\xff" * 12, r"announces an array of shape .* bytes; the file can hold 16 at most"),
        (idx.encode(IMAGES)[:-1], "shape .* and 24 bytes; there are 23|can hold"),
        (idx.encode(IMAGES) + b"x", "more bytes than the 24 of its shape"),
        (gzip.compress(idx.encode(IMAGES), mtime=0)[:-9], "compressed file is damaged or incomplete"),
        (gzip.compress(idx.encode(IMAGES)[:-1], mtime=0), r"shape \(2, 3, 4\) and 24 bytes; there are 23"),
        (gzip.compress(idx.encode(IMAGES) + b"x", mtime=0), "more bytes than the 24"),
        (gzip.compress(b"\0\0\x08\x02" + b"\x7f" * 8, mtime=0), "the file can hold .* at most"),
    ],
)
def test_damaged_files(content, text):
    with pytest.raises(FileFormatError, match=text):
        idx.decode(content, "MNIST", "images.gz")


def test_a_wrong_checksum_is_found():
    packed = bytearray(gzip.compress(idx.encode(IMAGES)))
    packed[-6] ^= 1
    with pytest.raises(FileFormatError, match="damaged"):
        idx.decode(packed)


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "labels"
    path.write_bytes(b"no such thing")
    with pytest.raises(FileFormatError, match=r"^\[MNIST\] .*labels: begins with"):
        idx.read(path, "MNIST")


@given(st.binary(max_size=80), st.booleans(), st.booleans())
def test_any_bytes_are_read_or_refused(noise, packed, with_header):
    content = idx.encode(IMAGES)[:4] + noise if with_header else noise
    try:
        array = idx.decode(gzip.compress(content) if packed else content)
    except FileFormatError:
        return
    assert idx.encode(array) == content


@given(st.integers(0, 39), st.integers(0, 255))
def test_any_changed_byte_is_read_or_refused(place, value):
    content = bytearray(idx.encode(IMAGES))
    content[place] = value
    try:
        array = idx.decode(content)
    except FileFormatError:
        return
    assert array.nbytes == 24


def test_an_empty_array_of_impossible_lengths():
    header = bytes((0, 0, 8, 3)) + bytes(4) + b"\xff" * 8
    with pytest.raises(
        FileFormatError, match=r"announces an array of shape \(0, 4294967295, 4294967295\), which no array"
    ):
        idx.decode(header)


def test_what_cannot_be_written():
    with pytest.raises(OpTypeError, match="array of int64 with 1 axes; expected 1 to 32 axes of uint8"):
        idx.encode(np.arange(3))
    with pytest.raises(OpTypeError, match="with 0 axes"):
        idx.encode(np.array(3, dtype="uint8"))
