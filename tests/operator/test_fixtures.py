"""Programs with operators written in Python give what a real MXNet gave."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from tools.oracle.custom_programs import PROGRAMS, define

RECORDED = json.loads((Path(__file__).parents[1] / "fixtures" / "custom" / "programs.json").read_text())


def plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def check(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert sorted(found) == sorted(expected)
        for name, value in expected.items():
            check(found[name], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for first, second in zip(found, expected):
            check(first, second)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)
    else:
        assert found == expected


@pytest.fixture(scope="module", autouse=True)
def operators():
    define(mx)


def test_every_program_is_recorded():
    assert list(RECORDED) == list(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str):
    space: dict[str, Any] = {"mx": mx, "nd": nd, "np": np, "autograd": autograd}
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* has been deprecated. Please use CustomOp")
        exec(PROGRAMS[name], space)
    check(plain(space["result"]), RECORDED[name])
