"""Augment images with boxes."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import mxnet.image._augmenter as draws
import mxnet.ndarray as nd

from ..base import numeric_types
from ..ndarray import NDArray
from ._augmenter import Augmenter, Described
from ._geometry import Rectangle, fixed_crop
from ._reader import copyMakeBorder

__all__ = [
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomSelectAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
]


Labeled = tuple[NDArray, np.ndarray]


class DetAugmenter(Described):
    """Base of all augmenters for detection: called with an image and its label, it returns both anew.

    Args:
        **kwargs: the arguments that `dumps` writes.
    """

    __module__ = "mxnet.image.detection"

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The changed image and label."""
        raise NotImplementedError(
            f"[{type(self).__name__}] write a __call__(self, src, label) that returns the changed image and label."
        )


class DetBorrowAug(DetAugmenter):
    """An augmenter that moves nothing in the image, and so leaves labels as they are.

    Args:
        augmenter: an Augmenter.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError(
                f"[image.DetBorrowAug] augmenter: received {type(augmenter).__name__}; expected an image.Augmenter."
            )
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> list[Any]:
        """A list of the class and what the borrowed augmenter says."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The changed image and the label as it is."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """One augmenter of several, chosen at random, or none.

    Args:
        aug_list: the augmenters, or one.
        skip_prob: the probability of none.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, aug_list: DetAugmenter | Sequence[DetAugmenter], skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list: list[Any] = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        for augmenter in self.aug_list:
            if not isinstance(augmenter, DetAugmenter):
                raise ValueError(
                    f"[image.DetRandomSelectAug] aug_list: received {type(augmenter).__name__}; expected "
                    "DetAugmenters. Wrap an Augmenter: DetBorrowAug(augmenter)."
                )
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> list[Any]:
        """A list of the class and what the members say."""
        return self._dump_group(self.aug_list)

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """Image and label, changed by one of the augmenters or not."""
        if draws.happens(self.skip_prob):
            return src, label
        draws.shuffle(self.aug_list)
        return self.aug_list[0](src, label)


class DetHorizontalFlipAug(DetAugmenter):
    """Mirrors image and boxes from left to right, at random.

    Args:
        p: the probability.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """Image and label, or their mirror images."""
        if not draws.happens(self.p):
            return src, label
        mirrored = label.copy()
        mirrored[:, 1], mirrored[:, 3] = 1.0 - label[:, 3], 1.0 - label[:, 1]
        return nd.flip(src, axis=1), mirrored


Range = tuple[float, float]
_FEW_PIXELS = 2
_ISOLATED = 16  # OpenCV's code of a constant border that ignores what surrounds the image in memory


def _range(value: float | Sequence[float], who: str, name: str) -> Range:
    """Two limits; a number alone is both."""
    if isinstance(value, numeric_types):
        return value, value
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(f"[image.{who}] {name}: received {value!r}; expected a number or (least, most).")
    return tuple(value)


class _RandomRegion(DetAugmenter):
    """What crops and borders share: a region of random area and ratio, drawn until it fits."""

    least_area: float  # an upper limit of the area that no region can have

    def __init__(self, **kwargs: Any) -> None:
        who = type(self).__name__
        for name in ("aspect_ratio_range", "area_range"):
            kwargs[name] = _range(kwargs[name], who, name)
        super().__init__(**kwargs)
        self.aspect_ratio_range: Range = kwargs["aspect_ratio_range"]
        self.area_range: Range = kwargs["area_range"]
        self.max_attempts: int = kwargs["max_attempts"]
        self.enabled = self._is_possible(who)

    def _is_possible(self, who: str) -> bool:
        for name, (least, most), bad in (
            ("area_range", self.area_range, self.area_range[1] <= self.least_area),
            ("aspect_ratio_range", self.aspect_ratio_range, self.aspect_ratio_range[0] <= 0),
        ):
            if bad or least > most:
                warnings.warn(f"Skip {who} due to invalid {name}: {(least, most)}", stacklevel=4)
                return False
        return True


class DetRandomCropAug(_RandomRegion):
    """Cuts out a random part that shows enough of the objects; the image stays as it is if none is found.

    Args:
        min_object_covered: of each object that is in the part, at least this share must be.
        aspect_ratio_range: limits of width / height of the part.
        area_range: limits of its area, as a share of the image's.
        min_eject_coverage: objects of which no larger share remains are dropped from the label.
        max_attempts: how many parts to try.
    """

    __module__ = "mxnet.image.detection"

    least_area: float = 0.0

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: float | Sequence[float] = (0.75, 1.33),
        area_range: float | Sequence[float] = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered, self.min_eject_coverage = min_object_covered, min_eject_coverage

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The part and the objects in it."""
        height, width = src.shape[:2]
        if self.enabled and height > 0 and width > 0:
            for _ in range(self.max_attempts):
                size = self._draw_size(height, width)
                if size is None:
                    continue
                y = draws.integer(0, max(0, height - size[1]))
                x = draws.integer(0, max(0, width - size[0]))
                found = self._objects_in(label, (x, y, *size), height, width)
                if found is not None:
                    return fixed_crop(src, x, y, *size), found
        return src, label

    def _draw_size(self, height: int, width: int) -> tuple[int, int] | None:
        """Width and height of a part, or None if none of the drawn ratio fits."""
        least, most = (share * height * width for share in self.area_range)
        ratio = draws.uniform(*self.aspect_ratio_range)
        h, max_h = round(math.sqrt(least / ratio)), round(math.sqrt(most / ratio))
        if round(max_h * ratio) > width:
            max_h = int((width + 0.4999999) / ratio)  # the largest that rounds to the width
        max_h = min(max_h, height)
        h = draws.integer(h, max_h) if h < max_h else max_h
        # Rounding may have led out of the limits of the area.
        if round(h * ratio) * h < least:
            h += 1
        if round(h * ratio) * h > most:
            h -= 1
        w = round(h * ratio)
        fits = least <= w * h <= most and 0 <= w <= width and 0 <= h <= height
        return (w, h) if fits else None

    def _objects_in(self, label: np.ndarray, part: Rectangle, height: int, width: int) -> np.ndarray | None:
        """The label of a part, or None if it does not show enough."""
        if part[2] * part[3] < _FEW_PIXELS:
            return None
        x, y, w, h = part[0] / width, part[1] / height, part[2] / width, part[3] / height
        right, bottom = (part[0] + part[2]) / width, (part[1] + part[3]) / height
        areas = _areas(label[:, 1:5])
        clipped = np.stack(
            [
                np.maximum(label[:, 1], x),
                np.maximum(label[:, 2], y),
                np.minimum(label[:, 3], right),
                np.minimum(label[:, 4], bottom),
            ],
            axis=1,
        )
        with np.errstate(divide="ignore", invalid="ignore"):  # of objects without area, which are none
            shares = _areas(clipped) / areas
        visible = shares[(areas * width * height > _FEW_PIXELS) & (shares > 0)]
        if not visible.size or visible.min() <= self.min_object_covered:
            return None
        moved = label.copy()
        moved[:, 1:5] = np.clip((label[:, 1:5] - (x, y, x, y)) / (w, h, w, h), 0, 1)
        kept = (moved[:, 3] > moved[:, 1]) & (moved[:, 4] > moved[:, 2])
        with np.errstate(divide="ignore", invalid="ignore"):
            kept &= _areas(moved[:, 1:5]) * w * h / areas > self.min_eject_coverage
        return moved[kept] if kept.any() else None


def _areas(boxes: np.ndarray) -> np.ndarray:
    return np.maximum(0, boxes[:, 2] - boxes[:, 0]) * np.maximum(0, boxes[:, 3] - boxes[:, 1])


class DetRandomPadAug(_RandomRegion):
    """Puts the image at a random place into a larger one of one color, which makes its objects smaller.

    Args:
        aspect_ratio_range: limits of width / height of the larger image.
        area_range: limits of its area, in areas of the image.
        max_attempts: how many sizes to try; the image stays as it is if none fits.
        pad_val: the color, by channel or one number for all.
    """

    __module__ = "mxnet.image.detection"

    least_area: float = 1.0

    def __init__(
        self,
        aspect_ratio_range: float | Sequence[float] = (0.75, 1.33),
        area_range: float | Sequence[float] = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: float | Sequence[float] = (128, 128, 128),
    ) -> None:
        if not isinstance(pad_val, (*numeric_types, list, tuple)):
            raise TypeError(
                f"[image.DetRandomPadAug] pad_val: received {pad_val!r}; expected a number, or one a channel."
            )
        super().__init__(
            aspect_ratio_range=aspect_ratio_range, area_range=area_range, max_attempts=max_attempts, pad_val=pad_val
        )
        self.pad_val = pad_val

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The larger image, and the label for it."""
        height, width, channels = src.shape
        size = self._draw_size(height, width)
        if size is None:
            return src, label
        w, h = size
        y = draws.integer(0, max(0, h - height))
        x = draws.integer(0, max(0, w - width))
        moved = label.copy()
        moved[:, 1:5] = (label[:, 1:5] * (width, height, width, height) + (x, y, x, y)) / (w, h, w, h)
        fill = (self.pad_val,) * channels if isinstance(self.pad_val, numeric_types) else tuple(self.pad_val)
        bordered = copyMakeBorder(src, y, h - y - height, x, w - x - width, _ISOLATED, values=fill)
        return bordered, moved

    def _draw_size(self, height: int, width: int) -> tuple[int, int] | None:
        """Width and height of the larger image, or None if it would hardly be larger in each attempt."""
        if not self.enabled or height <= 0 or width <= 0:
            return None
        least, most = (share * height * width for share in self.area_range)
        for _ in range(self.max_attempts):
            ratio = draws.uniform(*self.aspect_ratio_range)
            h, max_h = round(math.sqrt(least / ratio)), round(math.sqrt(most / ratio))
            if round(h * ratio) < width:
                h = int((width + 0.499999) / ratio)
            h = min(max(h, height), max_h)
            if h < max_h:
                h = draws.integer(h, max_h)
            w = round(h * ratio)
            if h - height >= _FEW_PIXELS and w - width >= _FEW_PIXELS:
                return w, h
        return None
