"""Runs the recorded Gluon programs: see tools/oracle/record_gluon.py."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "gluon"


def recorded(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


PROGRAMS = recorded("programs")


def group(name: str) -> Any:
    """Parametrizes a test over the programs of a group."""
    return pytest.mark.parametrize("case", PROGRAMS[name].values(), ids=PROGRAMS[name].keys())


def run(program: str, **given: Any) -> dict[str, Any]:
    """The variables a program leaves; name counters begin anew."""
    space = {"mx": mx, "nd": nd, "nn": nn, "gluon": gluon, "autograd": autograd, "np": np, **given}
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, space)
    return space


def assert_same(ours: Any, real: Any, tolerance: float = 1e-5) -> None:
    """Text and whole numbers exactly, other numbers nearly; tuples count as lists."""
    if isinstance(real, dict):
        assert list(ours) == list(real)
        for key, value in real.items():
            assert_same(ours[key], value, tolerance)
    elif isinstance(real, list):
        assert isinstance(ours, (list, tuple))
        assert len(ours) == len(real)
        for one, other in zip(ours, real):
            assert_same(one, other, tolerance)
    elif isinstance(real, float):
        assert ours == pytest.approx(real, rel=tolerance, abs=tolerance)
    else:
        assert ours == real


def check(case: dict[str, Any]) -> None:
    assert_same(run(case["program"])["result"], case["result"])
