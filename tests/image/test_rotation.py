"""Turning images: a full circle, and the texts of refusals."""

import numpy as np
import pytest

from mxnet import image, nd

BATCH = nd.array(np.random.RandomState(0).uniform(0, 1, (2, 3, 5, 5)))


def test_quarter_turns_move_pixels_to_pixels():
    np.testing.assert_allclose(image.imrotate(BATCH, 90).asnumpy(), np.rot90(BATCH.asnumpy(), 1, (2, 3)), atol=1e-4)
    np.testing.assert_allclose(image.imrotate(BATCH, 360).asnumpy(), BATCH.asnumpy(), atol=1e-4)


def test_zoom_in_shows_nothing_from_outside():
    ones = nd.ones((1, 11, 11))
    assert image.imrotate(ones, 30).asnumpy().min() == 0
    np.testing.assert_allclose(image.imrotate(ones, 30, zoom_in=True).asnumpy(), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: image.imrotate(BATCH, 5, True, True), ValueError, "zoom_in=True and zoom_out=True"),
        (
            lambda: image.imrotate(BATCH.astype("float64"), 5),
            TypeError,
            r"received float64; .* src.astype\('float32'\)",
        ),
        (lambda: image.imrotate(BATCH[0, 0], 5), ValueError, r"received an array of shape \(5, 5\)"),
        (lambda: image.imrotate(BATCH[0], nd.ones(1)), TypeError, "rotation_degrees: received NDArray"),
        (lambda: image.imrotate(BATCH, nd.ones(3)), ValueError, r"received 2 image\(s\) and 3 angles"),
    ],
)
def test_refusals(call, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call()
