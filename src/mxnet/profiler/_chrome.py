"""Traces in the format that chrome://tracing and Perfetto read."""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from ..base import MXNetError
from ._records import Instant, Record, Span, Value

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
