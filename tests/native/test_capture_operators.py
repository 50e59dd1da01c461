"""Every operator with a gradient, captured: what the runner gives for other numbers than those it was captured with."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd
from regluon.compiler.capture import replay
from regluon.native import loading
from regluon.ops.registry import find
from tests.differential.modes import FIRST_CAPTURE
from tests.ops.base import Fixture, compiled, load_family, to_array
from tools.oracle import case as cases

_RUNS = FIRST_CAPTURE + 2  # before the runner takes over
_NEVER = 1 << 20
Outcome = Callable[[Fixture, mx.nd.CachedOp, int], list[np.ndarray] | str]
# Their calls depend on what is in the arrays: on indices, on lengths, on which numbers are special.
_BY_VALUES = {
    *("CTCLoss", "SequenceLast", "SequenceReverse", "gamma", "clip", "gather_nd", "take", "batch_take", "scatter_nd"),
    *("ROIPooling", "_contrib_ROIAlign", "_contrib_PSROIPooling", "_contrib_DeformablePSROIPooling", "softmax"),
    *("_contrib_boolean_mask", "_contrib_hawkesll", "_contrib_box_nms", "log_softmax", "softmin"),
    *("_linalg_det", "_linalg_slogdet", "_npi_rpower_scalar"),
}
# They make tensors of Python's numbers in every call, or do more than to call operators.
_IN_PYTHON = {
    *("GridGenerator", "_contrib_SyncBatchNorm", "topk"),  # indices of topk reach the data through a Python function
    *("_image_normalize", "_image_adjust_lighting", "_image_random_lighting"),
}


# Families of which no operator is captured in prediction: what they call depends on values, or they do more than calls.
_NEVER_CAPTURED = {"ctc", "hawkes", "image_codec", "image_random", "proposal", "roi"}


@pytest.fixture(autouse=True)
def module(library: loading.Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "the_library", library)


def _outcome(fixture: Fixture, op: mx.nd.CachedOp, shift: int) -> list[np.ndarray] | str:
    """Results and gradients, with the numbers of all inputs moved along by some places; or the error they meet."""
    arrays = [to_array(np.roll(value, shift)) for value in fixture.inputs]
    for place in fixture.facts["grads"]:
        arrays[place].attach_grad()
    mx.random.seed(1)
    heads = fixture.facts["heads"]
    try:
        with autograd.record(train_mode=fixture.facts["train"]):
            outputs = op.run(arrays)
        autograd.backward([outputs[i] for i in heads], [to_array(fixture.array(f"head{i}")) for i in heads])
    except mx.MXNetError as error:  # numbers in other places may not do
        return str(error).partition(" In the graph")[0]
    return [each.asnumpy() for each in [*outputs, *(arrays[place].grad for place in fixture.facts["grads"])]]


def _compared(fixture: Fixture, outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> mx.nd.CachedOp | None:
    """The operator after runs in which it may be captured, compared with one that never is; None for unused inputs."""
    monkeypatch.setattr(replay, "_FIRST", _NEVER)
    plain = compiled(fixture)
    if len(plain.inputs) != len(fixture.inputs):
        return None  # some are left unused by the parameters
    expected = [outcome(fixture, plain, shift) for shift in (0, 1)]
    monkeypatch.setattr(replay, "_FIRST", FIRST_CAPTURE)
    op = compiled(fixture)
    for _ in range(_RUNS):
        outcome(fixture, op, 0)
    for shift in (0, 1):
        _check(fixture, outcome(fixture, op, shift), expected[shift])
    return op


def _is_captured(op: mx.nd.CachedOp) -> bool:
    programs = [each for program in op._programs.values() for each in program.gradient_programs.values()]
    return any(each.replay.captured is not None for each in programs)


def _has_gradient(fixture: Fixture) -> bool:
    facts: dict[str, Any] = fixture.facts
    return "error" not in facts and bool(facts["grads"]) and not facts["named"] and not find(facts["op"]).zero_gradient


@pytest.mark.parametrize("family", cases.family_names())
@pytest.mark.sample(one_in=4)
def test_every_operator(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left = {}
    for fixture in filter(_has_gradient, load_family(family)):
        op = _compared(fixture, _outcome, monkeypatch)
        if op is not None and not _is_captured(op):
            left[fixture.id] = find(fixture.facts["op"]).name
    assert {name: op for name, op in left.items() if op not in _BY_VALUES | _IN_PYTHON} == {}


def _predicted(fixture: Fixture, op: mx.nd.CachedOp, shift: int) -> list[np.ndarray] | str:
    """Results, with the numbers of all inputs moved along by some places; or the error they meet."""
    arrays = [to_array(np.roll(value, shift)) for value in fixture.inputs]
    try:
        return [each.asnumpy() for each in op.run(arrays)]
    except mx.MXNetError as error:
        return re.sub(r"node '\w+'", "", str(error).partition(" In the graph")[0])  # names are numbered


@pytest.mark.parametrize("family", cases.family_names())
@pytest.mark.sample(one_in=4)
def test_every_operator_predicting(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    num_captured = 0
    fixtures = [each for each in load_family(family) if "error" not in each.facts and not each.facts["named"]]
    for fixture in fixtures:
        operator = find(fixture.facts["op"])
        if operator.needs_rng and not operator.needs_training:
            continue  # numbers that are drawn differ from run to run
        op = _compared(fixture, _predicted, monkeypatch)
        programs = () if op is None else op._programs.values()
        num_captured += any(each._prediction._replay.captured is not None for each in programs)
    assert num_captured or not fixtures or family in _NEVER_CAPTURED, family


def _check(fixture: Fixture, found: list[np.ndarray] | str, expected: list[np.ndarray] | str) -> None:
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected, fixture.id
        return
    for mine, other in zip(found, expected, strict=True):
        rtol, atol = fixture.tolerance(other)
        assert mine.dtype == other.dtype, fixture.id
        np.testing.assert_allclose(mine, other, rtol, atol, err_msg=fixture.id)
