"""Where the library differs from MXNet on purpose, by the names that a difference is about.

`python -m tools.docs.packaged_differences` makes `differences.json` from docs/DIFFERENCES.md; a test compares them.
"""

import json
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .resolving import subject

DATA = Path(__file__).with_name("differences.json")


class Difference(NamedTuple):
    """A row: what MXNet 1.9.1 does, what happens here, and the reason."""

    section: str
    theirs: str
    ours: str
    why: str


def differences(path: str) -> list[Difference]:
    """The rows that are about a name."""
    return _by_subject().get(subject(path), [])


@cache
def _by_subject() -> dict[Hashable, list[Difference]]:
    found: dict[Hashable, list[Difference]] = {}
    for row in json.loads(DATA.read_text(encoding="utf-8")):
        difference = Difference(row["section"], row["theirs"], row["ours"], row["why"])
        for about in set(map(subject, row["names"])):
            found.setdefault(about, []).append(difference)
    return found
