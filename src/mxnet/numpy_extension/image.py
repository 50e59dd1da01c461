"""Operators on images: `npx.image`."""

from typing import TYPE_CHECKING, Any

import mxnet.ndarray.numpy_extension.image as _image

if TYPE_CHECKING:
    from ..ndarray.numpy_extension.image import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(_image, name)


def __dir__() -> list[str]:
    return dir(_image)
