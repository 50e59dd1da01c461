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


def sentences(units: int) -> tuple[np.ndarray, np.ndarray]:
    """8 sentences of 128 words, and what a layer should make of them."""
    random = np.random.RandomState(0)
    return random.randn(8, 128, units).astype("float32"), random.randn(8, 128, units).astype("float32")


def detection(batch: int, maps, anchors: int, kinds: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Maps of features, given as channels and side; the class of each anchor; and where its box should be."""
    random = np.random.RandomState(0)
    count = anchors * sum(side * side for _, side in maps)
    features = [random.rand(batch, channels, side, side).astype("float32") for channels, side in maps]
    places = random.randn(batch, 4 * count).astype("float32")
    return features, random.randint(0, kinds, (batch, count)), places


def parameter(number: int, shape, kind: str = "weight") -> np.ndarray:
    """What the parameter of this number begins with.

    Args:
        number: its place among the parameters of the network, in Gluon's order.
        shape: its shape.
        kind: the last word of its name in Gluon: weight, bias, gamma, beta, mean, var.
    """
    random = np.random.RandomState(number)
    if kind in ("gamma", "var"):
        return random.uniform(0.8, 1.2, shape).astype("float32")
    if kind != "weight":
        return random.uniform(-0.1, 0.1, shape).astype("float32")
    bound = (6 / float(np.prod(shape[1:]))) ** 0.5  # values keep their size through layers cut off at 0
    return random.uniform(-bound, bound, shape).astype("float32")


def nearly_nothing(number: int, shape, kind: str) -> np.ndarray:
    """Of a layer as wide as its input that changes it little: a thousand of them neither lose it nor blow it up."""
    values = np.random.RandomState(number).uniform(-1e-3, 1e-3, shape).astype("float32")
    return values + np.eye(*shape, dtype="float32") if kind == "weight" else values


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
