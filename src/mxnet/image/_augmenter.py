"""Define the base of augmenters and their random draws."""

import json
import random
from collections.abc import MutableSequence
from typing import Any

import numpy as np

from regluon.rng import follows_seed, fraction

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


class _Seeded(random.Random):
    """Python's distributions over the numbers that `mx.random.seed` sets; it has no state of its own."""

    def random(self) -> float:
        """The one source of all its numbers."""
        return fraction()

    def getrandbits(self, k: int, /) -> int:
        """As many bits, 32 at a time: a fraction has 53 good ones."""
        bits = 0
        for taken in range(0, k, 32):
            width = min(32, k - taken)
            bits = bits << width | int(fraction() * 2**width)
        return bits


_seeded = _Seeded()


def _source() -> Any:
    return _seeded if follows_seed() else random


def uniform(low: float, high: float) -> float:
    """A number between two limits."""
    return float(_source().uniform(low, high))


def integer(low: int, high: int) -> int:
    """A whole number between two limits, both included."""
    return int(_source().randint(low, high))


def happens(probability: float) -> bool:
    """True as often as the probability says."""
    return bool(_source().random() < probability)


def shuffle(items: MutableSequence[Any]) -> None:
    """Puts a list in random order, in place."""
    _source().shuffle(items)


def normals(scale: float, count: int) -> np.ndarray:
    """Normal numbers around 0."""
    if follows_seed():
        return np.array([_seeded.normalvariate(0, scale) for _ in range(count)])
    return np.random.normal(0, scale, size=(count,))


def uniforms(low: float, high: float, count: int) -> np.ndarray:
    """Numbers between two limits."""
    if follows_seed():
        return np.array([_seeded.uniform(low, high) for _ in range(count)])
    return np.random.uniform(low, high, size=(count,))
