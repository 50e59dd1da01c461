"""Written-out gradients give what the real MXNet recorded for their operators."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from regluon.compiler import autodiff
from regluon.ops import registry
from tests.ops.base import Fixture, compiled, load_fixtures, to_array


def _rule_applies(fixture: Fixture) -> bool:
    facts = fixture.facts
    if "error" in facts or not facts["grads"] or facts["named"] or facts["numpy"]:
        return False
    operator = registry.find(facts["op"])
    if operator.gradient is None:
        return False
    params = operator.full_params(operator.parse(fixture.params))
    return operator.gradient.applies({**params, "training": facts["train"]})


FIXTURES = [fixture for fixture in load_fixtures() if _rule_applies(fixture)]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.id)
def test_as_recorded(fixture: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autodiff, "_LEAST_WORTH", 1)
    op = compiled(fixture)
    arrays = [to_array(value) for value in fixture.inputs]
    for place in fixture.facts["grads"]:
        arrays[place].attach_grad()
    with mx.autograd.record(train_mode=fixture.facts["train"]):
        outputs = op.run(arrays)
    heads = fixture.facts["heads"]
    mx.autograd.backward([outputs[i] for i in heads], [to_array(fixture.array(f"head{i}")) for i in heads])
    (program,) = op._programs.values()
    assert all(each.is_worthwhile for each in program.gradient_programs.values())
    for i, expected in enumerate(fixture.outputs):
        _check(fixture, outputs[i], expected)
    for place in fixture.facts["grads"]:
        _check(fixture, arrays[place].grad, fixture.array(f"grad{place}"))


def _check(fixture: Fixture, actual: mx.nd.NDArray, expected: np.ndarray) -> None:
    rtol, atol = fixture.tolerance(expected)
    assert np.dtype(actual.dtype) == expected.dtype
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=rtol, atol=4 * atol)


def test_every_rule_has_cases() -> None:
    covered = {registry.find(fixture.facts["op"]).name for fixture in FIXTURES}
    contract = json.loads((Path(__file__).parents[1] / "fixtures" / "api" / "operators.json").read_text())
    written_out = {operator.name for _, operator in registry.names() if operator.gradient is not None}
    assert len(written_out) > 30
    assert sorted(written_out & contract.keys() - covered) == []
