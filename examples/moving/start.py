"""What the five steps have in common: first values of the weights, and batches of handwritten digits."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from samples import digits

SHAPES = {"0": (16, 1, 5, 5), "2": (32, 16, 5, 5), "5": (10, 288)}  # of the weights, by the number of the layer


def weights() -> dict[str, np.ndarray]:
    """Weights and biases by the names that files and state dicts have for them."""
    numbers, found = np.random.default_rng(0), {}
    for layer, shape in SHAPES.items():
        found[f"{layer}.weight"] = numbers.normal(0, 0.1, shape).astype("float32")
        found[f"{layer}.bias"] = np.zeros(shape[0], "float32")
    return found


def batches(count: int = 64) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pictures and their digits, in the same order every time."""
    images, labels = (array.asnumpy() for array in digits(True))
    for start in range(0, len(images) - count + 1, count):
        yield images[start : start + count], labels[start : start + count]
