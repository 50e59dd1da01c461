"""Image records: headers, labels, pixels."""

import contextlib

import numpy as np
import pytest

from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.formats.image_record import IRHeader, pack, pack_img, unpack, unpack_img
from tools.oracle.record_recordio import labels


@pytest.mark.parametrize("label", labels())
def test_what_is_packed_is_unpacked(label):
    header, content = unpack(pack(IRHeader(5, label, 2**63, 7), b"content"))
    assert content == b"content"
    assert (header.id, header.id2) == (2**63, 7)
    if isinstance(label, list):
        assert header.flag == len(label)
        assert header.label.dtype == np.float32
        assert header.label.tolist() == label
    else:
        assert header.flag == 0
        assert header.label == label


def test_headers_look_as_in_mxnet():
    header = IRHeader(0, 14.0, 20129312, 0)
    assert repr(header) == "HEADER(flag=0, label=14.0, id=20129312, id2=0)"
    flag, label, number, _ = header
    assert (flag, label, number) == (0, 14.0, 20129312)
    assert header._replace(label=3).label == 3


@pytest.mark.parametrize("label", [np.float32(2), np.int64(2), True, np.array([2.0]), np.ones((2, 2))])
def test_labels_of_many_kinds(label):
    header, _ = unpack(pack((0, label, 0, 0), b""))
    np.testing.assert_array_equal(np.ravel(header.label), np.ravel(label).astype("f4"))


def test_insightface_meta_record():
    """Record 0 of its files has a vector for a label and no image: the first identity's key, and the end."""
    header, content = unpack(pack(IRHeader(0, [5822654.0, 5908396.0], 0, 0), b""))
    assert header.flag > 0
    assert (int(header.label[0]), int(header.label[1])) == (5822654, 5908396)
    assert content == b""


@pytest.mark.parametrize(
    ("header", "error", "text"),
    [
        (None, OpTypeError, r"received the header None; expected IRHeader"),
        ((1, 2, 3), OpTypeError, r"expected IRHeader\(flag, label, id, id2\)"),
        ((0, 1.0, -1, 0), OpParamError, r"expected a label that fits float32 and ids from 0"),
        ((0, 1e300, 1, 0), OpParamError, "expected a label that fits float32"),
        ((0, 1j, 1, 0), OpParamError, "expected a label that fits float32"),
    ],
)
def test_bad_headers_are_refused(header, error, text):
    with pytest.raises(error, match=text):
        pack(header, b"")


def test_bad_contents_are_refused():
    with pytest.raises(OpTypeError, match=r"\[pack\] received str; expected the record's bytes"):
        pack(IRHeader(0, 1, 1, 0), "text")  # type: ignore[arg-type]


def test_every_cut_and_flip_is_read_or_refused():
    record = pack(IRHeader(0, [1.0, 2.0, 3.0], 7, 0), b"image")
    for length in range(len(record)):
        if length < 24 + 12:
            with pytest.raises(FileFormatError, match="unpack"):
                unpack(record[:length])
        else:
            unpack(record[:length])
    for place in range(len(record)):
        for bit in range(8):
            damaged = bytearray(record)
            damaged[place] ^= 1 << bit
            with contextlib.suppress(FileFormatError):
                unpack(bytes(damaged))


def test_pixels_there_and_back():
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    header, found = unpack_img(pack_img(IRHeader(0, 3, 1, 0), pixels, quality=3, img_fmt=".png"))
    assert header.label == 3
    np.testing.assert_array_equal(found, pixels)
    _, gray = unpack_img(pack_img(IRHeader(0, 3, 1, 0), pixels, img_fmt=".PNG", quality=9), iscolor=0)
    assert gray.shape == (4, 5)
    _, lossy = unpack_img(pack_img(IRHeader(0, 3, 1, 0), np.full((8, 8, 3), 100, np.uint8)))
    assert abs(lossy.astype(int) - 100).max() <= 2


def test_no_image_is_refused():
    with pytest.raises(
        FileFormatError, match=r"\[unpack_img\] received 0 bytes of the record with id 9; expected an enc"
    ):
        unpack_img(pack(IRHeader(0, 1, 9, 0), b""))
