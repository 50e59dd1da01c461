"""The sample data that ships with the examples, and a way to look at it."""

import gzip
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mxnet import nd
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


def draw(images: nd.NDArray, captions: list[str], path: Path) -> None:
    """Writes a picture file that shows images in a row with a word below each."""
    sheet = Image.new("L", (len(captions) * 90, 100), 255)
    pen = ImageDraw.Draw(sheet)
    for i, caption in enumerate(captions):
        pixels = (255 - 255 * images[i, 0].asnumpy()).astype("uint8")
        sheet.paste(Image.fromarray(pixels).resize((70, 70)), (i * 90 + 10, 5))
        pen.text((i * 90 + 10, 80), caption, fill=0)
    sheet.save(path)
