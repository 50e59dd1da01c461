"""Every operator case recorded from the real MXNet, on a GPU."""

from typing import Any

import pytest

import mxnet as mx
from regluon.ops import registry
from tests.gpu.devices import Watch
from tests.ops.base import Fixture, Run, load_fixtures, mode

_FIXTURES = [fixture for fixture in load_fixtures() if "error" not in fixture.facts]
_GPU = mx.gpu(0)


def _expect_here(arrays: list[Any], what: str) -> None:
    for number, array in enumerate(arrays):
        assert array.context == _GPU, f"{what} {number} says that it is on {array.context}"
        assert array._t.device == _GPU.device, f"{what} {number} is on {array._t.device}"


@pytest.mark.parametrize("fixture", [pytest.param(fixture, id=fixture.id) for fixture in _FIXTURES])
@pytest.mark.sample(one_in=10)
def test_on_a_gpu(fixture: Fixture, gpus: Watch) -> None:
    """Results and gradients stay there, no operator reads values that does not declare it, all is as MXNet has it."""
    gradients = fixture.facts["grads"]
    with mx.gpu(0):
        run = Run(fixture)
        run.attach("write", gradients)
        gpus.clear()
        run.forward()
        _expect_here(run.outputs, "output")
        if gradients:
            run.backward()
            _expect_here([run.arrays[i].grad for i in gradients], "gradient")
        if not registry.find(fixture.facts["op"]).reads_values:
            assert not gpus.reads, f"{fixture.facts['call']} waits for the device; declare reads_values"
        run.check_outputs("on a GPU")
        run.check_inputs("on a GPU")
        run.check_gradients("on a GPU", gradients)


@pytest.mark.parametrize("name", sorted({op.name for _, op in registry.names() if op.reads_values}))
@pytest.mark.sample(one_in=4)
def test_declared_reads_happen(name: str, gpus: Watch) -> None:
    """Nothing is declared to read values that does not."""
    cases = [fixture for fixture in _FIXTURES if registry.find(fixture.facts["op"]).name == name]
    if not cases:
        pytest.skip("draws numbers: see test_random.py")
    for fixture in cases:
        with mx.gpu(0), mode(fixture.facts["train"]):
            run = Run(fixture)
            gpus.clear()
            run.call()
        if gpus.reads:
            return
    pytest.fail(f"none of {len(cases)} recorded cases of {name} reads values")
