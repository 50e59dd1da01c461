"""Write traces and tables of the profiler."""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from ..base import MXNetError
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


_TAIL = '\n], "displayTimeUnit": "ms"}\n'
# What chrome://tracing knows of MXNet's scopes of markers; the others are moments of a thread.
_SCOPES = {"global": "g", "process": "p"}


class TraceFile:
    """A trace that grows: complete after every `append`.

    Args:
        path: the file; what is there is replaced.
        origin: the time that is shown as zero, in nanoseconds since the epoch.
    """

    def __init__(self, path: str, origin: int) -> None:
        self._path, self._origin = path, origin
        self._end = 0  # where the next events go
        self._places: dict[str, int] = {}
        self._num_async = 0

    def append(self, records: Iterable[Record]) -> None:
        """Writes what was seen."""
        texts = [json.dumps(event) for record in records for event in self._events(record)]
        separator = ",\n" if self._end else "\n"
        body = separator + ",\n".join(texts) if texts else ""
        try:
            with open(self._path, "r+b" if self._end else "wb") as file:
                if not self._end:
                    self._end = file.write(b'{"traceEvents": [')
                    if not texts:
                        body = "\n" + json.dumps(self._process(os.getpid(), "mxnet"))
                file.seek(self._end)
                self._end += file.write(body.encode())
                file.write(_TAIL.encode())
                file.truncate()
        except OSError as error:
            raise MXNetError(
                f"[profiler] cannot write the trace to {self._path}: {error.strerror}. Choose another file: "
                "profiler.set_config(filename=...)."
            ) from error

    def _events(self, record: Record) -> Iterator[dict[str, Any]]:
        if isinstance(record, Span):
            yield from self._span(record)
            return
        common = {"name": record.name, "cat": record.category, "ts": self._shown(record.time)}
        yield from self._introduced(record.category)
        place = {"pid": self._places[record.category]}
        if isinstance(record, Value):
            yield {**common, "ph": "C", **place, "args": {record.name: record.value}}
        elif isinstance(record, Instant):
            yield {**common, "ph": "i", **place, "tid": record.lane, "s": _SCOPES.get(record.scope, "t")}

    def _span(self, span: Span) -> Iterator[dict[str, Any]]:
        yield from self._introduced(span.place)
        common: dict[str, Any] = {"name": span.name, "cat": span.category, "pid": self._places[span.place]}
        common["tid"] = span.lane
        start, duration = self._shown(span.start), span.duration / 1000
        if span.is_async:
            self._num_async += 1
            common["id"] = self._num_async
            yield {**common, "ph": "b", "ts": start}
            yield {**common, "ph": "e", "ts": self._shown(span.start + span.duration)}
            return
        args: dict[str, Any] = {"where": span.where} if span.where else {}
        if span.allocated is not None:
            args["allocated bytes"] = span.allocated
        yield {**common, "ph": "X", "ts": start, "dur": duration, **({"args": args} if args else {})}

    def _introduced(self, place: str) -> Iterator[dict[str, Any]]:
        """Names a device, or a group of counters, when it is first mentioned."""
        if place not in self._places:
            self._places[place] = len(self._places)
            yield self._process(self._places[place], place)

    def _process(self, number: int, name: str) -> dict[str, Any]:
        return {"name": "process_name", "ph": "M", "pid": number, "args": {"name": name}}

    def _shown(self, time: int) -> float:
        """Microseconds; from an origin near by, because those since the epoch are too large for fractions."""
        return (time - self._origin) / 1000
