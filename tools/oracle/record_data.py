"""Records what programs about data give with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_data      # writes tests/fixtures/data/programs.json
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import data
from mxnet.gluon.data import vision
from tools.oracle.data_programs import PROGRAMS, REFUSED, make_files

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "data"


def described(value: Any) -> Any:
    """A value with everything about it that a program sees, for JSON."""
    if isinstance(value, (mx.nd.NDArray, np.ndarray)):
        plain = value if isinstance(value, np.ndarray) else value.asnumpy()
        kind = "numpy" if isinstance(value, np.ndarray) else "array"
        values = [str(each) for each in plain.ravel()] if plain.dtype.kind == "f" else plain.ravel().tolist()
        return {kind: plain.dtype.name, "shape": list(plain.shape), "values": values}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [described(each) for each in value]}
    if isinstance(value, np.generic):
        return {"scalar": value.dtype.name, "value": str(value)}
    return value.__name__ if isinstance(value, type) else value


def run(program: str, folder: str) -> Any:
    """What a program leaves in `out`."""
    space: dict[str, Any] = {"mx": mx, "nd": nd, "np": np, "gluon": gluon, "data": data, "vision": vision, "os": os}
    space.update(T=vision.transforms, folder=folder)
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, space)
    return space.get("out")


def caught_as(error: BaseException) -> str:
    """The most special of Python's own classes that catches an error."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def main() -> None:
    """Writes the fixture."""
    # The small files that stand for the published ones have other hashes.
    vision.datasets.download = lambda url, path, sha1_hash: os.path.join(path, url.rsplit("/", 1)[-1])
    vision.datasets.check_sha1 = lambda path, sha1: True
    recorded: dict[str, Any] = {"programs": {}, "refused": {}}
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder), mx)
        for name, program in PROGRAMS.items():
            recorded["programs"][name] = described(run(program, folder))
        for name, program in REFUSED.items():
            try:
                run(program, folder)
            except Exception as error:
                recorded["refused"][name] = caught_as(error)
            else:
                raise SystemExit(f"{name}: MXNet does not refuse it")
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "programs.json").write_text(json.dumps(recorded, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
