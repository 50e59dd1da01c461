"""Where augmenters draw from.

As in MXNet they draw from Python's `random` and from `numpy.random`, so that `random.seed` and `numpy.random.seed` give
the same crops and colors as there. Once `mx.random.seed` has been called they follow that seed instead, and so they do
in the workers of a DataLoader: one seed then makes a whole program reproducible.
"""

import random
from collections.abc import MutableSequence
from typing import Any

import numpy as np

from regluon.rng import follows_seed, fraction


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
