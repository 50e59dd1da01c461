"""Images as tensors: what fixtures cannot show, and the texts of refusals."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from tests.ops.base import check_bad_input


def picture(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.RandomState(0).randint(0, 256, shape).astype(dtype)


@pytest.mark.parametrize("width", [4, 5])
def test_flips_mirror_every_column_and_row(width: int):
    # A real MXNet leaves the middle of an odd number of columns or rows unwritten.
    values = picture(width, width, 3, dtype="uint8")
    np.testing.assert_array_equal(nd.image.flip_left_right(nd.array(values, dtype="uint8")).asnumpy(), values[:, ::-1])
    np.testing.assert_array_equal(nd.image.flip_top_bottom(nd.array(values, dtype="uint8")).asnumpy(), values[::-1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flip_left_right", lambda head: head[:, ::-1]),
        ("flip_top_bottom", lambda head: head[::-1]),
        ("to_tensor", lambda head: head.transpose(1, 2, 0) / 255),
    ],
)
def test_gradients_follow_the_pixels(name: str, expected):
    x = nd.array(picture(3, 4, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = getattr(nd.image, name)(x)
    head = np.random.RandomState(1).standard_normal(y.shape).astype("float32")
    y.backward(nd.array(head))
    np.testing.assert_allclose(x.grad.asnumpy(), expected(head), rtol=1e-6)


def test_normalize_cuts_off_integers():
    x = nd.array(np.arange(12).reshape(3, 2, 2), dtype="int32")
    result = nd.image.normalize(x, mean=(5.0,), std=(2.0,)).asnumpy()
    np.testing.assert_array_equal(result, np.trunc((np.arange(12).reshape(3, 2, 2) - 5) / 2))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda x: nd.image.crop(x, x=-1, y=0, width=2, height=2),
            "reaches outside of the image, which is 5 wide and 4",
        ),
        (lambda x: nd.image.crop(x, x=0, y=0, width=2, height=0), "width=2, height=0; expected at least 1"),
        (lambda x: nd.image.crop(x[0], x=0, y=0, width=2, height=2), r"expected an image of shape .* got \(5, 3\)"),
        (nd.image.normalize, r"channels, height, width\) with 1 or 3 channels.* got \(4, 5, 3\)"),
        (lambda x: nd.image.normalize(x.transpose((2, 0, 1)), mean=(1, 2)), "expected 1 number, or 3 for 3 channel"),
        (lambda x: nd.image.flip_left_right(x[:, :, :2]), "1 or 3 channels, got"),
        (lambda x: nd.image.resize(x, size=(1, 2, 3)), r"size=\(1, 2, 3\); expected \(width, height\)"),
        (lambda x: nd.image.resize(x.astype("int32"), size=3), "expected one of uint8, float32, float64, got int32"),
        (lambda x: nd.image.resize(x, size=3, interp=9), "interp=9; expected 0 .nearest.*mx.image"),
        (lambda x: nd.image.to_tensor(x[0]), r"or a batch \(N, height, width, channels\), got \(5, 3\)"),
    ],
)
def test_refusals(call, text: str):
    check_bad_input(lambda: call(nd.array(picture(4, 5, 3))), text)
