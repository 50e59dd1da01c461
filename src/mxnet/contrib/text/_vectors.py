"""Reading files of vectors: a line for each token, with the token and its numbers."""

import os
import warnings
from array import array
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...base import shortened
from ...error import FileFormatError

__all__ = ["VectorFileError", "Vectors", "read_vectors"]


class VectorFileError(FileFormatError, AssertionError):
    """A file of vectors cannot be used; MXNet raised an AssertionError for most of the causes."""


class Vectors(NamedTuple):
    """The content of a file.

    Attributes:
        tokens: those that were not known before, in the order of the file.
        values: a matrix; its first rows, one for each token known before, are zeros, and the tokens' rows follow.
        known: vectors of tokens that were known before; of one number, or as many as a row has.
    """

    tokens: list[str]
    values: np.ndarray
    known: dict[Any, list[float]]


def read_vectors(path: str, delimiter: str, encoding: str, known: Collection[Any], who: str) -> Vectors:
    """Reads a file in one pass.

    Numbers take four bytes each while they are gathered: such files have up to a billion.

    Args:
        path: the file.
        delimiter: what separates the token and the numbers of a line.
        encoding: of the file.
        known: tokens that have rows already.
        who: what to call the reader in messages.
    """
    if not os.path.isfile(path):
        raise VectorFileError(
            f"[{who}] pretrained_file_path: received {path!r}; expected a file of vectors, with a token and its "
            "numbers on each line."
        )
    seen: set[str] = set()
    tokens: list[str] = []
    values: array[float] = array("f")
    earlier: dict[Any, list[float]] = {}
    lines_of: dict[Any, str] = {}
    width = 0
    for place, token, numbers in _parsed(path, delimiter, encoding, who):
        if token in seen:
            _warn(f"{place}: {token!r} has a vector already; this one is left out.")
            continue
        if token in known:
            earlier[token], lines_of[token] = numbers, place
        elif len(numbers) == 1:
            _warn(f"{place}: {token!r} with one number looks like a header; it is left out.")
            continue
        else:
            if not width:
                width = len(numbers)
                values.frombytes(bytes(len(known) * width * values.itemsize))
            elif len(numbers) != width:
                raise VectorFileError(_other_width(place, token, len(numbers), width))
            values.extend(numbers)
            tokens.append(token)
        seen.add(token)
    if not width:
        raise VectorFileError(
            f"[{who}] {path}: received no vectors; expected a token and at least two numbers per line."
        )
    for token, numbers in earlier.items():
        if len(numbers) not in (1, width):
            raise VectorFileError(_other_width(lines_of[token], token, len(numbers), width))
    return Vectors(tokens, np.frombuffer(values, np.float32).reshape(-1, width), earlier)


def _parsed(path: str, delimiter: str, encoding: str, who: str) -> Iterator[tuple[str, str, list[float]]]:
    """Where each line stands, its token and its numbers."""
    number = 0
    try:
        with open(path, encoding=encoding) as stream:
            for number, line in enumerate(stream, 1):
                token, *parts = line.rstrip().split(delimiter)
                place = f"[{who}] {path}, line {number}"
                if not parts:
                    raise VectorFileError(
                        f"{place}: received {_short(line)}; expected a token and numbers, with {delimiter!r} between."
                    )
                try:
                    numbers = [float(part) for part in parts]
                except ValueError as error:
                    raise VectorFileError(
                        f"{place}: {token!r} is followed by what is no number: {error}. Expected a token and its "
                        f"numbers, separated by {delimiter!r} once each."
                    ) from None
                yield place, token, numbers
    except UnicodeDecodeError as error:
        raise VectorFileError(
            f"[{who}] {path}, after line {number}: received bytes that are not {encoding}: {error}. Pass the encoding "
            "of the file."
        ) from None


def _other_width(place: str, token: Any, found: int, width: int) -> str:
    return f"{place}: {token!r} has {found} numbers; expected {width}, as other tokens of the file have."


def _short(line: str) -> str:
    text = line.rstrip("\n")
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _warn(text: str) -> None:
    # From here through read_vectors, the two methods of an embedding and its class to the program.
    warnings.warn(shortened(text), UserWarning, stacklevel=5)
