"""Inputs of the larger networks that all sides share: they depend on nothing but these lines."""

import numpy as np


def tokens(batch: int, length: int, words: int) -> np.ndarray:
    """Sentences as numbers of words."""
    return np.random.RandomState(0).randint(0, words, (batch, length))


def kinds(count: int, classes: int) -> np.ndarray:
    return np.random.RandomState(1).randint(0, classes, count)


def objects(batch: int, most: int, classes: int) -> np.ndarray:
    """Class and corners of the objects of each image, (batch, most, 5); -1 after the last one."""
    random = np.random.RandomState(2)
    found = np.full((batch, most, 5), -1, "float32")
    for image in found:
        count = random.randint(1, most + 1)
        corners, sizes = random.uniform(0, 0.5, (count, 2)), random.uniform(0.1, 0.5, (count, 2))
        image[:count, 0] = random.randint(0, classes, count)
        image[:count, 1:3], image[:count, 3:5] = corners, corners + sizes
    return found


def pictures(batch: int, side: int) -> np.ndarray:
    """Images whose values have the mean 0 and the deviation 1, as networks for detection are given them."""
    return np.random.RandomState(3).uniform(-(3**0.5), 3**0.5, (batch, 3, side, side)).astype("float32")
