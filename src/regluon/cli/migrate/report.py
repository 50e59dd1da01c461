"""What was found in all files, counted: the one thing that text, JSON and HTML are made from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...version import __version__, regluon_version
from .habits import Habit, find_habits
from .parser import read_uses
from .resolver import Paths, Place, Reading, Sign, Use, star
from .sources import Problem, Source
from .status import DIFFERS, MISSING, STATES, UNKNOWN, WORKS, Entry, entry

SCHEMA = 1
_ORDER = (MISSING, UNKNOWN, DIFFERS, WORKS)


class Name(NamedTuple):
    """A name of MXNet with all its places, and at how many of them its absence is prepared for."""

    entry: Entry
    places: list[Place]
    guarded: int

    @property
    def is_lost(self) -> bool:
        """Whether a program stops here."""
        return self.entry.state in (MISSING, UNKNOWN) and self.guarded < len(self.places)


@dataclass
class Report:
    """What was found.

    Attributes:
        files: how many were read.
        using: how many of them use MXNet.
        names: what they use, worst first, then by how often.
        habits: what else matters.
        problems: what could not be read.
    """

    files: int
    using: int
    names: list[Name]
    habits: list[Habit]
    problems: list[Problem]

    @property
    def counted(self) -> list[Name]:
        """The names without modules that are there: importing one is no use of its own."""
        return [name for name in self.names if name.entry.kind != "module" or name.entry.state != WORKS]

    def counts(self) -> dict[str, int]:
        """How many names are in each state."""
        return {state: sum(name.entry.state == state for name in self.counted) for state in STATES}

    def uses(self) -> dict[str, int]:
        """How many places use names in each state."""
        return {state: sum(len(name.places) for name in self.counted if name.entry.state == state) for state in STATES}

    def status(self, is_strict: bool = False) -> int:
        """The exit status: 1 if something is missing or could not be read; with `is_strict`, also if it differs."""
        is_lost = any(name.is_lost for name in self.names) or any(habit.is_missing for habit in self.habits)
        return int(is_lost or bool(self.problems) or (is_strict and self.counts()[DIFFERS] > 0))


def make_report(sources: Iterable[Source]) -> Report:
    """Reads what sources use of MXNet, and looks it up."""
    readings: list[Reading] = []
    problems: list[Problem] = []
    files = 0
    for source in sources:
        files += 1
        problems += source.problems
        readings.append(read_uses(source, star))
    defined = {path for reading in readings for path in reading.defined}
    names, signs, using = _Names(defined), list[Sign](), 0
    for reading in readings:
        using += bool(reading.uses)
        # A file that has nothing of MXNet may use what it likes.
        signs += reading.signs if reading.uses else []
        for use in reading.uses:
            names.add(use, reading.asked)
    found = names.ordered()
    places = ((name.entry.path, place) for name in found for place in name.places)
    return Report(files, using, found, find_habits(places, signs), problems)


class _Names:
    """Uses gathered by what they are uses of."""

    def __init__(self, defined: set[str]) -> None:
        self._defined = defined
        self._names: dict[str, Name] = {}

    def add(self, use: Use, asked: set[str]) -> None:
        """Adds a use, unless the program itself defines the name."""
        found = entry(use.paths)
        if found.state == UNKNOWN and _begins_with(use.paths, self._defined):
            return
        known = self._names.get(found.path, Name(found, [], 0))
        known.places.append(use.place)
        is_guarded = use.is_guarded or _begins_with(use.paths, asked)
        self._names[found.path] = known._replace(guarded=known.guarded + is_guarded)

    def ordered(self) -> list[Name]:
        """Names that are missing first, those that are used often before others."""
        return sorted(
            self._names.values(), key=lambda name: (_ORDER.index(name.entry.state), -len(name.places), name.entry.path)
        )


def _begins_with(paths: Paths, known: set[str]) -> bool:
    return any(path == each or path.startswith(f"{each}.") for path in paths for each in known)


def as_json(report: Report, is_strict: bool = False) -> dict[str, Any]:
    """The report as plain data; docs/migrate/command.md describes it, and SCHEMA changes with its meaning."""
    return {
        "schema": SCHEMA,
        "regluon": regluon_version,
        "mxnet": __version__,
        "status": report.status(is_strict),
        "summary": {
            "files": report.files,
            "files_using_mxnet": report.using,
            "names": report.counts(),
            "uses": report.uses(),
        },
        "names": [_name_as_json(name) for name in report.names],
        "habits": [_habit_as_json(habit) for habit in report.habits],
        "unread": [
            {"file": each.path, "line": each.line, "cell": each.cell, "text": each.text} for each in report.problems
        ],
    }


def _name_as_json(name: Name) -> dict[str, Any]:
    facts = name.entry
    torch = facts.counterpart
    rows = [
        {"section": row.section, "mxnet": row.theirs, "here": row.ours, "why": row.why} for row in facts.differences
    ]
    return {
        "name": facts.path,
        "kind": facts.kind,
        "state": facts.state,
        "uses": len(name.places),
        "guarded": name.guarded,
        "instead": facts.instead,
        "nearest": list(facts.near),
        "differences": rows,
        "torch": {"write": torch.torch, "remark": torch.remark} if torch else None,
        "places": _places_as_json(name.places),
    }


def _habit_as_json(habit: Habit) -> dict[str, Any]:
    details = [detail for _, detail in habit.places]
    places = _places_as_json([place for place, _ in habit.places])
    return {
        "kind": habit.kind,
        "text": habit.text,
        "missing": habit.is_missing,
        "places": [{**place, "detail": detail} for place, detail in zip(places, details, strict=True)],
    }


def _places_as_json(places: Sequence[Place]) -> list[dict[str, Any]]:
    return [{"file": place.path, "line": place.line, "cell": place.cell} for place in places]
