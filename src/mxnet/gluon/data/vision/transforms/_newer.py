"""Transforms that MXNet got after 1.9.1, for programs that were moved on to it."""

from collections.abc import Sequence
from typing import Any

import mxnet.ndarray as nd

from .....base import numeric_types
from .....error import OpParamError, OpTypeError
from .....image import _draws
from .....image._cropping import random_crop
from .....image._reading import copyMakeBorder
from ....block import Block, HybridBlock
from ....nn._containers import HybridSequential

__all__ = ["HybridCompose", "HybridRandomApply", "RandomCrop", "RandomGray"]

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
        if not _draws.happens(self.p):
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
