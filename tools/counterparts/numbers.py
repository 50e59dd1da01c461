"""Weights that follow from their names, images that follow from their size, and what is kept of a result.

NumPy only: the recorder runs beside torchvision, the tests beside this library.
"""

import zlib

import numpy as np

# What all weights are cut from; long, and a prime number, so that neighbouring parts of an array differ.
_PERIOD = 65521
_NORMAL = np.random.RandomState(2).standard_normal(_PERIOD).astype("float32")
_UNIFORM = np.random.RandomState(3).uniform(0.7, 1.3, _PERIOD).astype("float32")


def weights(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of an entry of a state dict: they keep the size of what passes through a layer about the same."""
    kind = name.rpartition(".")[2]
    if kind == "num_batches_tracked":
        return np.array(1000, dtype="int64")
    is_factor = kind == "running_var" or (kind == "weight" and len(shape) == 1)
    drawn = np.resize(np.roll(_UNIFORM if is_factor else _NORMAL, zlib.crc32(name.encode()) % _PERIOD), shape)
    if kind == "weight" and len(shape) > 1:
        drawn *= np.sqrt(2 / np.prod(shape[1:]))
    elif kind in ("bias", "running_mean"):
        drawn *= 0.1
    return drawn


def images(side: int) -> np.ndarray:
    """One image."""
    return np.random.RandomState(side).uniform(-1, 1, (1, 3, side, side)).astype("float32")


def summary(result: np.ndarray) -> list[float]:
    """The first numbers of a result, and two sums over all of it that notice any that changes."""
    flat = result.astype("float64").ravel()
    rounded = [*flat[:10], np.abs(flat).sum(), (flat * np.cos(np.arange(flat.size))).sum()]
    return [float(f"{number:.8g}") for number in rounded]
