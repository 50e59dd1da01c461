"""What whole jobs share on every side: sizes, and data that depends on these lines and the sample images alone."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

FASHION = Path(__file__).resolve().parents[1] / "examples" / "data" / "fashion"
MEAN, DEVIATION = 0.2860, 0.3530  # of the pixels of Fashion-MNIST, between 0 and 1
IMAGE_BATCH, IMAGE_RATE = 64, 0.02
CHECKED = 8  # batches whose losses are compared: later ones tell apart how libraries round

SERIES, HOURS, DAY = 100, 600, 24
CONTEXT, PREDICTION, LAGS = 48, 24, (1, 2, 3, 4, 5, 6, 7, 23, 24, 25, 47, 48, 49, 167, 168)
CELLS, LAYERS, SERIES_UNITS = 40, 2, 10
SERIES_BATCH, SERIES_BATCHES, SERIES_RATE = 32, 50, 1e-3

WORDS, WORD_UNITS, WORD_BATCH, WORD_RATE = 1000, 200, 20, 0.1
LENGTHS = tuple(int(length) for length in np.linspace(5, 60, 20))  # of sentences, all different


def clothes() -> tuple[np.ndarray, np.ndarray]:
    """The 6,000 sample images, (n, 28, 28, 1) in 8 bits, and their kinds."""
    with gzip.open(FASHION / "train-images-idx3-ubyte.gz") as stream:
        images = np.frombuffer(stream.read(), np.uint8, offset=16).reshape(-1, 28, 28, 1)
    with gzip.open(FASHION / "train-labels-idx1-ubyte.gz") as stream:
        labels = np.frombuffer(stream.read(), np.uint8, offset=8).astype("int32")
    return images, labels


def order(count: int) -> list[int]:
    """In which an epoch reads the images: random, and the same on all sides."""
    return np.random.RandomState(5).permutation(count).tolist()


def normal_clothes() -> tuple[np.ndarray, np.ndarray]:
    """The images as a network takes them, (n, 1, 28, 28) around 0, and their kinds."""
    images, labels = clothes()
    chosen = order(len(images))
    values = (images[chosen].transpose(0, 3, 1, 2).astype("float32") / 255 - MEAN) / DEVIATION
    return values.astype("float32"), labels[chosen].astype("float32")


def series() -> np.ndarray:
    """Hourly figures that follow the day and the week, each at its own level."""
    random, hours = np.random.RandomState(6), np.arange(HOURS)
    level, phase = random.uniform(5, 500, (SERIES, 1)), random.uniform(0, 2 * np.pi, (SERIES, 1))
    daily = np.sin(2 * np.pi * hours / DAY + phase) + 0.4 * np.sin(2 * np.pi * hours / (7 * DAY))
    return (level * (2 + daily + 0.2 * random.randn(SERIES, HOURS))).astype("float32")


def windows(values: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Batches of an epoch as a sampler in Python cuts them out of series, window by window.

    Each has the number of the series, its scale, features of every hour of context and prediction (what was there
    so many hours before, in parts of the scale, and the time of the day), and what is to be foretold.
    """
    random = np.random.RandomState(seed)
    length = CONTEXT + PREDICTION
    for _ in range(SERIES_BATCHES):
        numbers, scales, features, targets = [], [], [], []
        for _ in range(SERIES_BATCH):
            number, start = random.randint(SERIES), random.randint(max(LAGS), HOURS - length)
            line = values[number]
            scale = np.abs(line[start : start + CONTEXT]).mean()
            hours = np.arange(start, start + length)
            lagged = [line[start - lag : start - lag + length] / scale for lag in LAGS]
            clock = 2 * np.pi * hours / DAY
            features.append(np.stack([*lagged, np.sin(clock), np.cos(clock)], axis=1))
            targets.append(line[start : start + length])
            numbers.append(number)
            scales.append([scale])
        yield (
            np.array(numbers, "float32"),
            np.array(scales, "float32"),
            np.stack(features).astype("float32"),
            np.stack(targets),
        )


def sentences() -> list[np.ndarray]:
    """Words of a batch of sentences of each length, one word more than a network is given."""
    random = np.random.RandomState(7)
    lengths = random.permutation(LENGTHS)  # in no order, as they come
    return [random.randint(0, WORDS, (length + 1, WORD_BATCH)) for length in lengths]
