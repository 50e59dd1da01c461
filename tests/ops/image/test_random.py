"""Random changes to images: their statistics, their reproducibility, and the texts of refusals."""

import colorsys

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from tests.ops.base import check_bad_input

PICTURE = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype("float32")
RANDOM = {
    "random_brightness": {"min_factor": 0.5, "max_factor": 1.5},
    "random_contrast": {"min_factor": 0.5, "max_factor": 1.5},
    "random_saturation": {"min_factor": 0.5, "max_factor": 1.5},
    "random_hue": {"min_factor": 0.5, "max_factor": 1.5},
    "random_color_jitter": {"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.4},
    "random_lighting": {"alpha_std": 0.5},
    "random_flip_left_right": {},
    "random_flip_top_bottom": {},
}


def apply(name: str, image: np.ndarray = PICTURE) -> np.ndarray:
    return getattr(nd.image, name)(nd.array(image, dtype=image.dtype), **RANDOM[name]).asnumpy()


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_makes_results_reproducible(name: str):
    mx.random.seed(7)
    first = [apply(name) for _ in range(8)]
    mx.random.seed(7)
    again = [apply(name) for _ in range(8)]
    np.testing.assert_array_equal(first, again)
    assert len({result.tobytes() for result in first}) > 1


def test_brightness_factors_are_uniform():
    mx.random.seed(1)
    image = np.full((1, 1, 3), 100, "float32")
    factors = [apply("random_brightness", image)[0, 0, 0] / 100 for _ in range(400)]
    assert 0.5 <= min(factors) < 0.55
    assert 1.45 < max(factors) <= 1.5
    assert np.mean(factors) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(("name", "axis"), [("random_flip_left_right", 1), ("random_flip_top_bottom", 0)])
def test_half_of_the_images_are_flipped(name: str, axis: int):
    mx.random.seed(1)
    flipped = 0
    for _ in range(200):
        result = apply(name)
        same, mirrored = np.array_equal(result, PICTURE), np.array_equal(result, np.flip(PICTURE, axis))
        assert same or mirrored
        flipped += mirrored
    assert 70 < flipped < 130


def test_lighting_shifts_all_pixels_alike():
    mx.random.seed(1)
    shifts = np.array([apply("random_lighting") - PICTURE for _ in range(300)])
    np.testing.assert_allclose(shifts, shifts[:, :1, :1].repeat(4, 1).repeat(5, 2), atol=1e-3)
    variation = np.array([55.46, 4.794, 1.148])
    vectors = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])
    expected = 0.5 * np.sqrt(((vectors * variation) ** 2).sum(1))
    np.testing.assert_allclose(shifts[:, 0, 0].std(0), expected, rtol=0.15)


def test_hue_keeps_lightness_and_saturation():
    image = PICTURE.astype("uint8")
    result = nd.image.random_hue(nd.array(image, dtype="uint8"), min_factor=0.25, max_factor=0.25).asnumpy()
    for before, after in zip(image.reshape(-1, 3) / 255.0, result.reshape(-1, 3), strict=True):
        hue, lightness, saturation = colorsys.rgb_to_hls(*before)
        expected = np.array(colorsys.hls_to_rgb((hue + 0.25) % 1, lightness, saturation)) * 255
        np.testing.assert_allclose(after, expected, atol=1.01)  # the fraction is cut off


def test_hue_of_gray_has_finite_gradients():
    x = nd.full((2, 2, 3), 80)
    x.attach_grad()
    with mx.autograd.record():
        y = nd.image.random_hue(x, min_factor=0.3, max_factor=0.3)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), 80, rtol=1e-5)
    assert np.isfinite(x.grad.asnumpy()).all()


@pytest.mark.parametrize("name", [*RANDOM, "adjust_lighting"])
def test_gray_images_pass(name: str):
    gray = nd.array(PICTURE[:, :, :1])
    result = getattr(nd.image, name)(gray, **RANDOM.get(name, {"alpha": (0.1, 0.2, 0.3)}))
    assert result.shape == gray.shape
    if name in ("random_saturation", "random_hue", "random_lighting", "adjust_lighting"):
        np.testing.assert_array_equal(result.asnumpy(), gray.asnumpy())


def test_jitter_of_nothing_changes_nothing():
    result = nd.image.random_color_jitter(nd.array(PICTURE), brightness=0, contrast=0, saturation=0, hue=0)
    np.testing.assert_array_equal(result.asnumpy(), PICTURE)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: nd.image.random_hue(x, -0.5, 1), "min_factor=-0.5, max_factor=1; expected none below 0"),
        (lambda x: nd.image.random_brightness(x, 0, -1), "max_factor=-1; expected none below 0"),
        (lambda x: nd.image.adjust_lighting(x, alpha=(1, 2)), "expected 3 numbers"),
        (lambda x: nd.image.random_color_jitter(x[0], 0, 0, 0, 0), "expected one image of shape"),
    ],
)
def test_refusals(call, text: str):
    check_bad_input(lambda: call(nd.array(PICTURE)), text)
