"""Transform the geometry of images and compose transforms."""

from collections.abc import Callable, Sequence
from typing import Any

import mxnet.ndarray as nd
from regluon.dtypes import dtype_name

from .....base import numeric_types
from .....error import OpParamError, OpTypeError
from .....image import _augmenter
from .....image._geometry import center_crop, random_crop, random_size_crop
from .....image._reader import copyMakeBorder, imrotate, random_rotate
from .....ndarray import NDArray
from ....block import Block, HybridBlock
from ....nn._containers import HybridSequential, Sequential
from ..._batch_reader import BatchForm

__all__ = [
    "CenterCrop",
    "CropResize",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomResizedCrop",
    "RandomRotation",
    "Resize",
    "Rotate",
    "Compose",
    "RandomApply",
    "HybridCompose",
    "HybridRandomApply",
    "RandomCrop",
    "RandomGray",
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
        if not _augmenter.happens(self._rotate_with_proba):
            return x
        _check_float(self, x)
        return random_rotate(x, *self._args)


class Compose(Sequential):
    """Runs transforms one after the other; neighbours that can be compiled are compiled as one.

    Args:
        transforms: the transforms, which are blocks.

    Example:
        >>> transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.13, 0.31)])
        >>> loader = gluon.data.DataLoader(dataset.transform_first(transform), batch_size=64)
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        neighbours: list[HybridBlock] = []
        for transform in transforms:
            if isinstance(transform, HybridBlock):
                neighbours.append(transform)
                continue
            self._add_as_one(neighbours)
            neighbours = []
            if transform is not None:
                self.add(transform)
        self._add_as_one(neighbours)

    def _add_as_one(self, transforms: list[HybridBlock]) -> None:
        if len(transforms) < 2:
            self.add(*transforms)
            return
        row = HybridSequential()
        row.add(*transforms)
        row.hybridize()
        self.add(row)

    @property
    def _is_row_of_transforms(self) -> bool:
        """Whether running its blocks in a row is all it does: see columns.py."""
        return type(self) is Compose


class RandomApply(Sequential):
    """Runs a transform, or leaves an image as it is.

    Args:
        transforms: a transform; several as a Compose.
        p: probability of running it.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Callable[[Any], Any], p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any, *args: Any) -> Any:
        """An image."""
        return self.transforms(x) if _augmenter.happens(self.p) else x


_LIGHTNESS = (0.2126, 0.7152, 0.0722)  # of red, green and blue


class RandomCrop(Block):
    """Cuts a part out of an image at a random place, after adding a border.

    Args:
        size: (width, height), or one number for both; of an image that is smaller, the largest part of this ratio is
            enlarged.
        pad: pixels to add at every side, or ((top, bottom), (left, right)).
        pad_value: the border's value.
        interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, size: Any, pad: Any = None, pad_value: float = 0, interpolation: int = 1) -> None:
        super().__init__()
        self._args: tuple[Any, int] = ((size, size) if isinstance(size, numeric_types) else size, interpolation)
        self._border = _border(pad)
        self._value = pad_value

    def forward(self, x: Any) -> Any:
        """One image of (height, width, channels)."""
        if any(self._border):
            x = copyMakeBorder(x, *self._border, value=self._value)
        return random_crop(x, *self._args)[0]


def _border(pad: Any) -> tuple[int, int, int, int]:
    """Pixels to add at top, bottom, left and right."""
    if pad is None or isinstance(pad, numeric_types):
        each = int(pad or 0)
        return each, each, each, each
    try:
        (top, bottom), (left, right) = pad[:2]
    except (TypeError, ValueError):
        raise OpParamError(
            f"[RandomCrop] pad: received {pad!r}; expected a number, or ((top, bottom), (left, right))."
        ) from None
    return int(top), int(bottom), int(left), int(right)


class RandomGray(Block):
    """Makes an image gray, or leaves it; as float32 of three channels either way.

    Args:
        p: probability of making it gray.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Any) -> Any:
        """One image of (height, width, 3)."""
        image = nd.cast(x, "float32")
        if not _augmenter.happens(self.p):
            return image
        weights = nd.array([[weight] * 3 for weight in _LIGHTNESS], ctx=image.context)
        return nd.dot(image, weights)


class HybridCompose(HybridSequential):
    """Runs transforms one after the other, compiled as one.

    Args:
        transforms: the transforms, all HybridBlocks.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        for transform in transforms:
            if not isinstance(transform, HybridBlock):
                raise OpTypeError(
                    f"[HybridCompose] received a {type(transform).__name__}; expected HybridBlocks only. Compose takes "
                    "any blocks, and compiles neighbours that can be."
                )
            self.add(transform)
        self.hybridize()

    @property
    def _is_row_of_transforms(self) -> bool:
        """Whether running its blocks in a row is all it does: see columns.py."""
        return type(self) is HybridCompose


class HybridRandomApply(HybridBlock):
    """Runs a transform, or leaves an image as it is; can be compiled.

    Args:
        transforms: the transform, which keeps shape and dtype.
        p: probability of running it.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(transforms, HybridBlock):
            raise OpTypeError(
                f"[HybridRandomApply] received a {type(transforms).__name__}; expected a HybridBlock. RandomApply "
                "takes any."
            )
        self.transforms = transforms
        self.p = p

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of three axes."""
        chance = F.broadcast_like(F.random.uniform(0, 1, shape=(1, 1, 1)), x)
        return F.where(chance < self.p, self.transforms(x), x)
