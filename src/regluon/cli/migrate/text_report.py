"""The report as text of at most 100 columns."""

import textwrap
from collections.abc import Iterable, Sequence

from ..output import listed, table
from .report import Name, Report
from .resolver import Place
from .status import DIFFERS, MISSING, STATES, UNKNOWN, WORKS, Difference

WIDTH = 100
_BAR = 40
_PLACES = 3  # shown of each name
_WORKING = 20  # shown of those that work
_HEADINGS = {
    MISSING: "Missing here, and what to do instead",
    UNKNOWN: "Unknown: MXNet 1.9.1 has no such name either, or it is made while the program runs",
}


def as_text(report: Report, show_all: bool = False) -> str:
    """A summary, what needs attention, habits, and what works with its counterpart in PyTorch."""
    lines = [*_summary(report)]
    for state, heading in _HEADINGS.items():
        lines += _section(heading, [name for name in report.counted if name.entry.state == state])
    lines += _differences([name for name in report.counted if name.entry.state == DIFFERS])
    lines += _habits(report)
    lines += _problems(report)
    lines += _working([name for name in report.counted if name.entry.state == WORKS], show_all)
    return "\n".join(lines)


def as_text_by_file(report: Report) -> str:
    """The summary, then every file with the names it uses."""
    by_file: dict[str, list[tuple[Name, list[Place]]]] = {}
    for name in report.counted:
        for path in dict.fromkeys(place.path for place in name.places):
            places = [place for place in name.places if place.path == path]
            by_file.setdefault(path, []).append((name, places))
    lines = [*_summary(report), *_problems(report)]
    for path in sorted(by_file):
        rows = [(name.entry.shown, name.entry.state, len(places), _lines(places)) for name, places in by_file[path]]
        lines += ["", path, *(line[:WIDTH] for line in table(rows))]
    return "\n".join(lines)


def _lines(places: Sequence[Place]) -> str:
    texts = [f"{f'cell {place.cell}:' if place.cell else ''}{place.line}" for place in places]
    return ", ".join(texts[:_PLACES]) + (", ..." if len(texts) > _PLACES else "")


def lead(report: Report) -> str:
    """How much was read and found, in a line."""
    names, places = sum(report.counts().values()), sum(report.uses().values())
    return (
        f"{counted(report.files, 'file')} read, {report.using} with MXNet: {counted(names, 'name')}, "
        f"used at {counted(places, 'place')}"
    )


def _summary(report: Report) -> list[str]:
    counts = report.counts()
    total = sum(counts.values())
    rows = [
        (state, counts[state], f"{100 * counts[state] / total:.0f}%", "#" * round(_BAR * counts[state] / total))
        for state in STATES
        if total and (counts[state] or state == WORKS)
    ]
    return [lead(report), *table(rows)]


def counted(number: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _section(heading: str, names: Sequence[Name]) -> list[str]:
    if not names:
        return []
    lines = ["", heading]
    for name in names:
        lines += _wrapped(f"{name.entry.shown}  {_where(name)}", "  ", "      ")
        lines += [line for text in notes(name) for line in _wrapped(text, "    - ", "      ")]
    return lines


def _differences(names: Sequence[Name]) -> list[str]:
    """Each difference once, with the names that it is about."""
    about: dict[Difference, list[Name]] = {}
    for name in names:
        for row in name.entry.differences:
            about.setdefault(row, []).append(name)
    lines = ["", "Differs from MXNet 1.9.1, in the cases that are named"] if about else []
    for row, concerned in about.items():
        lines += _wrapped(f"MXNet: {row.theirs}. Here: {row.ours}.", "  ", "    ")
        texts = [f"{name.entry.shown} ({len(name.places)})" for name in concerned]
        places = _places(place for name in concerned for place in name.places)
        lines += _wrapped(f"{', '.join(texts)}: {places}", "    - ", "      ")
    return lines


def notes(name: Name) -> list[str]:
    """What is to be known about a name, in sentences."""
    facts = name.entry
    texts = [facts.instead] if facts.instead else []
    if facts.near:
        texts.append(f"Did you mean {' or '.join(facts.near)}?")
    if facts.state in (MISSING, UNKNOWN) and name.guarded:
        texts.append(f"The program is prepared for its absence at {counted(name.guarded, 'place')}.")
    if facts.state == DIFFERS:
        texts += [f"MXNet: {row.theirs}. Here: {row.ours}." for row in facts.differences]
    return texts


def _where(name: Name) -> str:
    return f"{counted(len(name.places), 'use')}: {_places(name.places)}"


def _places(places: Iterable[Place]) -> str:
    texts = list(dict.fromkeys(map(str, places)))
    return ", ".join(texts[:_PLACES]) + (f" and {len(texts) - _PLACES} more" if len(texts) > _PLACES else "")


def _wrapped(text: str, first: str, then: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    )


def _habits(report: Report) -> list[str]:
    lines = ["", "Worth knowing"] if report.habits else []
    for habit in report.habits:
        lines += _wrapped(f"{habit.kind}: {habit.text}", "  ", "    ")
        details = dict.fromkeys(detail for _, detail in habit.places)
        lines += _wrapped(
            f"{listed(list(details), 5)}: {_places(place for place, _ in habit.places)}", "    - ", "      "
        )
    return lines


def _problems(report: Report) -> list[str]:
    lines = ["", "Could not be read"] if report.problems else []
    for problem in report.problems:
        lines += _wrapped(f"{Place(problem.path, problem.line, problem.cell)} {problem.text}", "  ", "    ")
    return lines


def _working(names: Sequence[Name], show_all: bool) -> list[str]:
    if not names:
        return []
    shown = names if show_all else names[:_WORKING]
    rows = []
    for name in shown:
        torch = name.entry.counterpart
        rows.append((name.entry.shown, len(name.places), torch.torch if torch else ""))
    lines = ["", "Works; the last column is what one would write with PyTorch", *(each[:WIDTH] for each in table(rows))]
    hidden = len(names) - len(shown)
    return lines + ([f"  ... {hidden} more; --all shows them"] if hidden else [])
