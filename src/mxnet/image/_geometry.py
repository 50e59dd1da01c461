"""Crop, resize and pad images."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import mxnet.image._augmenter as draws
import mxnet.ndarray as nd

from ..base import numeric_types
from ..error import OpParamError
from ..ndarray import NDArray
from ._augmenter import Augmenter
from ._reader import chosen_interpolation, image_size, imresize

__all__ = [
    "center_crop",
    "fixed_crop",
    "random_crop",
    "random_size_crop",
    "resize_short",
    "scale_down",
    "CastAug",
    "CenterCropAug",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SequentialAug",
]


Rectangle = tuple[int, int, int, int]  # x, y, width, height


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """The largest size of a given ratio of sides, at most as large as given, that fits into an image.

    Args:
        src_size: of the image, (width, height).
        size: wanted.

    Example:
        >>> mx.image.scale_down((640, 480), (720, 120))
        (640, 106)
    """
    width, height = (float(side) for side in size)
    most_width, most_height = src_size
    if most_height < height:
        width, height = width * most_height / height, most_height
    if most_width < width:
        width, height = most_width, height * most_width / width
    return int(width), int(height)


def resize_short(src: NDArray, size: int, interp: int = 2) -> NDArray:
    """Resizes an image so that its shorter side has a given length.

    Args:
        src: the image.
        size: the length.
        interp: the interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 by the sizes, 10 at random.
    """
    height, width = image_size(src, "image.resize_short")
    if height > width:
        new_width, new_height = size, size * height // width
    else:
        new_width, new_height = size * width // height, size
    return imresize(src, new_width, new_height, interp=interp)


def fixed_crop(
    src: NDArray, x0: int, y0: int, w: int, h: int, size: tuple[int, int] | None = None, interp: int = 2
) -> NDArray:
    """Cuts a rectangle out of an image.

    Args:
        src: the image.
        x0: the leftmost column.
        y0: the topmost row.
        w: the rectangle's width.
        h: the rectangle's height.
        size: resize to this (width, height) afterwards.
        interp: the interpolation; see `resize_short`.
    """
    height, width = image_size(src, "image.fixed_crop")
    if w < 1 or h < 1 or not 0 <= x0 < width or not 0 <= y0 < height:
        raise OpParamError(
            f"[image.fixed_crop] received x0={x0}, y0={y0}, w={w}, h={h}; expected a rectangle in the image, which is "
            f"{width} wide and {height} high."
        )
    crop = src[y0 : y0 + h, x0 : x0 + w]
    if size is None or (w, h) == tuple(size):
        return crop
    return imresize(crop, *size, interp=chosen_interpolation(interp, (h, w, size[1], size[0])))


def random_crop(src: NDArray, size: tuple[int, int], interp: int = 2) -> tuple[NDArray, Rectangle]:
    """Cuts a rectangle out of an image at a random place.

    Args:
        src: the image.
        size: (width, height); of an image that is smaller, the largest part of this ratio is enlarged to it.
        interp: the interpolation; see `resize_short`.

    Returns:
        The crop, and where it was: (x, y, width, height).
    """
    height, width = image_size(src, "image.random_crop")
    new_width, new_height = scale_down((width, height), size)
    x0 = draws.integer(0, width - new_width)
    y0 = draws.integer(0, height - new_height)
    return fixed_crop(src, x0, y0, new_width, new_height, size, interp), (x0, y0, new_width, new_height)


def center_crop(src: NDArray, size: tuple[int, int], interp: int = 2) -> tuple[NDArray, Rectangle]:
    """Cuts a rectangle out of the middle of an image; otherwise as `random_crop`."""
    height, width = image_size(src, "image.center_crop")
    new_width, new_height = scale_down((width, height), size)
    x0, y0 = (width - new_width) // 2, (height - new_height) // 2
    return fixed_crop(src, x0, y0, new_width, new_height, size, interp), (x0, y0, new_width, new_height)


def random_size_crop(
    src: NDArray,
    size: tuple[int, int],
    area: float | Sequence[float],
    ratio: Sequence[float],
    interp: int = 2,
    **kwargs: Any,
) -> tuple[NDArray, Rectangle]:
    """Cuts a rectangle of random size, ratio and place out of an image and resizes it.

    Args:
        src: the image.
        size: (width, height) to resize to.
        area: limits of the part of the image's area, (least, most); a number alone is the least, up to all of it.
        ratio: limits of width / height.
        interp: the interpolation; see `resize_short`.
        **kwargs: `min_area`, the old name of `area`.

    Returns:
        The crop, and where it was: (x, y, width, height). If ten attempts do not fit, the center crop.
    """
    height, width = image_size(src, "image.random_size_crop")
    least, most = area_limits(renamed_area(area, kwargs, "image.random_size_crop"))
    for _ in range(10):
        target = draws.uniform(least, most) * (height * width)
        new_ratio = math.exp(draws.uniform(math.log(ratio[0]), math.log(ratio[1])))
        new_width, new_height = round(math.sqrt(target * new_ratio)), round(math.sqrt(target / new_ratio))
        if 1 <= new_width <= width and 1 <= new_height <= height:
            x0 = draws.integer(0, width - new_width)
            y0 = draws.integer(0, height - new_height)
            return fixed_crop(src, x0, y0, new_width, new_height, size, interp), (x0, y0, new_width, new_height)
    return center_crop(src, size, interp)


def area_limits(area: float | Sequence[float]) -> tuple[float, float]:
    """Least and most of an area; a number alone is the least."""
    if isinstance(area, numeric_types):
        return float(area), 1.0
    least, most = area
    return least, most


def renamed_area(area: float | Sequence[float], others: dict[str, Any], who: str) -> float | Sequence[float]:
    """The area, where it may have been given under its old name; refuses other names."""
    if "min_area" in others:
        warnings.warn("`min_area` is deprecated. Please use `area` instead.", DeprecationWarning, stacklevel=3)
        area = others.pop("min_area")
    if others:
        raise TypeError(f"[{who}] received unexpected arguments {', '.join(sorted(others))}.")
    return area


class SequentialAug(Augmenter):
    """Augmenters one after the other.

    Args:
        ts: the augmenters.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> list[Any]:
        """A list of the class and what the members say."""
        return self._dump_group(self.ts)

    def __call__(self, src: NDArray) -> NDArray:
        """The image after all of them."""
        for augmenter in self.ts:
            src = augmenter(src)
        return src


class RandomOrderAug(Augmenter):
    """Augmenters one after the other, in a new random order for each image.

    Args:
        ts: a list of the augmenters.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> list[Any]:
        """A list of the class and what the members say."""
        return self._dump_group(self.ts)

    def __call__(self, src: NDArray) -> NDArray:
        """The image after all of them."""
        draws.shuffle(self.ts)
        for augmenter in self.ts:
            src = augmenter(src)
        return src


class ResizeAug(Augmenter):
    """Resizes so that the shorter side has a given length.

    Args:
        size: the length.
        interp: the interpolation; see `resize_short`.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, size: int, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The resized image."""
        return resize_short(src, self.size, self.interp)


class _Sized(Augmenter):
    """An augmenter whose results have a size, (width, height)."""

    def __init__(self, size: tuple[int, int], interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp


class ForceResizeAug(_Sized):
    """Resizes to a size, whatever the ratio of the sides was.

    Args:
        size: (width, height).
        interp: the interpolation; see `resize_short`.
    """

    __module__ = "mxnet.image.image"

    def __call__(self, src: NDArray) -> NDArray:
        """The resized image."""
        return imresize(src, *self.size, interp=self.interp)


class RandomCropAug(_Sized):
    """Cuts out a part of a given size at a random place; see `random_crop`.

    Args:
        size: (width, height).
        interp: the interpolation; see `resize_short`.
    """

    __module__ = "mxnet.image.image"

    def __call__(self, src: NDArray) -> NDArray:
        """The crop."""
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(_Sized):
    """Cuts a part of a given size out of the middle; see `center_crop`.

    Args:
        size: (width, height).
        interp: the interpolation; see `resize_short`.
    """

    __module__ = "mxnet.image.image"

    def __call__(self, src: NDArray) -> NDArray:
        """The crop."""
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Cuts out a part of random size, ratio and place and resizes it; see `random_size_crop`.

    Args:
        size: (width, height) to resize to.
        area: limits of the part of the image's area; a number alone is the least.
        ratio: limits of width / height.
        interp: the interpolation; see `resize_short`.
        **kwargs: `min_area`, the old name of `area`.
    """

    __module__ = "mxnet.image.image"

    def __init__(
        self,
        size: tuple[int, int],
        area: float | Sequence[float],
        ratio: Sequence[float],
        interp: int = 2,
        **kwargs: Any,
    ) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.area = renamed_area(area, kwargs, "image.RandomSizedCropAug")
        self.size, self.ratio, self.interp = size, ratio, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The crop."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Mirrors from left to right, at random.

    Args:
        p: the probability.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray) -> NDArray:
        """The image or its mirror image."""
        return nd.flip(src, axis=1) if draws.happens(self.p) else src


class CastAug(Augmenter):
    """Converts the dtype.

    Args:
        typ: the new dtype.
    """

    __module__ = "mxnet.image.image"

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: NDArray) -> NDArray:
        """The converted image, always a copy."""
        return src.astype(self.typ)
