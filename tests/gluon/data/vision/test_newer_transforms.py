"""Transforms that came after MXNet 1.9.1: their values by NumPy."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.gluon import data
from mxnet.gluon.data import _batch_reader
from mxnet.gluon.data.vision import transforms

PIXELS = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype("uint8")
IMAGE = nd.array(PIXELS, dtype="uint8")


def test_crops_are_parts():
    parts = [PIXELS[y : y + 3, x : x + 2].tolist() for y in range(2) for x in range(4)]
    found = [transforms.RandomCrop((2, 3))(IMAGE).asnumpy().tolist() for _ in range(80)]
    assert all(part in parts for part in found)
    assert len({str(part) for part in found}) > 4


@pytest.mark.parametrize(
    ("pad", "widths"), [(None, (0, 0, 0, 0)), (1, (1, 1, 1, 1)), (((1, 2), (3, 0)), (1, 2, 3, 0)), (0, (0,) * 4)]
)
def test_borders(pad, widths):
    top, bottom, left, right = widths
    size = (5 + left + right, 4 + top + bottom)
    found = transforms.RandomCrop(size, pad, pad_value=7)(IMAGE)
    expected = np.pad(PIXELS, ((top, bottom), (left, right), (0, 0)), constant_values=7)
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_small_images_are_enlarged():
    assert transforms.RandomCrop(8)(IMAGE).shape == (8, 8, 3)


def test_gray():
    gray = transforms.RandomGray(1.0)(IMAGE)
    expected = PIXELS.astype("float32") @ np.array([0.2126, 0.7152, 0.0722])
    assert (gray.dtype, gray.shape) == (np.float32, (4, 5, 3))
    for channel in range(3):
        np.testing.assert_allclose(gray.asnumpy()[..., channel], expected, rtol=1e-5)
    np.testing.assert_array_equal(transforms.RandomGray(0.0)(IMAGE).asnumpy(), PIXELS)


def test_rows_that_compile():
    row = transforms.HybridCompose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])
    expected = (PIXELS.transpose(2, 0, 1) / 255 - 0.5) / 0.5
    np.testing.assert_allclose(row(IMAGE).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    source = data.SimpleDataset(nd.stack(IMAGE, IMAGE)).transform(row)
    assert _batch_reader.taken(source, np.arange(2)) is not None


@pytest.mark.parametrize("compiled", [False, True])
def test_choices_that_compile(compiled):
    chosen = transforms.HybridRandomApply(transforms.RandomBrightness(0.0), 0.5)
    black = transforms.HybridRandomApply(Black(), 0.5)
    if compiled:
        black.hybridize()
    np.testing.assert_array_equal(chosen(IMAGE).asnumpy(), PIXELS)
    mx.random.seed(1)
    sums = {int(black(IMAGE).asnumpy().sum(dtype="int64")) for _ in range(30)}
    assert sums == {0, int(PIXELS.sum(dtype="int64"))}
    assert black(IMAGE).dtype is np.uint8


class Black(transforms.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.zeros_like(x)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: transforms.RandomCrop(3, (1, 2)), ValueError, r"pad: received \(1, 2\); expected a number, or"),
        (
            lambda: transforms.HybridCompose([transforms.CenterCrop(3)]),
            TypeError,
            "received a CenterCrop; expected Hyb",
        ),
        (lambda: transforms.HybridRandomApply(abs), TypeError, "received a builtin_function_or_method; expected a Hyb"),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()
