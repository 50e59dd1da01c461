"""Every optimizer against the real MXNet, step by step; tools/oracle/record_optimizers.py says what was called."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.lr_scheduler
import mxnet.optimizer
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.optimizer.registered import NAMES as REGISTERED
from tools.oracle.record_optimizers import (
    NAMES,
    OPERATORS,
    SCHEDULES,
    STEPS,
    TRAJECTORIES,
    arrays_for,
    flat,
    make_optimizer,
    operator_inputs,
)

FIXTURES = Path(__file__).parents[1] / "fixtures" / "optimizers"
TOLERANCES = {"float16": (2e-3, 1e-3), "float32": (2e-5, 2e-6), "float64": (1e-9, 1e-11)}


@functools.cache
def recorded(name: str) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    with np.load(FIXTURES / f"{name}.npz", allow_pickle=False) as archive:
        return json.loads((FIXTURES / f"{name}.json").read_text()), {key: archive[key] for key in archive.files}


def compare(actual: Any, expected: np.ndarray, dtype: str, what: str) -> None:
    rtol, atol = TOLERANCES[dtype]
    assert actual.dtype == expected.dtype, what
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=rtol, atol=atol, err_msg=what)


def test_fixtures_are_of_these_calls():
    facts, _ = recorded("trajectories")
    given = json.loads(json.dumps([[name, params, dtype] for name, params, dtype in TRAJECTORIES]))
    assert [[fact["name"], fact["params"], fact["dtype"]] for fact in facts] == given
    facts, _ = recorded("operators")
    assert [fact["params"] for fact in facts] == json.loads(json.dumps([params for *_, params in OPERATORS]))
    assert len(json.loads((FIXTURES / "schedules.json").read_text())) == len(SCHEDULES)


def test_every_optimizer_is_recorded():
    # SGLD is random: test_sgd.py.
    assert {name for name, *_ in TRAJECTORIES} >= {*REGISTERED} - {"sgld"}


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("number", range(len(TRAJECTORIES)), ids=lambda i: f"{i}-{TRAJECTORIES[i][0]}")
def test_like_mxnet(number: int, together: bool):
    facts, expected = recorded("trajectories")
    name, params, dtype = TRAJECTORIES[number]
    updater = mx.optimizer.get_updater(make_optimizer(mx, name, params))
    if not together:  # a method that a program puts there has weights moved by the calls that MXNet makes
        updater.optimizer._update_count = updater.optimizer._update_count
    values, grads = arrays_for(name, dtype)
    weights = [mx.nd.array(value, dtype=dtype) for value in values]
    for step in range(STEPS):
        slopes = [mx.nd.array(grad, dtype=dtype) for grad in grads[step]]
        updater(list(range(len(weights))), slopes, weights)
        for i, weight in enumerate(weights):
            what = f"weight {i} ({NAMES[i]}) after step {step + 1} of {facts[number]['call']}"
            compare(weight, expected[f"{number}_{step}_weight{i}"], dtype, what)
        for slope, grad in zip(slopes, grads[step]):
            np.testing.assert_array_equal(slope.asnumpy(), grad)
    for i in range(len(weights)):
        for place, state in enumerate(flat(updater.states[i])):
            compare(state, expected[f"{number}_state{i}_{place}"], dtype, f"state {place} of weight {i}: {params}")
    assert updater.optimizer.learning_rate == pytest.approx(facts[number]["learning_rate"])


@pytest.mark.parametrize("number", range(len(OPERATORS)), ids=lambda i: f"{i}-{OPERATORS[i][0]}")
def test_operators_like_mxnet(number: int):
    """Update operators whose calls record_ops cannot make."""
    name, each, after, params = OPERATORS[number]
    facts, expected = recorded("operators")
    values = operator_inputs(number, each, after)
    inputs = [mx.nd.array(value, dtype=value.dtype) for value in values]
    count = (len(inputs) - len(after)) // len(each)
    out = [inputs[i * len(each)] for i in range(count)]
    function = getattr(mx.nd._internal if name.startswith("_") else mx.nd, name)
    function(*inputs, out=out if count > 1 else out[0], **params)
    for i, array in enumerate(inputs):
        if f"{number}_{i}" in expected:
            dtype = "float16" if "c" in each else "float32"
            compare(array, expected[f"{number}_{i}"], dtype, f"input {i} of {facts[number]['call']}")
        else:
            np.testing.assert_array_equal(array.asnumpy(), values[i])


@pytest.mark.parametrize("number", range(len(OPERATORS)), ids=lambda i: f"{i}-{OPERATORS[i][0]}")
def test_operators_infer_shapes(number: int):
    name, each, after, params = OPERATORS[number]
    operator = registry.find(name)
    inputs = [mx.nd.array(value, dtype=value.dtype) for value in operator_inputs(number, each, after)]
    parsed = operator.parse(params)
    specs = [(array.shape, array.as_torch().dtype) for array in inputs]
    count = operator.num_outputs(parsed)
    assert infer(operator, specs, parsed) == [specs[i * len(each)] for i in range(count)]
    assert len(operator.auxiliary_positions(len(inputs))) == (len(each) - 2) * count
