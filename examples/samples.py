"""Load the sample data of the examples and draw detections."""

import gzip
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mxnet import nd
from mxnet.gluon.data import ArrayDataset
from mxnet.gluon.data.vision import FashionMNIST

DATA = Path(__file__).parent / "data"
CLOTHES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")


def clothes(train: bool) -> tuple[nd.NDArray, nd.NDArray]:
    """Pictures of clothing, (n, 1, 28, 28) between 0 and 1, and their kinds."""
    images, labels = FashionMNIST(DATA / "fashion", train)[:]
    return images.transpose((0, 3, 1, 2)).astype("float32") / 255, nd.array(labels)


def digits(train: bool) -> tuple[nd.NDArray, nd.NDArray]:
    """Handwritten digits, (n, 1, 24, 24) between 0 and 1, and their values; every fifth one is for testing."""
    with gzip.open(DATA / "digits.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",", dtype=np.float32)
    chosen = table[(np.arange(len(table)) % 5 != 0) == train]
    images = nd.array(chosen[:, :-1]).reshape((-1, 1, 8, 8)) / 16
    return images.repeat(3, axis=2).repeat(3, axis=3), nd.array(chosen[:, -1])


def dataset(kind: str, train: bool) -> ArrayDataset:
    """Return the training or test set of "clothes" or "digits" as pairs of an image and its class."""
    return ArrayDataset(*{"clothes": clothes, "digits": digits}[kind](train))


def rectangles(count: int, numbers: np.random.Generator) -> tuple[nd.NDArray, nd.NDArray]:
    """Noisy pictures, (n, 1, 64, 64), of two rectangles, dark or bright, with a row for each that says where it is.

    A row has the kind, 0 or 1, and the left, upper, right and lower edge in parts of the picture's side.
    """
    pictures, rows = numbers.normal(0, 0.2, (count, 1, 64, 64)), np.empty((count, 2, 5))
    for picture, row in zip(pictures, rows, strict=True):
        for half in range(2):
            kind, width, height = numbers.integers((0, 14, 14), (2, 29, 40))
            left, top = numbers.integers((32 * half, 0), (32 * half + 32 - width, 64 - height))
            picture[0, top : top + height, left : left + width] += 2 * kind - 1
            row[half] = kind, left / 64, top / 64, (left + width) / 64, (top + height) / 64
    return nd.array(pictures), nd.array(rows)


def draw_boxes(images: nd.NDArray, detections: nd.NDArray, names: tuple[str, ...], path: Path) -> None:
    """Writes a picture file that shows images in a row, with boxes for all rows whose kind is not negative."""
    sheet = Image.new("RGB", (len(images) * 200, 200), "white")
    pen = ImageDraw.Draw(sheet)
    for i, (image, rows) in enumerate(zip(images.asnumpy(), detections.asnumpy(), strict=True)):
        pixels = (128 + 64 * image[0]).clip(0, 255).astype("uint8")
        sheet.paste(Image.fromarray(pixels).resize((192, 192)), (i * 200 + 4, 4))
        for kind, score, *corners in rows[rows[:, 0] >= 0]:
            left, top, right, bottom = np.multiply(corners, 192) + [i * 200 + 4, 4] * 2
            pen.rectangle((left, top, right, bottom), outline="red", width=2)
            caption = f"{names[int(kind)]} {score:.0%}"
            pen.text((left + 4, top + 4), caption, fill="white", stroke_width=2, stroke_fill="black")
    sheet.save(path)
