"""What is found in a program: names with their places, and other signs."""

from typing import NamedTuple

from .bindings import Paths


class Place(NamedTuple):
    """Where something stands; a line of a notebook counts within its cell."""

    path: str
    line: int
    cell: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{f'cell {self.cell}:' if self.cell else ''}{self.line}"


class Use(NamedTuple):
    """A name of MXNet at a place: the paths it may stand for, and whether the program is ready for its absence."""

    paths: Paths
    place: Place
    is_guarded: bool


class Sign(NamedTuple):
    """Something else that matters: an attribute `.handle`, an argument `pretrained`, a text `MXNET_...`."""

    kind: str
    detail: str
    place: Place


class Reading(NamedTuple):
    """What was found in one file.

    Attributes:
        uses: names of MXNet with their places.
        signs: what else matters.
        defined: names that the program itself puts into MXNet's modules.
        asked: names that the program asks for with `hasattr`, or with `getattr` and a default.
    """

    uses: list[Use]
    signs: list[Sign]
    defined: set[str]
    asked: set[str]
