"""Every operator's recorded case gives the same eagerly, in a graph, compiled, and on kernels in C++."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from regluon.ops import registry
from tests.ops.base import Fixture, load_fixtures, mode, numpy_semantics, to_array

from .budget import is_fuzzing
from .compare import difference
from .modes import EAGER, Mode

_FEW = 1  # case of each operator, unless fuzzing was asked for
_MODES = (EAGER, Mode("kernels in C++", kernels=True), Mode("captured", kernels=True, is_captured=True))
_RUNS = 6  # enough for the native runner to take over


def _is_comparable(fixture: Fixture) -> bool:
    operator = registry.find(fixture.facts["op"])
    # Random numbers are another matter, operators of Python have tests of their own, and what has no results belongs to
    # no graph.
    is_pure = not operator.needs_rng and operator.describes is None and fixture.facts["outputs"] > 0
    return "error" not in fixture.facts and is_pure


def _cases() -> list[Fixture]:
    found: dict[str, list[Fixture]] = {}
    for fixture in filter(_is_comparable, load_fixtures()):
        found.setdefault(fixture.facts["op"], []).append(fixture)
    # Cases with gradients first: they show more.
    ordered = [sorted(cases, key=lambda case: not case.facts["grads"]) for cases in found.values()]
    return [case for cases in ordered for case in (cases if is_fuzzing() else cases[:_FEW])]


def _arrays(fixture: Fixture) -> list[Any]:
    arrays = [to_array(value) for value in fixture.inputs]
    return [array.as_np_ndarray() for array in arrays] if fixture.facts["numpy"] else arrays


def _graph(fixture: Fixture) -> Any:
    """The case as a symbol of variables x0, x1, ..."""
    count = fixture.facts["inputs"]
    variables = [mx.sym.var(f"x{i}") for i in range(len(fixture.inputs))]
    if fixture.facts["numpy"]:
        variables = [variable.as_np_ndarray() for variable in variables]
    named = dict(zip(fixture.facts["named"], variables[count:], strict=True))
    make = getattr(mx.sym._internal, fixture.facts["op"], None) or getattr(mx.sym.op, fixture.facts["op"])
    return make(*variables[:count], **named, **fixture.params)


def _run(fixture: Fixture, op: mx.nd.CachedOp) -> list[tuple[str, np.ndarray]]:
    """Outputs, gradients and what was written to inputs."""
    facts, arrays = fixture.facts, _arrays(fixture)
    for place in facts["grads"]:
        arrays[place].attach_grad()
    with mx.autograd.record(train_mode=facts["train"]) if facts["grads"] else mode(facts["train"]):
        outputs = op.run([arrays[int(node.name[1:])] for node in op.inputs])
    log = [(f"output {i}", output.asnumpy()) for i, output in enumerate(outputs)]
    if facts["grads"]:
        heads = [to_array(fixture.array(f"head{i}")) for i in facts["heads"]]
        heads = [head.as_np_ndarray() for head in heads] if facts["numpy"] else heads
        mx.autograd.backward([outputs[i] for i in facts["heads"]], heads, train_mode=facts["train"])
        log += [(f"gradient {i}", arrays[i].grad.asnumpy()) for i in facts["grads"]]
    return log + [(f"input {i}", array.asnumpy()) for i, array in enumerate(arrays)]


def _as_recorded(fixture: Fixture) -> list[tuple[str, np.ndarray]]:
    """What MXNet gave; tests/ops compares eager execution with it."""
    facts = fixture.facts
    log = [(f"output {i}", value) for i, value in enumerate(fixture.outputs)]
    log += [(f"gradient {i}", fixture.array(f"grad{i}")) for i in facts["grads"]]
    for i, value in enumerate(fixture.inputs):
        log.append((f"input {i}", fixture.array(f"state{i}") if str(i) in facts["states"] else value))
    return log


@pytest.mark.parametrize("fixture", _cases(), ids=lambda fixture: fixture.id)
@pytest.mark.sample(one_in=4, group=r"[^-]+$")
def test_a_graph_gives_what_was_recorded(fixture: Fixture) -> None:
    dtypes = {value.dtype.name for value in (*fixture.inputs, *fixture.outputs)}
    lowest = next((name for name in ("float16", "float32") if name in dtypes), "float64")
    if lowest == "float64" and "tolerance" in fixture.facts:
        lowest = "float32"  # MXNet computed it in single precision
    for each in _MODES:
        with each.active(), numpy_semantics(fixture.facts["numpy"]):
            op = mx.nd.CachedOp(_graph(fixture))
            if len(op.inputs) > len(fixture.inputs):
                pytest.skip("in a graph an input that is left out becomes a variable")
            for number in range(_RUNS if each.is_captured and fixture.facts["grads"] else 1):
                found = difference(_as_recorded(fixture), _run(fixture, op), lowest)
                assert found is None, f"{each.name}, run {number}, {fixture.facts['call']}: {found}"
