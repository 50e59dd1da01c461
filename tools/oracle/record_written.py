"""Record gradients of arrays written between forward and backward: `python -m tools.oracle.record_written`.

Two cases of each operator are run twice: once its inputs are written before `backward`, once its outputs. Writes
tests/fixtures/written/gradients.json (one line for each run) and gradients.npz. A gradient that is the same as without
the write is in tests/fixtures/ops already and is not recorded again.
"""

import json
import os
import sys
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from .case import Case, family_names, load_family, overwritten
from .record_ops import FIXTURES, SETTINGS, Worker, describe, write_fixtures

_CASES_PER_OPERATOR = 2


def _serve(family: str, connection: Connection) -> None:
    # Imported in the child only, as in record_ops.
    import mxnet as mx

    from .perform import CaseRun, locate, numpy_semantics, to_mxnet

    class WrittenRun(CaseRun):
        """One case whose inputs or outputs are written before `backward`."""

        written_inputs: list[int] | None = None  # None writes the outputs

        def _backward(self, outputs: list[Any]) -> None:
            inputs = self.written_inputs
            for array in outputs if inputs is None else [self.arrays[i] for i in inputs]:
                value = overwritten(self.case.op, array.asnumpy())
                array[() if value.ndim == 0 else slice(None)] = to_mxnet(value, type(array) is mx.np.ndarray)
            super()._backward(outputs)

    cases = load_family(family)
    while True:
        index, written_inputs = connection.recv()
        path = locate(cases[index].op)
        mx.random.seed(0)
        try:
            with numpy_semantics(path):
                run = WrittenRun(cases[index], path)
                run.written_inputs = written_inputs
                run.carry_out()
            connection.send({i: run.recorded[f"grad{i}"] for i in run.grads})
        except Exception as error:
            connection.send(f"{type(error).__name__}: {str(error)[:200]}")


class _Family:
    """The recorded cases of a family, without writes."""

    def __init__(self, name: str) -> None:
        self.facts = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
        with np.load(FIXTURES / f"{name}.npz", allow_pickle=False) as archive:
            self._arrays = dict(archive)

    def selected(self) -> list[dict[str, Any]]:
        """Return the facts of the first cases with gradients of each operator, spread over its cases."""
        found: dict[str, list[dict[str, Any]]] = {}
        for fact in self.facts:
            if fact["grads"]:
                found.setdefault(fact["op"], []).append(fact)
        return [fact for facts in found.values() for fact in facts[:: max(1, len(facts) // 2)][:_CASES_PER_OPERATOR]]

    def gradient(self, fact: dict[str, Any], position: int) -> np.ndarray:
        """Return the gradient of an input without writes."""
        return self._arrays[f"{fact['index']}_grad{position}"]

    def writable_inputs(self, fact: dict[str, Any]) -> list[int]:
        """Return the positions of the inputs to write: not those without gradient, which may be indices."""
        return [i for i in fact["grads"] if self.gradient(fact, i).any()]


def _record_family(name: str, facts: list[dict[str, Any]], arrays: dict[str, np.ndarray], failures: list[str]) -> None:
    cases, family = load_family(name), _Family(name)
    worker = Worker(name, _serve)
    for fact in family.selected():
        for written in (family.writable_inputs(fact), None):
            case: Case = cases[fact["index"]]
            if written == []:
                continue
            answer = worker.record((fact["index"], written))
            if isinstance(answer, str):
                failures.append(f"{name}, case {fact['index']}, written inputs {written}: {describe(case)}: {answer}")
                continue
            changed = {
                i: value
                for i, value in answer.items()
                if not np.array_equal(value, family.gradient(fact, i), equal_nan=True)
            }
            entry = len(facts)
            facts.append({"family": name, "case": fact["index"], "inputs": written, "changed": sorted(changed)})
            arrays.update({f"{entry}_grad{i}": value for i, value in changed.items()})
    worker.stop()


def main() -> None:
    """Record all families."""
    os.environ.update(SETTINGS)
    facts: list[dict[str, Any]] = []
    arrays: dict[str, np.ndarray] = {}
    failures: list[str] = []
    for name in family_names():
        _record_family(name, facts, arrays, failures)
    write_fixtures("gradients", facts, arrays, FIXTURES.with_name("written"))
    print(f"{len(facts)} runs recorded, {len(failures)} failed")
    for failure in failures:  # MXNet cannot write to some of its arrays: such runs are left out
        print(f"LEFT OUT {failure}", file=sys.stderr)


if __name__ == "__main__":
    main()
