"""What augmenters are: functions on images with arguments that can be written down."""

import json
from typing import Any

import numpy as np

from ..ndarray import NDArray


class Described:
    """Something made from arguments that it can write as JSON."""

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Its class and arguments as JSON; of a group, a list of the class and what the members say."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def _dump_group(self, members: Any) -> list[Any]:
        return [type(self).__name__.lower(), [member.dumps() for member in members]]


def _plain(value: Any) -> Any:
    if isinstance(value, NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray) else value


class Augmenter(Described):
    """Base of all augmenters: called with an image (height, width, channels), it returns another one.

    Augmenters of color write to the image they are given, which is to be of floats: put a CastAug before them.

    Args:
        **kwargs: the arguments that `dumps` writes.
    """

    __module__ = "mxnet.image.image"

    def __call__(self, src: NDArray) -> NDArray:
        """The changed image."""
        raise NotImplementedError(
            f"[{type(self).__name__}] write a __call__(self, src) that returns the changed image."
        )
