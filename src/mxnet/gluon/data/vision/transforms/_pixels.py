"""Transform the values of pixels."""

from typing import Any

import mxnet.ndarray as nd

from .....ndarray import NDArray
from ....block import HybridBlock
from ..._batch_reader import BatchForm

__all__ = [
    "Cast",
    "Normalize",
    "ToTensor",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomHue",
    "RandomLighting",
    "RandomSaturation",
]


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


class RandomBrightness(HybridBlock):
    """Multiplies an image by a random factor.

    Args:
        brightness: the factor lies between `max(0, 1 - brightness)` and `1 + brightness`.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, brightness: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - brightness), 1 + brightness)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_brightness(x, *self._args)


class RandomContrast(HybridBlock):
    """Moves an image away from its mean gray, or towards it.

    Args:
        contrast: the factor lies between `max(0, 1 - contrast)` and `1 + contrast`.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, contrast: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - contrast), 1 + contrast)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_contrast(x, *self._args)


class RandomSaturation(HybridBlock):
    """Moves the colors of an image away from gray, or towards it.

    Args:
        saturation: the factor lies between `max(0, 1 - saturation)` and `1 + saturation`.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, saturation: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - saturation), 1 + saturation)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_saturation(x, *self._args)


class RandomHue(HybridBlock):
    """Turns the circle of colors by a random angle.

    Args:
        hue: the factor lies between `max(0, 1 - hue)` and `1 + hue`.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, hue: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - hue), 1 + hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_hue(x, *self._args)


class RandomColorJitter(HybridBlock):
    """Changes brightness, contrast, saturation and hue, in random order.

    Args:
        brightness: how much, as in RandomBrightness; 0 leaves it as it is.
        contrast: likewise.
        saturation: likewise.
        hue: likewise.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Adds random noise along the directions in which colors of photographs vary, as AlexNet did.

    Args:
        alpha: standard deviation of the noise.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """One image of (height, width, channels)."""
        return F.image.random_lighting(x, self._alpha)
