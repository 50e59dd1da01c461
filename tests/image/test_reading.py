"""Reading and resizing: what it accepts, and the texts of refusals."""

from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import image, nd
from mxnet.base import MXNetError
from mxnet.error import FileFormatError
from mxnet.image._reader import chosen_interpolation
from tools.oracle.image_programs import picture, png_bytes

PIXELS = picture(0, 10, 14)
PNG = png_bytes(PIXELS)
IMAGE = nd.array(PIXELS, dtype="uint8")


def test_paths_and_memory_views_are_accepted(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    for result in (image.imread(path), image.imdecode(memoryview(PNG))):
        np.testing.assert_array_equal(result.asnumpy(), PIXELS)
        assert result.context == mx.cpu()


def test_out_is_written_to():
    out = nd.zeros((10, 14, 3), dtype="uint8")
    assert image.imdecode(PNG, out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), PIXELS)


def test_imresize_knows_the_choosing_interpolations():
    np.testing.assert_array_equal(
        image.imresize(IMAGE, 5, 4, interp=9).asnumpy(), image.imresize(IMAGE, 5, 4, interp=3).asnumpy()
    )
    assert image.imresize(IMAGE, 20, 20, 10).shape == (20, 20, 3)


@pytest.mark.parametrize(
    ("sizes", "expected"), [((), 2), ((4, 4, 8, 8), 2), ((8, 8, 4, 4), 3), ((8, 8, 4, 9), 1), ((8, 8, 8, 8), 1)]
)
def test_interpolation_by_sizes(sizes: tuple, expected: int):
    assert chosen_interpolation(9, sizes) == expected


def test_gluoncv_finds_the_choice_of_interpolations_under_its_old_name():
    assert image.image._get_interp_method(9, (4, 4, 8, 8)) == 2
    assert image.image._get_interp_method(4) == 4
    with pytest.raises(ValueError, match="interp: received 7"):
        image.image._get_interp_method(7)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: image.imdecode("abc"), ValueError, r"buf: received str; expected bytes.*open\(path, 'rb'\)"),
        (lambda: image.imdecode(b""), FileFormatError, "received 0 bytes"),
        (lambda: image.imdecode(b"\xff\xd8\xff broken jpeg"), FileFormatError, r"beginning b'\\xff\\xd8\\xff brok'"),
        (lambda: image.imread("no/such.jpg"), mx.MXNetError, "cannot read the image file 'no/such.jpg': No such file"),
        (lambda: image.imresize(IMAGE, 3, 3, interp=7), ValueError, "interp: received 7; expected 0 nearest"),
        (lambda: image.imresize(PIXELS, 3, 3, 1), TypeError, r"src: received numpy.ndarray; .* nd.array\(image, dtype"),
        (lambda: image.resize_short(nd.zeros((3, 4)), 2), ValueError, r"received an array of shape \(3, 4\); expected"),
    ],
)
def test_refusals(call, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call()


def test_unknown_interpolations_are_errors_of_mxnet():
    with pytest.raises(MXNetError, match="interp: received -1"):
        image.imresize(IMAGE, 5, 4, interp=-1)
