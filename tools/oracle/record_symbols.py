"""Records what a real MXNet answers to the programs in `tools/oracle/symbols`, and how it loads old symbol files.

Run from the repository's root, in the environment of the real MXNet:
`python -m tools.oracle.record_symbols [topic ...]`. The topic `old` stands for the files.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.oracle.symbols import TOPICS, Entry
from tools.oracle.symbols.evaluate import evaluate
from tools.oracle.symbols.old import FILES

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "symbols"
_OLD = "old"
_CHILD = "--child"
_MARK = "@result "  # the library may print lines of its own
_SECONDS = 60


def entries_of(topic: str) -> list[Entry]:
    """The programs of one topic, in the order in which they are recorded."""
    if topic == _OLD:
        return [Entry(name, f"s = sym.load_json({text!r})", _ABOUT_FILE) for name, text in FILES.items()]
    return importlib.import_module(f"tools.oracle.symbols.{topic}").ENTRIES


_ABOUT_FILE = "[s.list_arguments(), s.list_auxiliary_states(), s.list_outputs(), s.tojson()]"


def record(topic: str) -> None:
    """Writes one topic's fixture, one program a line."""
    entries = entries_of(topic)
    results = _results(topic, len(entries))
    FIXTURES.mkdir(parents=True, exist_ok=True)
    if topic == _OLD:
        _write_files(results)
    else:
        lines = [json.dumps({**entry._asdict(), **_kept(result)}) for entry, result in zip(entries, results)]
        (FIXTURES / f"{topic}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    unusual = [(entry, result) for entry, result in zip(entries, results) if "value" not in result]
    print(f"{topic}: {len(entries)} programs, {len(unusual)} raised or ended the process")
    if topic != "refused":
        for entry, result in unusual:
            print(f"  {entry.name}: {entry.expression} -> {result.get('error', 'crash')}")
    else:
        for entry, result in zip(entries, results):
            if "value" in result:
                print(f"  {entry.name}: {entry.expression} does not raise")


def _kept(result: dict[str, Any]) -> dict[str, Any]:
    # Only the class of an exception is behaviour to keep: the texts of ours are its own.
    return {key: value for key, value in result.items() if key not in ("classes", "text")}


def _write_files(results: list[dict[str, Any]]) -> None:
    """The old files as they are, and in one file what becomes of each."""
    folder = FIXTURES / _OLD
    folder.mkdir(parents=True, exist_ok=True)
    about = {}
    for (name, text), result in zip(FILES.items(), results):
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
        arguments, states, outputs, saved = result["value"]
        about[name] = {"arguments": arguments, "auxiliary_states": states, "outputs": outputs, "json": saved}
    (FIXTURES / "old_files.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _results(topic: str, count: int) -> list[dict[str, Any]]:
    """Evaluates in child processes: a program that kills its process is noted, and a new child goes on after it."""
    results: list[dict[str, Any]] = []
    while len(results) < count:
        command = [sys.executable, "-m", "tools.oracle.record_symbols", _CHILD, topic, str(len(results))]
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
    for topic in arguments or [*TOPICS, _OLD]:
        record(topic)


if __name__ == "__main__":
    main(sys.argv[1:])
