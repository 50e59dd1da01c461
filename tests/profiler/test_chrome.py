import json
from pathlib import Path

import pytest

from mxnet.base import MXNetError
from mxnet.profiler._records import Instant, Span, Value
from mxnet.profiler._report import TraceFile

SPAN = Span("operator", "dot", "net0_fwd", 5_000, 2_500, "cpu/0", 7, 12)


def events(path: Path) -> list[dict]:
    found = json.loads(path.read_text())
    assert found["displayTimeUnit"] == "ms"
    return found["traceEvents"]


def test_files_are_complete_after_every_write(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace = TraceFile(str(path), 1_000)
    trace.append([])
    assert [event["ph"] for event in events(path)] == ["M"]
    trace.append([SPAN])
    trace.append([])
    trace.append([SPAN._replace(start=9_000)])
    found = [event for event in events(path) if event["ph"] == "X"]
    assert [event["ts"] for event in found] == [4.0, 8.0]
    assert found[0] == {
        "name": "dot", "cat": "operator", "pid": 0, "tid": 7, "ph": "X", "ts": 4.0, "dur": 2.5,
        "args": {"where": "net0_fwd", "allocated bytes": 12},
    }  # fmt: skip


def test_every_kind_of_record(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    task = Span("Dom", "task", "", 0, 1_000, "cpu/0", 7, is_async=True)
    markers = [Instant("Dom,instant_marker", "here", 2_000, 7, scope) for scope in ("global", "process", "task")]
    TraceFile(str(path), 0).append([SPAN, task, Value("Dom", "count", 1_000, 3), *markers])
    found = events(path)
    assert [event["ph"] for event in found if event["ph"] != "M"] == ["X", "b", "e", "C", "i", "i", "i"]
    assert [event["args"]["name"] for event in found if event["ph"] == "M"] == ["cpu/0", "Dom", "Dom,instant_marker"]
    begin, end = (event for event in found if event["ph"] in "be")
    assert begin["id"] == end["id"]
    assert next(event for event in found if event["ph"] == "C")["args"] == {"count": 3}
    assert [event["s"] for event in found if event["ph"] == "i"] == ["g", "p", "t"]


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(MXNetError, match=r"\[profiler\] cannot write the trace to .*missing/t.json: No such file"):
        TraceFile(str(tmp_path / "missing" / "t.json"), 0).append([])
