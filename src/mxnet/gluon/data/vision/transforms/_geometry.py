"""Transforms that move pixels: resizing, cropping, mirroring, turning."""

from collections.abc import Sequence
from typing import Any

import mxnet.ndarray as nd
from regluon.dtypes import dtype_name

from .....base import numeric_types
from .....error import OpTypeError
from .....image import _draws
from .....image._cropping import center_crop, random_size_crop
from .....image._rotation import imrotate, random_rotate
from .....ndarray import NDArray
from ....block import Block, HybridBlock
from ..._columns import BatchForm

__all__ = [
    "CenterCrop",
    "CropResize",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomResizedCrop",
    "RandomRotation",
    "Resize",
    "Rotate",
]


def _both_sides(size: Any) -> Any:
    return (size, size) if isinstance(size, numeric_types) else size


class Resize(HybridBlock):
    """Resizes images to a given size.

    Args:
        size: (width, height), or one number for both.
        keep_ratio: one number is the length of the shorter side, and the image keeps its ratio.
        interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._keep = keep_ratio
        self._size = size
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """An image of (height, width, channels), or a batch."""
        return F.image.resize(x, self._size, self._keep, self._interpolation)

    def _batch_form(self) -> BatchForm | None:
        return self._resized if type(self) is Resize else None

    def _resized(self, batch: NDArray) -> NDArray | None:
        return self.hybrid_forward(nd, batch) if batch.ndim == 4 else None


class CropResize(HybridBlock):
    """Cuts a rectangle out of images and resizes it.

    Args:
        x: the leftmost column.
        y: the topmost row.
        width: of the rectangle.
        height: of the rectangle.
        size: (width, height) to resize to, or one number for both; not resized without it.
        interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(
        self, x: int, y: int, width: int, height: int, size: Any = None, interpolation: int | None = None
    ) -> None:
        super().__init__()
        self._rectangle = (x, y, width, height)
        self._size = size
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """An image of (height, width, channels), or a batch."""
        part = F.image.crop(x, *self._rectangle)
        return F.image.resize(part, self._size, False, self._interpolation) if self._size else part

    def _batch_form(self) -> BatchForm | None:
        return self._cut if type(self) is CropResize else None

    def _cut(self, batch: NDArray) -> NDArray | None:
        return self.hybrid_forward(nd, batch) if batch.ndim == 4 else None


class CenterCrop(Block):
    """Cuts out the middle of an image; of one that is smaller, the largest part of this ratio is enlarged.

    Args:
        size: (width, height), or one number for both.
        interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, size: Any, interpolation: int = 1) -> None:
        super().__init__()
        self._args = (_both_sides(size), interpolation)

    def forward(self, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return center_crop(x, *self._args)[0]


class RandomResizedCrop(Block):
    """Cuts a part of random size, ratio and place out of an image and resizes it.

    Args:
        size: (width, height), or one number for both.
        scale: limits of the part of the image's area.
        ratio: limits of width / height.
        interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._args = (_both_sides(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return random_size_crop(x, *self._args)[0]


class RandomFlipLeftRight(HybridBlock):
    """Mirrors an image from left to right, every other time."""

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Mirrors an image from top to bottom, every other time."""

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_flip_top_bottom(x)


def _check_float(transform: Block, x: Any) -> None:
    if dtype_name(x.dtype) != "float32":
        raise OpTypeError(
            f"[{type(transform).__name__}] received an image of {dtype_name(x.dtype)}; this transformation only "
            "supports float32. Put it after ToTensor()."
        )


class Rotate(Block):
    """Turns images around their middle; shapes stay the same.

    Args:
        rotation_degrees: the angle, counterclockwise.
        zoom_in: enlarge, so that nothing from outside shows.
        zoom_out: shrink, so that all of the image shows.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False) -> None:
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """A float32 image of (channels, height, width), or a batch."""
        _check_float(self, x)
        return imrotate(x, *self._args)


class RandomRotation(Block):
    """Turns images around their middle by random angles; shapes stay the same.

    Args:
        angle_limits: least and greatest angle in degrees.
        zoom_in: enlarge, so that nothing from outside shows.
        zoom_out: shrink, so that all of the image shows.
        rotate_with_proba: probability of turning an image at all.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        lower, upper = angle_limits
        if lower >= upper:
            raise ValueError(
                f"[RandomRotation] received `angle_limits` {tuple(angle_limits)}; expected an ordered tuple: (least, "
                "greatest)."
            )
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError(
                f"[RandomRotation] rotate_with_proba: received {rotate_with_proba}; expected a probability between 0 "
                "and 1."
            )
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """A float32 image of (channels, height, width), or a batch."""
        if not _draws.happens(self._rotate_with_proba):
            return x
        _check_float(self, x)
        return random_rotate(x, *self._args)
