"""Augmenters that change the colors of an image of floats, writing to it."""

import math
from typing import Any

import numpy as np

import mxnet.image._augmenter as draws
import mxnet.ndarray as nd

from ..context import cpu
from ..ndarray import NDArray
from ._augmenter import Augmenter
from ._geometry import RandomOrderAug

__all__ = [
    "BrightnessJitterAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "HueJitterAug",
    "LightingAug",
    "RandomGrayAug",
    "SaturationJitterAug",
    "color_normalize",
]

_LUMINANCE = ((0.299, 0.587, 0.114),)


def color_normalize(src: NDArray, mean: NDArray | None, std: NDArray | None = None) -> NDArray:
    """Subtracts a mean and divides by a standard deviation, writing to the image.

    Args:
        src: an image of floats.
        mean: by channel, or None.
        std: by channel, or None.
    """
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src


def _lightness_weights() -> NDArray:
    return nd.array((_LUMINANCE,), ctx=cpu())


class BrightnessJitterAug(Augmenter):
    """Multiplies by a random factor.

    Args:
        brightness: how far the factor may lie from 1.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: NDArray) -> NDArray:
        """The same array, brighter or darker."""
        src *= 1.0 + draws.uniform(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Moves the image away from its mean lightness, or towards it, by a random factor.

    Args:
        contrast: how far the factor may lie from 1.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = _lightness_weights()

    def __call__(self, src: NDArray) -> NDArray:
        """The same array, with more or less contrast."""
        factor = 1.0 + draws.uniform(-self.contrast, self.contrast)
        weighted = src * self.coef
        gray = (3.0 * (1.0 - factor) / weighted.size) * nd.sum(weighted)
        src *= factor
        src += gray
        return src


class SaturationJitterAug(Augmenter):
    """Moves each pixel away from its gray, or towards it, by a random factor.

    Args:
        saturation: how far the factor may lie from 1.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = _lightness_weights()

    def __call__(self, src: NDArray) -> NDArray:
        """The same array, with stronger or weaker colors."""
        factor = 1.0 + draws.uniform(-self.saturation, self.saturation)
        gray = nd.dot(src, self.coef.reshape((3, 1))) * (1.0 - factor)
        src *= factor
        src += gray
        return src


class HueJitterAug(Augmenter):
    """Turns the hue by a random angle, as a linear change of colors in the YIQ space of television.

    Args:
        hue: the largest part of half a circle.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue
        self.tyiq = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
        self.ityiq = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])

    def __call__(self, src: NDArray) -> NDArray:
        """A new image with other hues."""
        angle = draws.uniform(-self.hue, self.hue) * math.pi
        turn = np.array(
            [[1.0, 0.0, 0.0], [0.0, math.cos(angle), -math.sin(angle)], [0.0, math.sin(angle), math.cos(angle)]]
        )
        return nd.dot(src, nd.array((self.ityiq @ turn @ self.tyiq).T, ctx=src.context))


class ColorJitterAug(RandomOrderAug):
    """Changes brightness, contrast and saturation in random order.

    Args:
        brightness: see `BrightnessJitterAug`; 0 leaves it alone.
        contrast: see `ContrastJitterAug`; 0 leaves it alone.
        saturation: see `SaturationJitterAug`; 0 leaves it alone.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds: Any = (
            (BrightnessJitterAug, brightness),
            (ContrastJitterAug, contrast),
            (SaturationJitterAug, saturation),
        )
        super().__init__([make(strength) for make, strength in kinds if strength > 0])


class LightingAug(Augmenter):
    """Shifts all colors by random steps along given directions, usually those in which a data set varies.

    Args:
        alphastd: standard deviation of the steps.
        eigval: how much the data vary along each direction.
        eigvec: the directions, one a column.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, alphastd: float, eigval: np.ndarray, eigvec: np.ndarray) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, eigval, eigvec

    def __call__(self, src: NDArray) -> NDArray:
        """The same array, in another light."""
        steps = draws.normals(self.alphastd, 3)
        src += nd.array(np.dot(self.eigvec * steps, self.eigval), ctx=src.context)
        return src


class ColorNormalizeAug(Augmenter):
    """Subtracts a mean and divides by a standard deviation; see `color_normalize`.

    Args:
        mean: by channel, or None.
        std: by channel, or None.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean = mean if mean is None or isinstance(mean, NDArray) else nd.array(mean, ctx=cpu())
        self.std = std if std is None or isinstance(std, NDArray) else nd.array(std, ctx=cpu())

    def __call__(self, src: NDArray) -> NDArray:
        """The same array, normalized."""
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Takes the color away, at random; three equal channels remain.

    Args:
        p: the probability.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p
        self.mat = nd.array([[0.21, 0.21, 0.21], [0.72, 0.72, 0.72], [0.07, 0.07, 0.07]], ctx=cpu())

    def __call__(self, src: NDArray) -> NDArray:
        """The image as it is, or a gray one."""
        return nd.dot(src, self.mat) if draws.happens(self.p) else src
