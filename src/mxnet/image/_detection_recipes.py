"""The usual lists of augmenters for detection."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._coloring import ColorNormalizeAug
from ._detection_augmenters import DetAugmenter, DetBorrowAug, DetHorizontalFlipAug, DetRandomSelectAug
from ._detection_regions import DetRandomCropAug, DetRandomPadAug
from ._recipes import MEAN, STD, color_augmenters
from ._shaping import CastAug, ForceResizeAug, ResizeAug

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter"]


def CreateMultiRandCropAugmenter(
    min_object_covered: float | list[float] = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: float | list[float] = 0.3,
    max_attempts: int | list[int] = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Several `DetRandomCropAug`, of which one is chosen for each image.

    Args:
        min_object_covered: see `DetRandomCropAug`; as all that follow, a list gives each crop its own.
        aspect_ratio_range: likewise; a list of tuples.
        area_range: likewise; a list of tuples.
        min_eject_coverage: likewise.
        max_attempts: likewise.
        skip_prob: the probability that an image is not cropped.
    """
    given = {
        "min_object_covered": min_object_covered,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "min_eject_coverage": min_eject_coverage,
        "max_attempts": max_attempts,
    }
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    count = max(map(len, lists.values()))
    unequal = {name: len(values) for name, values in lists.items() if len(values) not in (1, count)}
    if unequal:
        listed = ", ".join(f"{length} of {name}" for name, length in unequal.items())
        raise ValueError(f"[image.CreateMultiRandCropAugmenter] received {listed}; expected 1 or {count} of each.")
    crops = [
        DetRandomCropAug(**{name: values[i % len(values)] for name, values in lists.items()}) for i in range(count)
    ]
    return DetRandomSelectAug(crops, skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: tuple[int, ...],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: float | list[float] = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: float | list[float] = 0.3,
    max_attempts: int | list[int] = 50,
    pad_val: float | Sequence[float] = (127, 127, 127),
) -> list[DetAugmenter]:
    """A list of augmenters for detection that make float32 images of one size.

    Args:
        data_shape: (channels, height, width) of the result.
        resize: first make the shorter side this long, if above 0.
        rand_crop: probability of a random crop.
        rand_pad: probability of a random border.
        rand_gray: probability that an image loses its color.
        rand_mirror: mirror half of the images.
        mean: to subtract from red, green, blue: a NumPy array, or True for ImageNet's.
        std: to divide by: a NumPy array, or True for ImageNet's.
        brightness: strength of random changes; see `ColorJitterAug`.
        contrast: likewise.
        saturation: likewise.
        pca_noise: strength of random light; see `LightingAug`.
        hue: strength of random turns of hue; see `HueJitterAug`.
        inter_method: the interpolation of all resizing; see `resize_short`.
        min_object_covered: of random crops; see `CreateMultiRandCropAugmenter`.
        aspect_ratio_range: of random crops and borders.
        area_range: of random crops, and its upper limit of borders.
        min_eject_coverage: of random crops.
        max_attempts: of random crops and borders.
        pad_val: the color of borders.
    """
    augmenters: list[DetAugmenter] = [DetBorrowAug(ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        augmenters.append(
            CreateMultiRandCropAugmenter(
                min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts, 1 - rand_crop
            )
        )
    if rand_mirror:
        augmenters.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:  # late, since it makes images larger
        ratios, attempts = _first(aspect_ratio_range), _first(max_attempts)
        most = max(limits[1] for limits in (area_range if isinstance(area_range, list) else [area_range]))
        pad = DetRandomPadAug(ratios, (1.0, most), attempts, pad_val)
        augmenters.append(DetRandomSelectAug([pad], 1 - rand_pad))
    borrowed = [
        ForceResizeAug((data_shape[2], data_shape[1]), inter_method),
        CastAug(),
        *color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray),
    ]
    mean, std = channel_values(mean, MEAN, "mean"), channel_values(std, STD, "std")
    if mean is not None or std is not None:
        borrowed.append(ColorNormalizeAug(mean, std))
    return augmenters + [DetBorrowAug(augmenter) for augmenter in borrowed]


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def channel_values(values: Any, default: Sequence[float], name: str) -> np.ndarray | None:
    """A NumPy array by channel, where True stands for a default."""
    if values is True:
        return np.array(default)
    if values is not None and not (isinstance(values, np.ndarray) and values.shape[:1] in ((1,), (3,))):
        raise ValueError(
            f"[image] {name}: received {values!r}; expected True, None, or a NumPy array of 1 or 3 numbers."
        )
    return values
