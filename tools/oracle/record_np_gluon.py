"""Records what Gluon programs with NumPy's semantics give, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_np_gluon                  # writes tests/fixtures/np_gluon/
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import mxnet as mx
from mxnet import npx
from tools.oracle.np_gluon_programs import EXPORTED, PROGRAMS, space

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


def exported(program: str) -> dict[str, Any]:
    """The files of a network, and what it gives."""
    found = space(True)
    npx.set_np()
    with mx.name.NameManager(), warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        exec(program, found)
        net = found["fill"](found["net"], *found["inputs"])
        out = net(*found["inputs"])
        net.export(f"{folder}/net")
        graph = Path(folder, "net-symbol.json").read_text()
        size = Path(folder, "net-0000.params").stat().st_size
    return {"graph": graph, "size": size, "out": described(list(out) if isinstance(out, (list, tuple)) else [out])}


def main() -> None:
    recorded = {}
    for name, program in PROGRAMS.items():
        recorded[name] = {key: described(value) for key, value in run(program, False).items()}
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "programs.json").write_text(json.dumps(recorded, indent=0) + "\n")
    exports = {name: exported(program) for name, program in EXPORTED.items()}
    (FIXTURES / "exports.json").write_text(json.dumps(exports, indent=0) + "\n")


if __name__ == "__main__":
    main()
