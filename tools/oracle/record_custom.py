"""Records what operators written in Python do, and what `mxnet.test_utils` prints, raises and draws.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_custom`.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, nd
from tools.oracle.custom_programs import COMPARISONS, DRAWS, PROGRAMS, define

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "custom"


def plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def run(program: str) -> Any:
    """What a program leaves in `result`."""
    space: dict[str, Any] = {"mx": mx, "nd": nd, "np": np, "autograd": autograd}
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, space)
    return plain(space["result"])


def drawn(expression: str) -> Any:
    """What an expression gives after NumPy was seeded."""
    np.random.seed(17)
    return plain(eval(expression, {"mx": mx, "np": np, **vars(mx.test_utils)}))


def compared(expression: str) -> dict[str, Any]:
    """What a comparison prints and raises."""
    printed = io.StringIO()
    np.random.seed(17)
    np.set_printoptions(threshold=1000, suppress=False)
    with contextlib.redirect_stdout(printed), mx.name.NameManager():
        try:
            eval(expression, {"mx": mx, "np": np, **vars(mx.test_utils)})
        except AssertionError as error:
            return {"printed": printed.getvalue(), "raised": str(error)}
    return {"printed": printed.getvalue(), "raised": None}


def main() -> None:
    """Writes the fixtures."""
    define(mx)
    FIXTURES.mkdir(parents=True, exist_ok=True)
    parts = {
        "programs": {name: run(program) for name, program in PROGRAMS.items()},
        "comparisons": {name: compared(expression) for name, expression in COMPARISONS.items()},
        "draws": {expression: drawn(expression) for expression in DRAWS},
    }
    for part, answers in parts.items():
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
        (FIXTURES / f"{part}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
        print(f"{part}: {len(answers)}")


if __name__ == "__main__":
    main()
