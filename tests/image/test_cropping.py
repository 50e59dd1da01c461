"""Crops: the texts of refusals and warnings, and that a crop is where it says."""

import numpy as np
import pytest

from mxnet import image, nd
from tools.oracle.image_programs import picture

PIXELS = picture(0, 20, 30)
IMAGE = nd.array(PIXELS, dtype="uint8")


def test_a_crop_is_where_it_says():
    crop, (x, y, w, h) = image.random_crop(IMAGE, (7, 5))
    assert (w, h) == (7, 5)
    np.testing.assert_array_equal(crop.asnumpy(), PIXELS[y : y + h, x : x + w])


def test_random_sizes_keep_their_limits():
    for _ in range(50):
        crop, (_, _, w, h) = image.random_size_crop(IMAGE, (8, 8), (0.2, 0.5), (0.5, 2.0))
        assert crop.shape == (8, 8, 3)
        assert 0.13 < w * h / 600 < 0.6
        assert 0.4 < w / h < 2.4


def test_the_old_name_of_area_warns():
    with pytest.warns(DeprecationWarning, match="Please use `area` instead"):
        image.random_size_crop(IMAGE, (8, 8), None, (1.0, 1.0), min_area=0.5)
    with pytest.warns(DeprecationWarning, match="Please use `area` instead"):
        augmenter = image.RandomSizedCropAug((8, 8), None, (1.0, 1.0), min_area=0.5)
    assert augmenter.area == 0.5


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: image.fixed_crop(IMAGE, 30, 0, 2, 2), ValueError, "x0=30, y0=0, w=2, h=2; .* 30 wide and 20 high"),
        (lambda: image.fixed_crop(IMAGE, -1, 0, 2, 2), ValueError, "x0=-1"),
        (lambda: image.fixed_crop(IMAGE, 0, 0, 0, 2), ValueError, "w=0"),
        (lambda: image.random_crop(nd.zeros((2, 2)), (1, 1)), ValueError, r"expected an image \(height, width"),
        (
            lambda: image.random_size_crop(IMAGE, (8, 8), 0.5, (1, 1), areas=3),
            TypeError,
            "random_size_crop. received unexpected arguments areas",
        ),
    ],
)
def test_refusals(call, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call()
