"""Records what Gluon programs with NumPy's semantics give, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_np_gluon                  # writes tests/fixtures/np_gluon/programs.json
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import mxnet as mx
from mxnet import npx
from tools.oracle.np_gluon_programs import PROGRAMS, space

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "np_gluon"


def run(program: str, hybridized: bool) -> dict[str, Any]:
    """What a program leaves."""
    found = space(hybridized)
    npx.set_np()
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, found)
    return found["result"]


def described(value: Any) -> Any:
    """Arrays as their class, shape, dtype and values; numbers as they are."""
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        rounded = [float(f"{number:.6g}") for number in array.astype("float64").ravel()]
        return {"class": type(value).__name__, "shape": list(array.shape), "dtype": array.dtype.name, "values": rounded}
    return value


def main() -> None:
    recorded = {}
    for name, program in PROGRAMS.items():
        recorded[name] = {key: described(value) for key, value in run(program, False).items()}
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "programs.json").write_text(json.dumps(recorded, indent=0) + "\n")


if __name__ == "__main__":
    main()
