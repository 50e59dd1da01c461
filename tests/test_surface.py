"""MXNet's public names exist at their public places; what is missing is missing on purpose.

`fixtures/api/surface.json` was read off a real MXNet 1.9.1, for the modules and classes that this version offers.
"""

import importlib
import json
from pathlib import Path

import pytest

import mxnet

SURFACE = json.loads((Path(__file__).parent / "fixtures" / "api" / "surface.json").read_text())

# What belongs to parts that come next.
LATER = {
    "mxnet.ndarray.ndarray.NDArray": set(),
}


def _resolve(path: str):
    owner, rest = mxnet, path.split(".")[1:]
    for position, name in enumerate(rest):
        if not hasattr(owner, name):
            return importlib.import_module(".".join(["mxnet", *rest[: position + 1]]))
        owner = getattr(owner, name)
    return owner


@pytest.mark.parametrize("path", [*SURFACE["modules"], *SURFACE["classes"]])
def test_names_exist(path: str):
    owner = _resolve(path)
    names = {**SURFACE["modules"], **SURFACE["classes"]}[path]
    missing = {name for name in names if not hasattr(owner, name)}
    assert missing == LATER.get(path, set())
