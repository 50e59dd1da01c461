"""What one would write with PyTorch: for those who leave MXNet's interface, name by name."""

from collections.abc import Hashable
from functools import cache
from typing import NamedTuple

from ..resolver import subject
from . import arrays, functions, layers, training


class Counterpart(NamedTuple):
    """An expression of PyTorch, and what is different about it."""

    torch: str
    remark: str


def counterpart(path: str) -> Counterpart | None:
    """The counterpart of a name, if there is an obvious one."""
    return _by_subject().get(subject(path))


@cache
def table() -> dict[str, Counterpart]:
    """All counterparts, by the full names of MXNet."""
    rows = {**arrays.TABLE, **functions.TABLE, **layers.TABLE, **training.TABLE}
    return {f"mxnet.{name}": Counterpart(*row) for name, row in rows.items()}


@cache
def _by_subject() -> dict[Hashable, Counterpart]:
    return {subject(path): row for path, row in table().items()}
