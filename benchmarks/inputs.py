"""Make the inputs and initial parameters that all sides share: NumPy arrays that depend on this file alone."""

import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import constants
import numpy as np
from workloads import RANK_STEPS, Step

Arrays = list[np.ndarray]

# -- Inputs and labels of network steps --------------------------------------------------------------------------------


def images(*shape: int) -> np.ndarray:
    return np.random.RandomState(0).rand(*shape).astype("float32")


def classes(count: int, kinds: int = 10) -> np.ndarray:
    return np.random.RandomState(1).randint(0, kinds, count)


def _words(count: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.RandomState(0).randint(0, count, shape)


def _next_words(step: Step) -> tuple[Arrays, Arrays]:
    words = _words(constants.LSTM_WORDS, (step.shape[0] + 1, step.shape[1]))
    return [words[:-1]], [words[1:]]


def _vectors(step: Step) -> tuple[Arrays, Arrays]:
    """Sequences of vectors, and the expected output of a layer."""
    random = np.random.RandomState(0)
    return [random.randn(*step.shape).astype("float32")], [random.randn(*step.shape).astype("float32")]


def _feature_maps(step: Step) -> tuple[Arrays, Arrays]:
    """Maps of features; the class of each anchor and the offsets of its box."""
    random, batch = np.random.RandomState(0), step.shape[0]
    count = constants.ANCHORS * sum(side * side for _, side in constants.MAPS)
    features = [random.rand(batch, channels, side, side).astype("float32") for channels, side in constants.MAPS]
    offsets = random.randn(batch, 4 * count).astype("float32")
    return features, [random.randint(0, constants.CLASSES, (batch, count)), offsets]


def _objects(step: Step) -> tuple[Arrays, Arrays]:
    """Images with mean 0 and deviation 1; class and corners of their objects, (batch, most, 5), -1 after the last."""
    batch, random = step.shape[0], np.random.RandomState(2)
    found = np.full((batch, constants.SSD_OBJECTS, 5), -1, "float32")
    for image in found:
        count = random.randint(1, constants.SSD_OBJECTS + 1)
        corners, sizes = random.uniform(0, 0.5, (count, 2)), random.uniform(0.1, 0.5, (count, 2))
        image[:count, 0] = random.randint(0, constants.SSD_CLASSES, count)
        image[:count, 1:3], image[:count, 3:5] = corners, corners + sizes
    return [np.random.RandomState(3).uniform(-(3**0.5), 3**0.5, step.shape).astype("float32")], [found]


INPUTS: dict[str, Callable[[Step], tuple[Arrays, Arrays]]] = {
    "images": lambda step: ([images(*step.shape)], [classes(step.shape[0])]),
    "masks": lambda step: ([images(*step.shape)], [images(step.shape[0], constants.MASK_CHANNELS, *step.shape[2:])]),
    "sequence": lambda step: (
        [images(*step.shape), np.array([step.shape[1]], "float32")],  # and its length
        [classes(step.shape[0])],
    ),
    "next_words": _next_words,
    "gru_words": lambda step: ([_words(constants.GRU_WORDS, step.shape)], [classes(step.shape[0])]),
    "bert_tokens": lambda step: (
        [_words(constants.BERT_WORDS, step.shape)],
        [classes(step.shape[0], constants.BERT_CLASSES)],
    ),
    "vectors": _vectors,
    "feature_maps": _feature_maps,
    "objects": _objects,
}

# -- Initial parameters ------------------------------------------------------------------------------------------------


def uniform(number: int, shape: tuple[int, ...], kind: str = "weight") -> np.ndarray:
    """Return the initial value of a parameter.

    Args:
        number: its index among the parameters of the network, in Gluon's order.
        shape: its shape.
        kind: the last word of its name in Gluon: weight, bias, gamma, beta, mean, var.
    """
    random = np.random.RandomState(number)
    if kind in ("gamma", "var"):
        return random.uniform(0.8, 1.2, shape).astype("float32")
    if kind != "weight":
        return random.uniform(-0.1, 0.1, shape).astype("float32")
    bound = (6 / float(np.prod(shape[1:]))) ** 0.5  # keeps the variance through layers with ReLU
    return random.uniform(-bound, bound, shape).astype("float32")


def near_identity(number: int, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Return a square weight near the identity: a thousand such layers neither lose nor amplify their input."""
    values = np.random.RandomState(number).uniform(-1e-3, 1e-3, shape).astype("float32")
    return values + np.eye(*shape, dtype="float32") if kind == "weight" else values


def half(number: int, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Return half of `uniform`."""
    return uniform(number, shape, kind) * 0.5


FILLS = {"uniform": uniform, "near_identity": near_identity, "half": half}

# -- Reading data ------------------------------------------------------------------------------------------------------


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return as many images as MNIST has, and their labels."""
    random = np.random.RandomState(0)
    return random.randint(0, 256, (60000, 28, 28, 1)).astype("uint8"), random.randint(0, 10, 60000).astype("int32")


def digits_order() -> list[int]:
    """Return the indices of the images that a loader reads, in order."""
    return np.random.RandomState(2).permutation(60000)[: constants.NUM_READ].tolist()


def write_photographs(folder: Path, count: int) -> None:
    """Write JPEG files of about 300 x 400 that compress like photographs: smooth parts and some noise."""
    import cv2

    random = np.random.RandomState(3)
    for number in range(count):
        height, width = random.randint(280, 320), random.randint(380, 420)
        rough = random.randint(0, 256, (9, 12, 3)).astype("uint8")
        smooth = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC)
        noise = random.randint(-12, 13, smooth.shape)
        picture = np.clip(smooth.astype(int) + noise, 0, 255).astype("uint8")
        cv2.imwrite(str(folder / f"{number:04}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])


# -- Whole jobs --------------------------------------------------------------------------------------------------------

FASHION = Path(__file__).resolve().parents[1] / "examples" / "data" / "fashion"


def clothes() -> tuple[np.ndarray, np.ndarray]:
    """Return the 6,000 sample images, (n, 28, 28, 1) in uint8, and their classes."""
    with gzip.open(FASHION / "train-images-idx3-ubyte.gz") as stream:
        pixels = np.frombuffer(stream.read(), np.uint8, offset=16).reshape(-1, 28, 28, 1)
    with gzip.open(FASHION / "train-labels-idx1-ubyte.gz") as stream:
        labels = np.frombuffer(stream.read(), np.uint8, offset=8).astype("int32")
    return pixels, labels


def clothes_order(count: int) -> list[int]:
    """Return the order of the images in an epoch."""
    return np.random.RandomState(5).permutation(count).tolist()


def normalized_clothes() -> tuple[np.ndarray, np.ndarray]:
    """Return the images as network input, (n, 1, 28, 28) around 0, and their classes."""
    pixels, labels = clothes()
    chosen = clothes_order(len(pixels))
    values = (
        pixels[chosen].transpose(0, 3, 1, 2).astype("float32") / 255 - constants.CLOTHES_MEAN
    ) / constants.CLOTHES_DEVIATION
    return values.astype("float32"), labels[chosen].astype("float32")


def series() -> np.ndarray:
    """Return hourly series with a daily and a weekly period, each at a level of its own."""
    random, hours = np.random.RandomState(6), np.arange(constants.HOURS)
    level, phase = random.uniform(5, 500, (constants.SERIES, 1)), random.uniform(0, 2 * np.pi, (constants.SERIES, 1))
    daily = np.sin(2 * np.pi * hours / constants.DAY + phase) + 0.4 * np.sin(2 * np.pi * hours / (7 * constants.DAY))
    return (level * (2 + daily + 0.2 * random.randn(constants.SERIES, constants.HOURS))).astype("float32")


def windows(values: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the batches of an epoch as a sampler in Python cuts them out of series, window by window.

    A batch has the indices of the series, their scales, the features of each hour of context and prediction (lagged
    values divided by the scale, and the time of the day), and the target.
    """
    random = np.random.RandomState(seed)
    length = constants.CONTEXT + constants.PREDICTION
    for _ in range(constants.SERIES_BATCHES):
        numbers, scales, features, targets = [], [], [], []
        for _ in range(constants.SERIES_BATCH):
            number, start = (
                random.randint(constants.SERIES),
                random.randint(max(constants.LAGS), constants.HOURS - length),
            )
            line = values[number]
            scale = np.abs(line[start : start + constants.CONTEXT]).mean()
            hours = np.arange(start, start + length)
            lagged = [line[start - lag : start - lag + length] / scale for lag in constants.LAGS]
            clock = 2 * np.pi * hours / constants.DAY
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


def sentences() -> Arrays:
    """Return a batch of sentences of each length, with one word more than the network's input."""
    random = np.random.RandomState(7)
    lengths = random.permutation(constants.LENGTHS)  # unordered, as they come
    return [random.randint(0, constants.LSTM_WORDS, (length + 1, constants.SENTENCE_BATCH)) for length in lengths]


# -- Ranks of distributed training -------------------------------------------------------------------------------------

RANK, NUM_RANKS = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def rank_data(step: str) -> tuple[np.ndarray, np.ndarray]:
    """Return this rank's share of a batch: inputs and classes."""
    shape = RANK_STEPS[step].shape
    data = np.random.RandomState(100 + RANK).rand(*shape).astype("float32")
    return data, np.random.RandomState(200 + RANK).randint(0, 10, shape[0])


def gradient_sizes() -> list[int]:
    """Return the sizes of parameters whose gradients have 100 MB together: few large ones, many small ones."""
    weights = np.geomspace(1, 200, constants.NUM_PARAMETERS)
    sizes = (weights / weights.sum() * constants.NUM_ELEMENTS).astype(int)
    sizes[-1] += constants.NUM_ELEMENTS - sizes.sum()
    return [int(size) for size in np.random.RandomState(0).permutation(sizes)]


def gradient_values() -> np.ndarray:
    """Return this rank's gradients in one vector."""
    return np.random.RandomState(RANK).rand(constants.NUM_ELEMENTS).astype("float32")
