"""`CreateAugmenter`: the usual list of augmenters for classification."""

from typing import Any

import numpy as np

import mxnet.ndarray as nd

from ..context import cpu
from ..ndarray import NDArray
from ._augmenter import Augmenter
from ._coloring import ColorJitterAug, ColorNormalizeAug, HueJitterAug, LightingAug, RandomGrayAug
from ._shaping import (
    CastAug,
    CenterCropAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
)

__all__ = ["CreateAugmenter"]

# Of ImageNet's pixels: how much they vary along which directions of color, their mean and standard deviation.
EIGENVALUES = (55.46, 4.794, 1.148)
EIGENVECTORS = ((-0.5675, 0.7192, 0.4009), (-0.5808, -0.0045, -0.8140), (-0.5836, -0.6948, 0.4203))
MEAN = (123.68, 116.28, 103.53)
STD = (58.395, 57.12, 57.375)


def CreateAugmenter(
    data_shape: tuple[int, ...],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """A list of augmenters that make float32 images of one size.

    Args:
        data_shape: (channels, height, width) of the result.
        resize: first make the shorter side this long, if above 0.
        rand_crop: cut at a random place instead of the middle.
        rand_resize: with `rand_crop`: cut a part of random size and ratio.
        rand_mirror: mirror half of the images.
        mean: to subtract from red, green, blue: an array, or True for ImageNet's.
        std: to divide by: an array, or True for ImageNet's.
        brightness: strength of random changes; see `ColorJitterAug`.
        contrast: likewise.
        saturation: likewise.
        hue: strength of random turns of hue; see `HueJitterAug`.
        pca_noise: strength of random light; see `LightingAug`.
        rand_gray: probability that an image loses its color.
        inter_method: the interpolation of all resizing; see `resize_short`.

    Example:
        >>> mx.image.CreateAugmenter((3, 224, 224), rand_crop=True, rand_mirror=True, mean=True, std=True)
    """
    if rand_resize and not rand_crop:
        raise ValueError("[image.CreateAugmenter] received rand_resize=True without rand_crop=True; expected both.")
    size = (data_shape[2], data_shape[1])
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        augmenters.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    elif rand_crop:
        augmenters.append(RandomCropAug(size, inter_method))
    else:
        augmenters.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    augmenters.append(CastAug())
    augmenters += color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray)
    mean = nd.array(MEAN, ctx=cpu()) if mean is True else _checked_channels(mean, "mean")
    std = nd.array(STD, ctx=cpu()) if std is True else _checked_channels(std, "std")
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters


def color_augmenters(
    brightness: float, contrast: float, saturation: float, hue: float, pca_noise: float, rand_gray: float
) -> list[Augmenter]:
    """The augmenters of color that are asked for by a strength above 0."""
    augmenters: list[Augmenter] = []
    if brightness or contrast or saturation:
        augmenters.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, np.array(EIGENVALUES), np.array(EIGENVECTORS)))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    return augmenters


def _checked_channels(values: Any, name: str) -> Any:
    if values is not None and not (isinstance(values, (np.ndarray, NDArray)) and values.shape[:1] in ((1,), (3,))):
        shown = values.shape if isinstance(values, (np.ndarray, NDArray)) else values
        raise ValueError(
            f"[image.CreateAugmenter] {name}: received {shown!r}; expected True, None, or an array of 1 or 3 numbers."
        )
    return values
