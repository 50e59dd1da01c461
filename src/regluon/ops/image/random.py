"""Changes of light and color to images, most of them at random.

Images are (height, width, channels) with values of 0 to 255. Factors are drawn from the generator of the array's
context, so that `mx.random.seed` makes them reproducible. Results have the dtype of the image; those in uint8 are
limited to 0 to 255.
"""

import torch
from torch import Tensor

from ...errors import OpParamError
from ..params import Floats, Rng
from ..registry import operator
from .transform import expect_image

_LUMINANCE = (0.299, 0.587, 0.114)
# Directions in which the colors of ImageNet vary, scaled by how much: one column each.
_COLOR_VARIATION = (
    (55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009),
    (55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140),
    (55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203),
)


def _drawn(low: float, high: float, data: Tensor, rng: Rng) -> Tensor:
    """One number between two limits, on the device of the data."""
    return torch.rand((), generator=rng, device=data.device) * (high - low) + low


def _drawn_factor(min_factor: float, max_factor: float, data: Tensor, rng: Rng) -> Tensor:
    expect_image(data)
    if min_factor < 0 or max_factor < 0:
        raise OpParamError(f"min_factor={min_factor:g}, max_factor={max_factor:g}; expected none below 0")
    return _drawn(min_factor, max_factor, data, rng)


def _restored(image: Tensor, dtype: torch.dtype) -> Tensor:
    """Results in the dtype of the image, the fraction cut off for integers."""
    if dtype.is_floating_point:
        return image.to(dtype)
    if dtype == torch.uint8:
        return image.clamp(0, 255).to(dtype)
    return image.to(torch.int64).to(dtype)


def _working(data: Tensor) -> Tensor:
    """The image in a dtype to calculate in."""
    return data if data.dtype == torch.float64 else data.to(torch.float32)


def _mean_lightness(image: Tensor) -> Tensor:
    return (image @ image.new_tensor(_LUMINANCE)).mean() if image.shape[2] == 3 else image.mean()


def _adjust_brightness(image: Tensor, factor: Tensor) -> Tensor:
    return image * factor


def _adjust_contrast(image: Tensor, factor: Tensor) -> Tensor:
    return image * factor + _mean_lightness(image) * (1 - factor)


def _adjust_saturation(image: Tensor, factor: Tensor) -> Tensor:
    if image.shape[2] == 1:
        return image
    # MXNet weighs blue alone here, not all three: less saturation also darkens.
    return image * factor + image[:, :, 2:] * (_LUMINANCE[2] * (1 - factor))


def _adjust_hue(image: Tensor, factor: Tensor) -> Tensor:
    """Turns the hue by `factor` of a full circle, keeping lightness and saturation; gray stays as it is."""
    if image.shape[2] == 1:
        return image
    image = image / 255
    red, green, blue = image.unbind(-1)
    largest, smallest = image.amax(-1), image.amin(-1)
    spread, total = largest - smallest, largest + smallest
    lightness = total * 0.5
    colored = spread > torch.finfo(torch.float32).eps
    scale = 60 / torch.where(colored, spread, 1)
    room = torch.where(lightness < 0.5, total, 2 - total)
    saturation = torch.where(colored, spread / torch.where(colored, room, 1), 0)
    # In degrees, from red over green to blue.
    degrees = torch.where(
        largest == red,
        (green - blue) * scale,
        torch.where(largest == green, (blue - red) * scale + 120, (red - green) * scale + 240),
    )
    degrees = torch.where(colored, degrees, 0)
    sixths = (torch.where(degrees < 0, degrees + 360, degrees) + factor * 360) * (1 / 60)
    product = lightness * saturation
    top = torch.where(lightness <= 0.5, lightness + product, lightness + saturation - product)
    bottom = 2 * lightness - top
    shares = [((sixths + turn).remainder(6) - 3).abs().sub(1).clamp(0, 1) for turn in (0, 4, 2)]
    return torch.stack([bottom + (top - bottom) * share for share in shares], -1) * 255


@operator("_image_random_brightness", "_npx__image_random_brightness")
def random_brightness(data: Tensor, *, min_factor: float, max_factor: float, rng: Rng) -> Tensor:
    """Multiplies an image by a random factor between `min_factor` and `max_factor`."""
    factor = _drawn_factor(min_factor, max_factor, data, rng)
    return _restored(_adjust_brightness(_working(data), factor), data.dtype)


@operator("_image_random_contrast", "_npx__image_random_contrast")
def random_contrast(data: Tensor, *, min_factor: float, max_factor: float, rng: Rng) -> Tensor:
    """Moves an image away from its mean lightness by a random factor: 0 is even gray, 1 no change."""
    factor = _drawn_factor(min_factor, max_factor, data, rng)
    return _restored(_adjust_contrast(_working(data), factor), data.dtype)


@operator("_image_random_saturation", "_npx__image_random_saturation", returns_view=True)
def random_saturation(data: Tensor, *, min_factor: float, max_factor: float, rng: Rng) -> Tensor:
    """Makes the colors of an image stronger or weaker by a random factor: 1 is no change."""
    factor = _drawn_factor(min_factor, max_factor, data, rng)
    return _restored(_adjust_saturation(_working(data), factor), data.dtype)


@operator("_image_random_hue", "_npx__image_random_hue", returns_view=True)
def random_hue(data: Tensor, *, min_factor: float, max_factor: float, rng: Rng) -> Tensor:
    """Turns the hue by a random part of the circle: 0 and 1 are no change, 0.5 is the opposite color."""
    factor = _drawn_factor(min_factor, max_factor, data, rng)
    return _restored(_adjust_hue(_working(data), factor), data.dtype)


@operator("_image_random_color_jitter", "_npx__image_random_color_jitter", returns_view=True)
def random_color_jitter(
    data: Tensor, *, brightness: float, contrast: float, saturation: float, hue: float, rng: Rng
) -> Tensor:
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        data: one image.
        brightness: its factor lies between 1 - brightness and 1 + brightness; 0 leaves it alone.
        contrast: likewise.
        saturation: likewise.
        hue: likewise.
        rng: what order and factors are drawn from.
    """
    expect_image(data)
    if data.device.type == "meta":  # the order is a decision of the program, not of its arrays
        return torch.empty_like(data)
    steps = (
        (_adjust_brightness, brightness),
        (_adjust_contrast, contrast),
        (_adjust_saturation, saturation),
        (_adjust_hue, hue),
    )
    order = torch.randperm(len(steps), generator=rng, device=data.device).tolist()
    image = data
    for adjust, strength in (steps[i] for i in order):
        if strength > 0:
            factor = _drawn(1 - strength, 1 + strength, data, rng)
            image = _restored(adjust(_working(image), factor), data.dtype)
    return image


@operator("_image_random_flip_left_right", "_npx__image_random_flip_left_right")
def random_flip_left_right(data: Tensor, *, rng: Rng) -> Tensor:
    """Mirrors an image from left to right, or leaves it, with equal chances."""
    expect_image(data)
    return torch.where(_drawn(0, 1, data, rng) < 0.5, data.flip(1), data)


@operator("_image_random_flip_top_bottom", "_npx__image_random_flip_top_bottom")
def random_flip_top_bottom(data: Tensor, *, rng: Rng) -> Tensor:
    """Turns an image upside down, or leaves it, with equal chances."""
    expect_image(data)
    return torch.where(_drawn(0, 1, data, rng) < 0.5, data.flip(0), data)


@operator("_image_adjust_lighting", "_npx__image_adjust_lighting", returns_view=True)
def adjust_lighting(data: Tensor, *, alpha: Floats) -> Tensor:
    """Shifts the color along the directions in which ImageNet's colors vary; gray images stay as they are.

    Args:
        data: one image.
        alpha: how far along each of the three directions.
    """
    expect_image(data)
    if len(alpha) < 3:
        raise OpParamError(f"alpha={alpha}; expected 3 numbers")
    return _lit(data, torch.tensor(alpha[:3], dtype=torch.float32, device=data.device))


@operator("_image_random_lighting", "_npx__image_random_lighting", returns_view=True)
def random_lighting(data: Tensor, *, alpha_std: float = 0.05, rng: Rng) -> Tensor:
    """Shifts the color as `adjust_lighting` does, by normal random numbers of standard deviation `alpha_std`."""
    expect_image(data)
    return _lit(data, torch.randn(3, generator=rng, device=data.device) * alpha_std)


def _lit(data: Tensor, alpha: Tensor) -> Tensor:
    if data.shape[2] == 1:
        return data
    return _restored(_working(data) + alpha.new_tensor(_COLOR_VARIATION) @ alpha, data.dtype)
