"""Decoding and resizing with OpenCV: broken files, missing OpenCV, and the texts of refusals."""

import builtins
from pathlib import Path

import cv2
import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.error import FileFormatError
from regluon.ops.image.codec import decode_image, resize_image
from tests.ops.base import check_bad_input

PICTURE = np.random.RandomState(0).randint(0, 256, (20, 30, 3)).astype("uint8")
PNG = cv2.imencode(".png", PICTURE)[1].tobytes()


def as_bytes(data: bytes) -> nd.NDArray:
    return nd.array(np.frombuffer(data, "uint8"), dtype="uint8")


def test_reads_files(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    result = nd._internal._cvimread(str(path))
    np.testing.assert_array_equal(result.asnumpy(), PICTURE[:, :, ::-1])
    assert nd._internal._cvimread(str(path), flag=0).shape == (20, 30, 1)
    np.testing.assert_array_equal(nd._internal._cvimread(str(path), to_rgb=False).asnumpy(), PICTURE)


@pytest.mark.parametrize(("data", "text"), [(b"", "received 0 bytes"), (b"nonsense", "beginning b'nonsense'")])
def test_broken_files_are_named(tmp_path: Path, data: bytes, text: str):
    path = tmp_path / "broken.png"
    path.write_bytes(data)
    check_bad_input(
        lambda: nd._internal._cvimread(str(path)), rf"image file '.*broken\.png': .*{text}", FileFormatError
    )


def test_missing_files_are_named(tmp_path: Path):
    check_bad_input(lambda: nd._internal._cvimread(str(tmp_path / "no.png")), r"cannot read .*no\.png': No such file")
    check_bad_input(lambda: nd._internal._cvimread(str(tmp_path)), "cannot read the image file")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nd._internal._cvimdecode(as_bytes(PNG[:60])), "The image is damaged or cut off"),
        (lambda: nd._internal._cvimdecode(as_bytes(PNG).astype("float32")), "as uint8, got float32"),
        (lambda: nd._internal._cvimdecode(as_bytes(PNG), flag=-1), "flag=-1; expected 1 for a color image or 0"),
        (lambda: nd._internal._cvimresize(nd.zeros((2, 2, 3)), w=0, h=2), "w=0, h=2; expected .* at least 1"),
        (lambda: nd._internal._cvimresize(nd.zeros((2, 2)), w=1, h=2), r"\(height, width, channels\), got \(2, 2\)"),
        (lambda: nd._internal._cvcopyMakeBorder(nd.zeros((2, 2, 3)), 1, 1, 1, -1), "right=-1; expected none below 0"),
        (lambda: nd._internal._cvcopyMakeBorder(nd.zeros((2, 2, 3)), 1, 1, 1, 1, 7), "type=7; expected 0 constant"),
        (
            lambda: nd._internal._cvcopyMakeBorder(nd.zeros((2, 2, 6)), 1, 1, 1, 1, values=(1, 2)),
            "OpenCV cannot make this border",
        ),
    ],
)
def test_refusals(call, text: str):
    check_bad_input(call, text)


def test_sixteen_bits_need_a_flag_that_keeps_eight():
    deep = cv2.imencode(".png", PICTURE.astype("uint16") * 257)[1].reshape(-1)
    np.testing.assert_array_equal(decode_image(deep, to_rgb=False), PICTURE)
    check_bad_input(lambda: decode_image(deep, flag=2), "gives an image of uint16")


def test_resizing_is_that_of_opencv():
    for interp in range(5):
        expected = cv2.resize(PICTURE, (17, 11), interpolation=interp)
        np.testing.assert_array_equal(resize_image(PICTURE, 17, 11, interp), expected)
    check_bad_input(lambda: resize_image(np.zeros((2, 2, 3), "int64"), 1, 1), "OpenCV cannot resize to width 1")


def test_without_opencv_the_text_says_how_to_install(monkeypatch: pytest.MonkeyPatch):
    original = builtins.__import__

    def refuse(name: str, *args, **kwargs):
        if name == "cv2":
            raise ImportError("No module named 'cv2'")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(mx.MXNetError, match=r"No module named 'cv2'.*pip install 'regluon\[image\]'"):
        decode_image(np.frombuffer(PNG, "uint8"))
