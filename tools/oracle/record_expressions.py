"""Records what a real MXNet answers to the programs in `tools/oracle/expressions`.

Run from the repository's root, in the environment of the real MXNet:
`python -m tools.oracle.record_expressions [topic ...]`.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.oracle.expressions import TOPICS, Entry
from tools.oracle.expressions.evaluate import evaluate

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "expressions"
_CHILD = "--child"
_MARK = "@result "  # the library may print lines of its own
_SECONDS = 60


def entries_of(topic: str) -> list[Entry]:
    """The programs of one topic, in the order in which they are recorded."""
    return importlib.import_module(f"tools.oracle.expressions.{topic}").ENTRIES


def record(topic: str) -> None:
    """Writes one topic's fixture, one entry a line."""
    entries = entries_of(topic)
    results = _results(topic, len(entries))
    lines = [json.dumps(_row(entry, result)) for entry, result in zip(entries, results)]
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / f"{topic}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    crashed = [entry for entry, result in zip(entries, results) if "crash" in result]
    print(f"{topic}: {len(entries)} entries, {len(crashed)} ended the process")
    for entry in crashed:
        print(f"  {entry.setup!r} -> {entry.expression!r}")


def _row(entry: Entry, result: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"setup": entry.setup, "expression": entry.expression}
    if not entry.exact:
        row["exact"] = False
    # Only the class of an exception is behaviour to keep: the texts of ours are its own.
    kept = {key: value for key, value in result.items() if key not in ("classes", "text")}
    return {**row, "result": kept}


def _results(topic: str, count: int) -> list[dict[str, Any]]:
    """Evaluates in child processes: a program that kills its process is noted, and a new child goes on after it."""
    results: list[dict[str, Any]] = []
    while len(results) < count:
        command = [sys.executable, "-m", "tools.oracle.record_expressions", _CHILD, topic, str(len(results))]
        results += [json.loads(line[len(_MARK) :]) for line in _lines(command) if line.startswith(_MARK)]
        if len(results) < count:
            results.append({"crash": True})
    return results


def _lines(command: list[str]) -> list[str]:
    try:
        output = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False
        ).stdout
    except subprocess.TimeoutExpired as stopped:  # a program that never ends counts as a crash
        output = stopped.stdout or b""
    return output.decode().split("\n")


def _evaluate_from(topic: str, start: int) -> None:
    """The child's work: one marked line per result, at once, so that a crash loses nothing."""
    import mxnet as mx  # only the child needs the real MXNet

    for entry in entries_of(topic)[start:]:
        print(_MARK + json.dumps(evaluate(mx, entry.setup, entry.expression)), flush=True)


def main(arguments: list[str]) -> None:
    """Records the named topics, or all."""
    if arguments[:1] == [_CHILD]:
        _evaluate_from(arguments[1], int(arguments[2]))
        return
    for topic in arguments or TOPICS:
        record(topic)


if __name__ == "__main__":
    main(sys.argv[1:])
