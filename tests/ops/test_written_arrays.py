"""Every operator with a gradient: inputs or outputs are written between forward and `backward`, recorded from MXNet.

The rule is MXNet's: `backward` reads the memory of inputs and outputs when it runs.
"""

import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regluon.ops.registry import find
from tests.ops.base import FIXTURES, Fixture, Run, _compare, compiled, load_family, numpy_semantics, to_array
from tools.oracle.case import overwritten

_FOLDER = FIXTURES.with_name("written")
_FACTS = json.loads((_FOLDER / "gradients.json").read_text(encoding="utf-8"))
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "DIFFERENCES.md"

_HEADING = "### Gradients that keep values of the forward pass"
_IN_PROGRAMS = "in compiled programs alone"


def _listed() -> dict[str, set[str]]:
    """Return the operators that docs/DIFFERENCES.md lists, by what their gradients keep."""
    section = _PAGE.read_text(encoding="utf-8").split(_HEADING)[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {kept: set(re.findall(r"`(\w+)`", operators)) for kept, operators in rows[1:]}


_LISTED = _listed()
# Operators whose gradients do not follow all writes, and those of which this holds in compiled programs alone.
_KEEPS_IN_PROGRAMS = _LISTED.pop(_IN_PROGRAMS)
_KEEPS_FORWARD_VALUES = set().union(*_LISTED.values())


@functools.cache
def _gradients() -> dict[str, np.ndarray]:
    with np.load(_FOLDER / "gradients.npz", allow_pickle=False) as archive:
        return dict(archive)


@functools.cache
def _family(name: str) -> dict[int, Fixture]:
    return {fixture.facts["index"]: fixture for fixture in load_family(name)}


def _fixture(entry: int) -> Fixture:
    return _family(_FACTS[entry]["family"])[_FACTS[entry]["case"]]


@functools.cache
def _operator(entry: int) -> str:
    """Return the name under which the operator of a run is declared: aliases share one gradient."""
    return find(_fixture(entry).facts["op"]).name


def _write(run: Run, array: Any) -> None:
    value = overwritten(run.fixture.facts["op"], array.asnumpy())
    array[() if value.ndim == 0 else slice(None)] = run._convert(to_array(value))


def _check(entry: int, is_compiled: bool) -> None:
    """Compare the gradients of all inputs with those recorded, which are stored where the write changes them."""
    fixture, inputs = _fixture(entry), _FACTS[entry]["inputs"]
    run = Run(fixture)
    with numpy_semantics(run.numpy):
        if is_compiled:
            run.call = functools.partial(compiled(fixture), *run.arrays)  # type: ignore[method-assign]
        run.attach("write", fixture.facts["grads"])
        run.forward()
        for array in run.outputs if inputs is None else [run.arrays[i] for i in inputs]:
            _write(run, array)
        run.backward()
        for i in fixture.facts["grads"]:
            is_changed = i in _FACTS[entry]["changed"]
            expected = _gradients()[f"{entry}_grad{i}"] if is_changed else fixture.array(f"grad{i}")
            _compare(fixture, run.arrays[i].grad, expected, f"gradient of input {i}")


def _runs(skipped: set[str], has_graph: bool) -> list[Any]:
    return [
        pytest.param(entry, id=f"{_fixture(entry).id}-{'outputs' if fact['inputs'] is None else 'inputs'}")
        for entry, fact in enumerate(_FACTS)
        if _operator(entry) not in skipped and not (has_graph and _fixture(entry).facts["named"])
    ]


@pytest.mark.parametrize("entry", _runs(_KEEPS_FORWARD_VALUES, has_graph=False))
@pytest.mark.sample(one_in=4, group=r"[^-]+-[^-]+$")
def test_eager(entry: int) -> None:
    _check(entry, is_compiled=False)


@pytest.mark.parametrize("entry", _runs(_KEEPS_FORWARD_VALUES | _KEEPS_IN_PROGRAMS, has_graph=True))
@pytest.mark.sample(one_in=4, group=r"[^-]+-[^-]+$")
def test_compiled(entry: int) -> None:
    _check(entry, is_compiled=True)


@functools.cache
def _runs_of(operator: str) -> list[int]:
    return [entry for entry in range(len(_FACTS)) if _operator(entry) == operator]


@pytest.mark.parametrize("operator", sorted(_KEEPS_FORWARD_VALUES))
def test_listed_operators_keep_values(operator: str) -> None:
    """An operator that follows all writes is taken off the list."""
    assert any(_differs(entry, is_compiled=False) for entry in _runs_of(operator))


@pytest.mark.parametrize("operator", sorted(_KEEPS_IN_PROGRAMS))
def test_listed_operators_keep_values_in_programs(operator: str) -> None:
    assert any(_differs(entry, is_compiled=True) for entry in _runs_of(operator))
    assert not any(_differs(entry, is_compiled=False) for entry in _runs_of(operator))


def _differs(entry: int, is_compiled: bool) -> bool:
    try:
        _check(entry, is_compiled)
    except AssertionError:
        return True
    return False
