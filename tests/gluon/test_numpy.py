"""Networks with NumPy's semantics compute what a real MXNet computed, compiled or not.

The programs stand in `tools/oracle/np_gluon_programs.py`, the recorded results in `tests/fixtures/np_gluon`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

import mxnet as mx
from mxnet import npx
from tools.oracle.np_gluon_programs import PROGRAMS, space

RECORDED = json.loads((Path(__file__).resolve().parents[1] / "fixtures" / "np_gluon" / "programs.json").read_text())


@pytest.fixture(autouse=True)
def numpy_semantics() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def compare(found: Any, recorded: Any, where: str) -> None:
    if isinstance(recorded, list):
        assert len(found) == len(recorded), where
        for place, (one, other) in enumerate(zip(found, recorded, strict=True)):
            compare(one, other, f"{where}[{place}]")
    elif isinstance(recorded, dict):
        array = found.asnumpy()
        assert type(found).__name__ == recorded["class"], where
        assert (list(array.shape), array.dtype.name) == (recorded["shape"], recorded["dtype"]), where
        values = array.astype("float64").ravel()
        onp.testing.assert_allclose(values, recorded["values"], rtol=2e-4, atol=2e-5, err_msg=where)
    elif isinstance(recorded, float):
        assert found == pytest.approx(recorded, rel=2e-4, abs=2e-5), where
    else:
        assert found == recorded, where


@pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_programs(name: str, hybridized: bool) -> None:
    found = space(hybridized)
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(PROGRAMS[name], found)
    result = found["result"]
    assert sorted(result) == sorted(RECORDED[name])
    for key, recorded in RECORDED[name].items():
        compare(result[key], recorded, f"{name}: {key}")
