"""The mean of all images, kept in a file."""

import os
from collections.abc import Callable
from random import Random
from typing import Protocol

import numpy as np

from regluon.array.interop import from_numpy
from regluon.formats.images import Pixels

from ..error import FileFormatError
from ..ndarray.utils import load, save
from ._image_params import ColorParams
from ._normalize import Chance, Normalizer, Values


class MeanParams(Protocol):
    """What says where the mean image is and which shape it has."""

    @property
    def mean_img(self) -> str:
        """The file."""

    @property
    def data_shape(self) -> tuple[int, ...]:
        """The images' shape."""

    @property
    def seed(self) -> int:
        """For what is left to chance."""


def mean_image(given: MeanParams, count: int, read: Callable[[int, Random], Pixels], who: str) -> Values:
    """The mean image of the file `mean_img`; if there is none, it is calculated and saved.

    Args:
        given: the file and the images' shape.
        count: how many images there are.
        read: gives the pixels of an image as they go into a batch.
        who: the iterator named in errors.
    """
    if os.path.exists(given.mean_img):
        found = load(given.mean_img)
        arrays = list(found.values() if isinstance(found, dict) else found)
        if len(arrays) != 1 or arrays[0].shape != given.data_shape:
            raise FileFormatError(
                f"[{who}] {given.mean_img}: received arrays of shapes {[each.shape for each in arrays]}; expected one "
                f"of data_shape={given.data_shape}. Delete the file to have it made again."
            )
        return arrays[0].asnumpy()
    plain = Normalizer(ColorParams(), Chance(), given.data_shape[0], "float32", None, who)
    total = np.zeros(given.data_shape, np.float64)
    values = np.empty(given.data_shape, np.float32)
    for row in range(count):
        draw = Random(given.seed << 32 | row)
        plain(read(row, draw), values, draw)
        total += values
    made: Values = (total / count).astype(np.float32)
    save(given.mean_img, {"mean_img": from_numpy(made.copy())})
    return made
