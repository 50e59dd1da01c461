"""Augmenters that change the size, part or order of an image, and those that are made of others."""

from collections.abc import Sequence
from typing import Any

import mxnet.image._draws as draws
import mxnet.ndarray as nd

from ..ndarray import NDArray
from ._augmenter import Augmenter
from ._cropping import center_crop, random_crop, random_size_crop, renamed_area, resize_short
from ._reading import imresize

__all__ = [
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
