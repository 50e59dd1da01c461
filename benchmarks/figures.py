"""Figures in prose: compare the measured numbers that pages quote with results.json, or bring the pages up to date.

    python benchmarks/figures.py            list quoted figures that differ from results.json
    python benchmarks/figures.py --write    rewrite them in the pages

run.py stores every table of RESULTS.md in results.json under "tables", by title, row and column, and the date and the
versions of each run under "runs". quoted.md has the sentences that quote figures. tests/test_figures.py makes the
comparison, and finds figures in pages that no sentence covers.
"""

import fnmatch
import json
import re
import statistics
import string
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent
RESULTS = HERE / "RESULTS.md"
FIGURES = HERE / "results.json"
QUOTED = HERE / "quoted.md"

Table = dict[str, dict[str, float]]  # numbers by row and column

_UNITS = {"us": 1e-6, "ms": 1e-3, "%": 1e-2}  # all other units are kept: s, MB, /s
_FIRST_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?(us\b|ms\b|%)?")
_SUMMARIES = {"min": min, "max": max, "mean": statistics.geometric_mean, "count": len}


# -- RESULTS.md to results.json ----------------------------------------------------------------------------------------


def _number(cell: str) -> float | None:
    """Return the first number of a cell, in seconds if it is a time, or None."""
    found = _FIRST_NUMBER.search(cell)
    return float(f"{float(found[1].replace(',', '')) * _UNITS.get(found[2], 1):.6g}") if found else None


def _columns(head: list[str]) -> list[str]:
    """Return unique column names: a name that occurs twice gets the nearest unique name before it as a prefix."""
    names, unique = [], ""
    for name in head:
        if head.count(name) == 1:
            unique = name
        names.append(name if head.count(name) == 1 else f"{unique}, {name}")
    return names


def _rows(lines: list[str]) -> Table:
    """Return the numbers of a Markdown table; rows whose first cell repeats are named by the first two."""
    head, _, *body = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    columns, first = _columns(head), [row[0] for row in body]
    rows: Table = {}
    for row in body:
        name = row[0] if first.count(row[0]) == 1 else f"{row[0]}, {row[1]}"
        numbers = {column: _number(cell) for column, cell in zip(columns[1:], row[1:], strict=True)}
        rows[name] = {column: number for column, number in numbers.items() if number is not None}
    return rows


def tables(markdown: str) -> dict[str, Table]:
    """Return all tables of RESULTS.md by title.

    The title is the heading of the section; tables after the first one add the line before them up to a
    comma, or their number. Parts
    that are computed from the tables (headings of the third level) are left out.
    """
    found: dict[str, Table] = {}
    for section in markdown.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        blocks = text.partition("\n### ")[0].split("\n\n")
        for place, block in enumerate(blocks):
            if not block.lstrip("\n").startswith("| "):
                continue
            name, before = title, blocks[place - 1]
            if name in found:
                count = sum(each == title or each.startswith(f"{title}, ") for each in found)
                caption = before.rstrip(":").partition(",")[0] if before.endswith(":") else count + 1
                name = f"{title}, {caption}"
            found[name] = _rows(block.strip().splitlines())
    return found


def runs(markdown: str) -> dict[str, dict[str, str]]:
    """Return date, processor and versions of the run of each section of RESULTS.md."""
    pattern = re.compile(
        r"^(?P<title>.+)\n\nMeasured (?P<date>[\d-]+), (?P<processor>.+?), (?P<cores>\d+) cores, .*?"
        r"Python (?P<python>[\d.]+), torch (?P<torch>[\d.]+)\S*, MXNet (?P<mxnet>[\d.]+)"
    )
    found = (pattern.match(section) for section in markdown.split("\n## ")[1:])
    return {each["title"]: {key: each[key] for key in pattern.groupindex if key != "title"} for each in found if each}


def dumped(results: Mapping[str, object]) -> str:
    """Return results as JSON with one row of a table on a line."""
    text = json.dumps(results, indent=1)
    return re.sub(r"[{\[][^{}\[\]]+[}\]]", lambda found: " ".join(found[0].split()), text) + "\n"


def store_tables() -> None:
    """Store the tables of RESULTS.md in results.json."""
    results, markdown = json.loads(FIGURES.read_text(encoding="utf-8")), RESULTS.read_text(encoding="utf-8")
    FIGURES.write_text(dumped({**results, "runs": runs(markdown), "tables": tables(markdown)}), encoding="utf-8")


# -- results.json to pages ---------------------------------------------------------------------------------------------


class Rows(Table):
    """Table that computes the row "max *_backward" from the rows whose names match, and those of other summaries."""

    def __missing__(self, name: str) -> dict[str, float]:
        summary, _, pattern = name.partition(" ")
        if summary not in _SUMMARIES:
            raise KeyError(name)
        chosen = [row for key, row in self.items() if fnmatch.fnmatchcase(key, pattern)]
        columns = set.intersection(*(set(row) for row in chosen))
        return {column: _SUMMARIES[summary]([row[column] for row in chosen]) for column in columns}


def known() -> dict[str, Any]:
    """Return the tables of results.json by title, and "runs"."""
    results = json.loads(FIGURES.read_text(encoding="utf-8"))
    return {**{title: Rows(rows) for title, rows in results["tables"].items()}, "runs": results["runs"]}


def sentences() -> dict[str, list[str]]:
    """Return the sentences of quoted.md by page."""
    pages = QUOTED.read_text(encoding="utf-8").split("\n## ")[1:]
    return {page: [*filter(None, lines)] for page, *lines in map(str.splitlines, pages)}


class Figure(NamedTuple):
    """A number that a page quotes: its field, its span in the page, and the number by results.json."""

    field: str
    start: int
    end: int
    expected: str


class Quote(NamedTuple):
    """A sentence of quoted.md and its span in the page. No figures: the page does not contain it exactly once."""

    sentence: str
    start: int
    end: int
    figures: list[Figure]


def _pattern(sentence: str) -> tuple[re.Pattern[str], list[str]]:
    """Return a pattern for a sentence with any numbers in it and any line breaks, and the fields of the numbers."""
    pattern, fields = "", []
    for literal, name, form, _ in string.Formatter().parse(sentence):
        pattern += r"\s+".join(map(re.escape, re.split(r"\s+", literal)))
        if name is not None:
            pattern += r"(\d(?:[\d,.-]*\d)?%?)"
            fields.append(f"{{{name}:{form}}}")
    return re.compile(pattern), fields


def quotes(text: str, lines: Iterable[str], numbers: Mapping[str, Any]) -> Iterator[Quote]:
    """Yield the quotes of a page."""
    for sentence in lines:
        pattern, fields = _pattern(sentence)
        found = list(pattern.finditer(text))
        if len(found) != 1:
            yield Quote(sentence, 0, 0, [])
            continue
        expected = (string.Formatter().vformat(field, (), numbers) for field in fields)
        spans = (found[0].span(place) for place in range(1, len(fields) + 1))
        figures = [Figure(field, *span, number) for field, span, number in zip(fields, spans, expected, strict=True)]
        yield Quote(sentence, *found[0].span(), figures)


def problems(text: str, found: Iterable[Quote]) -> Iterator[str]:
    """Yield a line for each sentence that a page lacks, and for each figure that differs from results.json."""
    for quote in found:
        if not quote.figures:
            yield f"not found, or more than once: {quote.sentence}"
        for figure in quote.figures:
            printed = text[figure.start : figure.end]
            if printed != figure.expected:
                yield f"{printed}, expected {figure.expected}: {figure.field}"


def updated(text: str, found: Iterable[Quote]) -> str:
    """Return a page with the figures of results.json."""
    figures = [figure for quote in found for figure in quote.figures]
    for figure in sorted(figures, key=lambda each: each.start, reverse=True):  # from the end: spans stay valid
        text = text[: figure.start] + figure.expected + text[figure.end :]
    return text


def main() -> None:
    """Command line."""
    numbers, is_wrong = known(), False
    for page, lines in sentences().items():
        text = (ROOT / page).read_text(encoding="utf-8")
        if "--write" in sys.argv:
            text = updated(text, quotes(text, lines, numbers))
            (ROOT / page).write_text(text, encoding="utf-8")
        for problem in problems(text, quotes(text, lines, numbers)):
            print(f"{page}: {problem}")
            is_wrong = True
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
