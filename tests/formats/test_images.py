"""Encoded images to pixels and back."""

import builtins
import contextlib
import sys

import numpy as np
import pytest

from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.formats import images

PIXELS = np.arange(6 * 4 * 3, dtype=np.uint8).reshape(6, 4, 3)


def test_there_and_back():
    encoded = images.encode(PIXELS, 3, ".png")
    np.testing.assert_array_equal(images.decode(encoded), PIXELS)
    np.testing.assert_array_equal(images.decode(memoryview(encoded), -1), PIXELS)
    assert images.decode(encoded, 0).shape == (6, 4)
    assert images.decode(images.encode(PIXELS[:, :, 0], suffix=".bmp"), -1).shape == (6, 4)


def test_damaged_images_are_named():
    with pytest.raises(
        FileFormatError, match=r"\[me\] received 5 bytes of dog.jpg beginning b'hello'; expected an enc"
    ):
        images.decode(b"hello", who="me", name="dog.jpg")
    with pytest.raises(FileFormatError, match=r"\[imdecode\] received 0 bytes; expected an encoded image"):
        images.decode(b"")


def test_every_cut_of_an_image_is_read_or_refused():
    encoded = images.encode(PIXELS, 3, ".png")
    for length in range(len(encoded)):
        with contextlib.suppress(FileFormatError):
            images.decode(encoded[:length])


@pytest.mark.parametrize(
    ("pixels", "suffix", "error", "text"),
    [
        ([[1]], ".jpg", OpTypeError, "received an image of type list; expected a numpy.ndarray"),
        (np.zeros((0, 3, 3), np.uint8), ".jpg", OpParamError, r"shape \(0, 3, 3\); expected \(height, width\)"),
        (np.zeros(3, np.uint8), ".jpg", OpParamError, r"shape \(3,\); expected"),
        (PIXELS, ".nonsense", OpParamError, "to write as '.nonsense'; expected a kind that OpenCV writes"),
        (np.zeros((3, 3, 7), np.uint8), ".jpg", OpParamError, "and pixels that fit it"),
    ],
)
def test_what_cannot_be_written(pixels, suffix, error, text):
    with pytest.raises(error, match=text):
        images.encode(pixels, suffix=suffix)


def test_without_opencv(monkeypatch):
    real = builtins.__import__

    def no_opencv(name, *args, **kwargs):
        if name == "cv2":
            raise ImportError("no module named cv2")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "cv2", raising=False)
    monkeypatch.setattr(builtins, "__import__", no_opencv)
    with pytest.raises(MXNetError, match=r"\[imread\] needs OpenCV .*pip install 'regluon\[image\]'"):
        images.opencv("imread")
