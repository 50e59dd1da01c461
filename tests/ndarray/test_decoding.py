"""`nd.imdecode`. A real MXNet refuses every call from Python 3, so that its documentation decides."""

import numpy as np
import pytest

from mxnet import nd
from tools.oracle.image_programs import picture, png_bytes

PIXELS = picture(0, 6, 8)
PNG = png_bytes(PIXELS)
PLANES = PIXELS.transpose(2, 0, 1).astype("float32")


def test_decodes_to_planes():
    result = nd.imdecode(PNG)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result.asnumpy(), PLANES)
    assert nd.imdecode(PNG, channels=1).shape == (1, 6, 8)


def test_clips_and_subtracts_a_mean():
    result = nd.imdecode(PNG, clip_rect=(1, 2, 5, 6), mean=nd.ones((3, 4, 4)))
    np.testing.assert_array_equal(result.asnumpy(), PLANES[:, 2:6, 1:5] - 1)


def test_writes_to_out():
    image, batch = nd.zeros((3, 6, 8)), nd.zeros((2, 3, 6, 8))
    assert nd.imdecode(PNG, out=image) is image
    assert nd.imdecode(PNG, out=batch, index=1) is batch
    np.testing.assert_array_equal(image.asnumpy(), PLANES)
    np.testing.assert_array_equal(batch.asnumpy(), [PLANES * 0, PLANES])


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"channels": 2}, "channels: received 2; expected 3, or 1"),
        ({"clip_rect": (0, 0, 9, 3)}, r"clip_rect: received \(0, 0, 9, 3\); .* 8 wide and 6 high"),
        ({"out": nd.zeros((3, 6, 7))}, r"out: received room for \(3, 6, 7\); expected \(3, 6, 8\)"),
    ],
)
def test_refusals(kwargs: dict, text: str):
    with pytest.raises(ValueError, match=rf"\[nd.imdecode\] {text}"):
        nd.imdecode(PNG, **kwargs)
