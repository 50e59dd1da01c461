"""Transforms of all elements alike: dtype, layout, normalizing."""

from typing import Any

import mxnet.ndarray as nd

from .....ndarray import NDArray
from ....block import HybridBlock
from ..._columns import BatchForm

__all__ = ["Cast", "Normalize", "ToTensor"]


class Cast(HybridBlock):
    """Converts to another dtype.

    Args:
        dtype: the dtype.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """An array of any shape."""
        return F.cast(x, self._dtype)

    def _batch_form(self) -> BatchForm | None:
        return (lambda batch: self.hybrid_forward(nd, batch)) if type(self) is Cast else None


class ToTensor(HybridBlock):
    """Converts images of (height, width, channels) from 0 to 255 to float32 (channels, height, width) from 0 to 1."""

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image, or a batch."""
        return F.image.to_tensor(x)

    def _batch_form(self) -> BatchForm | None:
        return self._tensors if type(self) is ToTensor else None

    def _tensors(self, batch: NDArray) -> NDArray | None:
        return self.hybrid_forward(nd, batch) if batch.ndim == 4 else None


class Normalize(HybridBlock):
    """Subtracts a mean from each channel and divides by a standard deviation.

    Args:
        mean: one number for all channels, or one for each.
        std: likewise.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        super().__init__()
        self._mean = mean
        self._std = std

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """An image of (channels, height, width), or a batch."""
        return F.image.normalize(x, self._mean, self._std)

    def _batch_form(self) -> BatchForm | None:
        return self._normalized if type(self) is Normalize else None

    def _normalized(self, batch: NDArray) -> NDArray | None:
        return self.hybrid_forward(nd, batch) if batch.ndim == 4 else None
