"""Records operator fixtures from the real MXNet: `python -m tools.oracle.record_ops [family ...]`.

Writes tests/fixtures/ops/<family>.npz (arrays) and <family>.json (everything else). The same cases give the same bytes.
"""

import argparse
import io
import json
import multiprocessing
import os
import sys
import zipfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .case import Case, family_names, load_family

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "ops"
_SECONDS_PER_CASE = 120
# One thread: a sum split over threads would give other last digits on a machine with more cores.
SETTINGS = {"OMP_NUM_THREADS": "1", "MXNET_CPU_WORKER_NTHREADS": "1"}


def _serve(family: str, connection: Connection) -> None:
    # Imported in the child only: after an abort a fresh child starts, while the parent never loads MXNet.
    from .perform import serve

    serve(family, connection)


class Worker:
    """A child process with MXNet in it, replaced by a new one when a case kills it."""

    def __init__(self, family: str, serve: Callable[[str, Connection], None] = _serve) -> None:
        self._family, self._serve = family, serve
        self._process: Any = None
        self._connection: Any = None

    def record(self, request: Any) -> Any:
        """Return the answer to a request (the number of a case), or a message (str) that says what went wrong."""
        if self._process is None:
            self._start()
        self._connection.send(request)
        if not self._connection.poll(_SECONDS_PER_CASE):
            self.stop()
            return f"no answer within {_SECONDS_PER_CASE} seconds"
        try:
            return self._connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            code = self._process.exitcode
            self.stop()
            return f"MXNet ended the process (exit code {code})"

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=self._serve, args=(self._family, theirs), daemon=True)
        self._process.start()
        # Closing our copy of the child's end lets its death arrive as the end of the stream.
        theirs.close()

    def stop(self) -> None:
        """Ends the child."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
        self._process = None


def record_family(family: str) -> list[str]:
    """Records one family and writes its files; returns what went wrong, one line per case."""
    cases = load_family(family)
    worker = Worker(family)
    facts: list[dict[str, Any]] = []
    arrays: dict[str, np.ndarray] = {}
    failures = []
    for index, case in enumerate(cases):
        answer = worker.record(index)
        if isinstance(answer, str):
            failures.append(f"{family}, case {index}: {describe(case)}: {answer}")
            continue
        facts.append({"index": index, **answer["facts"]})
        arrays.update({f"{index}_{name}": value for name, value in answer["arrays"].items()})
    worker.stop()
    write_fixtures(family, facts, arrays)
    return failures


def describe(case: Case) -> str:
    """A case in one phrase, for messages."""
    try:
        shapes = ", ".join(f"{array.dtype.name}{list(array.shape)}" for array in case.arrays())
    except Exception as error:  # whatever a descriptor raises, the other cases go on
        shapes = f"inputs cannot be drawn: {error}"
    return f"{case.op}({shapes}; {case.params})"


def write_fixtures(
    family: str, facts: list[dict[str, Any]], arrays: dict[str, np.ndarray], folder: Path = FIXTURES
) -> None:
    """Write both files, with nothing in them that depends on the time or the machine."""
    folder.mkdir(parents=True, exist_ok=True)
    # One case per line keeps changes readable in a diff.
    lines = ",\n".join(json.dumps(fact) for fact in facts)
    (folder / f"{family}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    with zipfile.ZipFile(folder / f"{family}.npz", "w") as archive:
        for name, value in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, value, allow_pickle=False)
            # ZipInfo's default date is a constant, unlike the present time that np.savez stores.
            entry = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(entry, buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)


def main(arguments: list[str] | None = None) -> int:
    """Records the families named on the command line, or all; returns the exit code."""
    known = family_names()
    parser = argparse.ArgumentParser(description="Record operator fixtures from the real MXNet 1.9.1.")
    parser.add_argument("families", nargs="*", help=f"default: all ({', '.join(known)})")
    families = parser.parse_args(arguments).families or known
    unknown = sorted(set(families) - set(known))
    if unknown:
        parser.error(f"no such family: {', '.join(unknown)}; there are {', '.join(known)}")
    os.environ.update(SETTINGS)
    failures = []
    for family in families:
        found = record_family(family)
        print(f"{family}: {len(load_family(family)) - len(found)} cases recorded, {len(found)} failed", flush=True)
        failures += found
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
