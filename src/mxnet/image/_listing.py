"""Which images there are, and their labels: list files, and lists given by the program."""

import os
from collections.abc import Sequence
from typing import Any

import mxnet.ndarray as nd

from ..base import numeric_types
from ..error import FileFormatError, OpParamError
from ..ndarray import NDArray

Listed = dict[Any, tuple[NDArray, str]]  # label and path by key, in the order given


def read_list(path: str | os.PathLike[str], dtype: str) -> Listed:
    """The images of a `.lst` file, whose lines are key, label(s) and path, separated by tabulators.

    Raises:
        FileFormatError: a line is not of this form; the text says which one.
    """
    listed: Listed = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            fields = line.strip().split("\t")
            if fields == [""]:
                continue
            try:
                key, labels = int(fields[0]), [float(field) for field in fields[1:-1]]
            except ValueError as error:
                raise FileFormatError(f"[ImageIter] {os.fspath(path)}, line {number}: {error}.") from None
            if not labels:
                raise FileFormatError(
                    f"[ImageIter] {os.fspath(path)}, line {number}: received {line.rstrip()[:60]!r}; expected key, "
                    "label(s) and path, separated by tabulators."
                )
            listed[key] = (nd.array(labels, dtype=dtype), fields[-1])
    return listed


def make_list(images: Sequence[Sequence[Any]], dtype: str) -> Listed:
    """The images of a list of [label, path], the label being a number or several, or of [label, label, ..., path]."""
    listed: Listed = {}
    for number, image in enumerate(images, 1):
        if len(image) < 2 or not isinstance(image[-1], (str, os.PathLike)):
            raise OpParamError(
                f"[ImageIter] imglist: received {image!r} as item {number - 1}; expected [label, path], where the "
                "label is a number or a list of numbers."
            )
        if len(image) > 2:
            labels = image[:-1]
        else:
            labels = [image[0]] if isinstance(image[0], numeric_types) else image[0]
        listed[str(number)] = (nd.array(labels, dtype=dtype), os.fspath(image[-1]))
    return listed
