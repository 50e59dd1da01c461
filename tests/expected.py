"""Expected results of programs that differ from MXNet on purpose: what they give here and what MXNet gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Gives:
    """A result.

    Args:
        value: An array of NumPy stands for an array of the library, unless `kind` is "numpy". Lists and tuples have
            such items. Other values stand for themselves.
        kind: The class of the arrays: "NDArray", "ndarray" or "numpy". None is the class of the topic.
        tolerance: The relative tolerance. None is the tolerance of the topic.
    """

    value: Any
    kind: str | None = None
    tolerance: float | None = None


@dataclass(frozen=True)
class Raises:
    """An exception: the name of its class, and a part of its text. MXNet's texts are not recorded."""

    error: str
    text: str = ""


class Difference(NamedTuple):
    """A program whose result differs from MXNet's.

    With `varies`, whether it differs depends on the installed versions of NumPy and torch.
    """

    topic: str
    setup: str
    expression: str
    ours: Gives | Raises
    theirs: Gives | Raises
    varies: bool = False


def floats(values: Any) -> np.ndarray:
    """Return an array of float32."""
    return np.array(values, dtype="float32")


def log_softmax(rows: Any) -> np.ndarray:
    """Return the logarithm of the softmax of each row, computed in float64."""
    rows = np.array(rows, dtype="float64")
    return floats(rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True)))
