"""Sums over what was seen, by category and name, and the texts that show them."""

import json
from collections.abc import Iterable
from typing import Any

from ._records import BLOCK, MEMORY_CATEGORIES, OPERATOR_MEMORY, TORCH, Instant, Record, Span, Value

SORT_KEYS = ("total", "avg", "min", "max", "count")
_LEFT_TO_TRACES = (BLOCK, TORCH)


class Statistic:
    """Count, sum, least and largest of some numbers.

    Args:
        scale: what they are divided by to be shown: they are nanoseconds, bytes, or a counter's values.
        is_counter: whether they are a counter's values: of those MXNet shows the last in place of the sum, and half
            of their span in place of the average.
    """

    def __init__(self, scale: int, is_counter: bool = False) -> None:
        self._scale, self._is_counter = scale, is_counter
        self.count = self._total = self._least = self._largest = 0

    def add(self, number: int) -> None:
        """Takes a number into account."""
        self._least = min(self._least, number) if self.count else number
        self._largest = max(self._largest, number) if self.count else number
        self._total = number if self._is_counter else self._total + number
        self.count += 1

    def value(self, key: str) -> float:
        """One of SORT_KEYS, as it is shown."""
        if key == "count":
            return self.count
        if key == "avg" and self._is_counter:
            return (self._largest - self._least) // 2 / self._scale
        if key == "avg":
            return self._total / self.count / self._scale
        if key == "total":
            return self._total / self._scale
        return (self._least if key == "min" else self._largest) / self._scale


class Statistics:
    """All of them."""

    def __init__(self) -> None:
        self._by_category: dict[str, dict[str, Statistic]] = {}

    def clear(self) -> None:
        """Forgets all."""
        self._by_category.clear()

    def add(self, records: Iterable[Record]) -> None:
        """Takes what was seen into account; torch's own events, and blocks, are left to traces."""
        for record in records:
            if isinstance(record, Value):
                self._of(record.category, record.name, 1000, True).add(record.value)
            elif isinstance(record, Instant):
                self._by_category.setdefault(record.category, {})
            elif record.category not in _LEFT_TO_TRACES:
                self._add_span(record)

    def _add_span(self, span: Span) -> None:
        self._of(span.category, span.name, 1_000_000).add(span.duration)
        if span.allocated is not None:
            self._of(OPERATOR_MEMORY, span.name, 1000).add(span.allocated)

    def _of(self, category: str, name: str, scale: int, is_counter: bool = False) -> Statistic:
        named = self._by_category.setdefault(category, {})
        if name not in named:
            named[name] = Statistic(scale, is_counter)
        return named[name]

    def _sorted(self, sort_by: str, ascending: bool) -> list[tuple[str, list[tuple[str, Statistic]]]]:
        def order(item: tuple[str, Statistic]) -> Any:
            return item[1].value(sort_by), item[0]

        return [
            (category, sorted(named.items(), key=order, reverse=not ascending))
            for category, named in sorted(self._by_category.items())
        ]

    def table(self, sort_by: str, ascending: bool) -> str:
        """The text that people read, laid out as MXNet's."""
        lines = ["", "Profile Statistics:", "\tNote the difference in units for different entries."]
        for category, rows in self._sorted(sort_by, ascending):
            is_memory = category in MEMORY_CATEGORIES
            keys = ("min", "max", "avg") if is_memory else ("total", "min", "max", "avg")
            titles = {"total": "Time (ms)"} | {
                key: f"{key.title()} {'Use  (kB)' if is_memory else 'Time (ms)'}" for key in ("min", "max", "avg")
            }
            lines += [category, "=" * 17, _line("Name", "Total Count", [titles[key] for key in keys])]
            lines.append(_line("----", "-----------", ["-" * len(titles[key]) for key in keys]))
            for name, statistic in rows:
                lines.append(_line(name, str(statistic.count), [f"{statistic.value(key):.4f}" for key in keys]))
            lines.append("")
        return "\n".join(lines) + "\n"

    def json(self, sort_by: str, ascending: bool) -> str:
        """The same for programs."""
        found: dict[str, Any] = {"Time": {}, "Memory": {}, "Unit": {"Time": "ms", "Memory": "kB"}}
        for category, rows in self._sorted(sort_by, ascending):
            is_memory = category in MEMORY_CATEGORIES
            keys = ("min", "max", "avg") if is_memory else ("total", "min", "max", "avg")
            found["Memory" if is_memory else "Time"][category] = {
                name: {"Count": statistic.count, **{key.title(): statistic.value(key) for key in keys}}
                for name, statistic in rows
            }
        return json.dumps(found, indent=4) + "\n"


def _line(name: str, count: str, columns: list[str]) -> str:
    return f"{name:<25}{count:>16} " + " ".join(f"{column:>16}" for column in columns)
