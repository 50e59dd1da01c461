"""Inputs that all sides share: they depend on nothing but these lines."""

from pathlib import Path

import numpy as np

READ = 10240  # images that a measurement of a loader reads
BATCH = 256
MEAN, DEVIATION = 0.1307, 0.3081


def images(*shape) -> np.ndarray:
    return np.random.RandomState(0).rand(*shape).astype("float32")


def classes(count: int) -> np.ndarray:
    return np.random.RandomState(1).randint(0, 10, count)


def words() -> np.ndarray:
    return np.random.RandomState(0).randint(0, 1000, (36, 20))


def parameter(number: int, shape) -> np.ndarray:
    """What the parameter of this number begins with."""
    bound = float(np.prod(shape[1:] or shape)) ** -0.5
    return np.random.RandomState(number).uniform(-bound, bound, shape).astype("float32")


def digits() -> tuple[np.ndarray, np.ndarray]:
    """As many images as MNIST has, and their labels."""
    random = np.random.RandomState(0)
    return random.randint(0, 256, (60000, 28, 28, 1)).astype("uint8"), random.randint(0, 10, 60000).astype("int32")


def order() -> list[int]:
    """The images that a loader is to read, in this order."""
    return np.random.RandomState(2).permutation(60000)[:READ].tolist()


def write_photographs(folder: Path, count: int) -> None:
    """JPEG files of about 300 x 400 that are as large as photographs are: smooth parts and some noise."""
    import cv2

    random = np.random.RandomState(3)
    for number in range(count):
        height, width = random.randint(280, 320), random.randint(380, 420)
        rough = random.randint(0, 256, (9, 12, 3)).astype("uint8")
        smooth = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC)
        noise = random.randint(-12, 13, smooth.shape)
        picture = np.clip(smooth.astype(int) + noise, 0, 255).astype("uint8")
        cv2.imwrite(str(folder / f"{number:04}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
