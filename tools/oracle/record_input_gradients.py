"""Record which inputs have a gradient in MXNet: `python -m tools.oracle.record_input_gradients [family ...]`.

Each case of `cases/` is called once per input. Only that input is a variable, and its gradient buffer holds a number
before `backward` runs. One more call makes variables of all inputs. tests/fixtures/input_gradients/<family>.json has
one line per case, with one character per input for the former (`alone`) and the latter (`together`):

    g   gradient: the buffer holds a gradient that is not zero everywhere
    0   zeros: the buffer holds zeros
    k   kept: the buffer holds the earlier number
    ?   garbage: equal calls leave different numbers, because MXNet leaves the gradient uninitialized
    !   error: `backward` raises
    x   crash: the process ends
    -   refused: MXNet refuses to call the operator

An input of integers is given as float32 where MXNet accepts that; `as_float` lists the positions of such inputs. Inputs
that are refused alone are constants in the last call, and refused there. Cases whose inputs all have a gradient in both
calls are left out: tests/fixtures/ops has these gradients.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .case import Case, family_names, load_family
from .record_ops import SETTINGS, Worker

OUTCOMES = {"gradient": "g", "zeros": "0", "kept": "k", "garbage": "?", "error": "!", "crash": "x", "refused": "-"}
FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "input_gradients"


def _serve(family: str, connection: Connection) -> None:
    # Imported in the child only: the parent never loads MXNet.
    from .probe_gradients import serve

    serve(family, connection)


def chosen_heads(case: Case, kinds: Sequence[str]) -> list[int]:
    """Return the outputs that receive a head gradient, given the dtype kind of each: if none is floating, all."""
    floating = [i for i, kind in enumerate(kinds) if kind == "f"]
    return list(case.head_outputs or floating or range(len(kinds)))


def record_case(worker: Worker, index: int, case: Case) -> dict[str, Any] | None:
    """Return the outcomes of one case, or None if every input has a gradient."""
    kinds = [array.dtype.kind for array in case.arrays()]
    alone, as_float = [], []
    for position, kind in enumerate(kinds):
        (outcome,) = ["refused"] if kind == "f" else _ask(worker, index, [position], [position])
        if outcome != "refused":
            as_float.append(position)
        else:
            (outcome,) = _ask(worker, index, [position], [])
        alone.append(outcome)
    variables = [position for position, outcome in enumerate(alone) if outcome != "refused"]
    together = ["refused"] * len(alone)
    for position, outcome in zip(variables, _ask(worker, index, variables, as_float), strict=True):
        together[position] = outcome
    facts = {"index": index, "op": case.op, "alone": _code(alone), "together": _code(together)}
    if set(alone) | set(together) <= {"gradient"}:
        return None
    return {**facts, **({"as_float": as_float} if as_float else {})}


def _code(outcomes: Iterable[str]) -> str:
    return "".join(OUTCOMES[outcome] for outcome in outcomes)


def _ask(worker: Worker, index: int, variables: list[int], as_float: list[int]) -> list[str]:
    answer: list[str] | str = worker.record((index, variables, as_float))
    return ["crash"] * len(variables) if isinstance(answer, str) else answer


def record_family(family: str) -> int:
    """Record one family and write its file; return the number of cases."""
    worker = Worker(family, _serve)
    cases = enumerate(load_family(family))
    found = [record_case(worker, index, case) for index, case in cases if not case.error]
    worker.stop()
    lines = [json.dumps(facts) for facts in found if facts is not None]
    if not lines:
        return 0
    FIXTURES.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(lines)
    (FIXTURES / f"{family}.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    return len(lines)


def main(arguments: list[str] | None = None) -> int:
    """Record the families named on the command line, or all; return the exit code."""
    parser = argparse.ArgumentParser(description="Record which inputs of operators the real MXNet gives a gradient.")
    parser.add_argument("families", nargs="*", help="default: all")
    families = parser.parse_args(arguments).families or family_names()
    unknown = sorted(set(families) - set(family_names()))
    if unknown:
        parser.error(f"no such family: {', '.join(unknown)}")
    os.environ.update(SETTINGS)
    for family in families:
        print(f"{family}: {record_family(family)} cases recorded", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
