"""Recurrent layers in C++ against torch watching each step in double precision."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import rnn
from regluon.kernels import recurrent as recurrent_kernels
from regluon.kernels.recurrent_steps import unroll
from regluon.native import loading

pytestmark = pytest.mark.usefixtures("native")

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
# Time, batch, input size, units: less than a vector, whole vectors and rests, several tiles and depths of weights.
SIZES = [(1, 1, 3, 1), (3, 2, 5, 7), (4, 13, 9, 33), (2, 50, 4, 40), (3, 20, 8, 200), (2, 9, 3, 260), (2, 0, 3, 8)]


def _direction(mode: str, sizes: tuple[int, ...]) -> tuple[list[Any], list[torch.Tensor]]:
    """Data, hidden and cell state and weights of one direction, and gradients of what it returns."""
    generator = torch.Generator().manual_seed(0)
    time, batch, width, units = sizes
    rows = GATES[mode] * units
    shapes = [(time, batch, width), (batch, units), (batch, units), (rows, width), (rows, units), (rows,), (rows,)]
    inputs: list[Any] = [torch.randn(shape, generator=generator) for shape in shapes]
    inputs[3:] = [each / (units + width) ** 0.5 for each in inputs[3:]]
    heads = [torch.randn(shape, generator=generator) for shape in [(time, batch, units), *shapes[1:3]]]
    if mode != "lstm":
        inputs[2], heads = None, heads[:2]
    return inputs, heads


def _in_double(tensors: list[Any]) -> list[Any]:
    return [None if each is None else each.double().requires_grad_() for each in tensors]


def _watched(mode: str, reverse: bool, inputs: Any) -> Any:
    """One direction, of which torch differentiates each step."""
    data, hidden, cell, of_input, recurrent, of_input_bias, recurrent_bias = inputs
    gates = functional.linear(data, of_input, of_input_bias)
    return unroll(mode, gates, hidden, cell, [recurrent, recurrent_bias], None, None, reverse)


def _expected(mode: str, reverse: bool, inputs: list[Any], heads: dict[int, torch.Tensor]) -> tuple[Any, Any]:
    """Results and gradients."""
    given = _in_double(inputs)
    results = [each for each in _watched(mode, reverse, given) if each is not None]
    gradients = torch.autograd.grad(
        [results[place] for place in heads],
        [each for each in given if each is not None],
        [head.double() for head in heads.values()],
        allow_unused=True,
        materialize_grads=True,
    )
    return results, gradients


def _found(mode: str, reverse: bool, inputs: list[Any], heads: dict[int, torch.Tensor]) -> tuple[Any, Any]:
    given = [None if each is None else each.clone().requires_grad_() for each in inputs]
    results = [each for each in recurrent_kernels.Sweep.apply(mode, reverse, *given) if each is not None]
    gradients = torch.autograd.grad(
        [results[place] for place in heads], [each for each in given if each is not None], list(heads.values())
    )
    return results, gradients


def _close(found: Any, expected: Any) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        scale = float(theirs.detach().abs().max()) if theirs.numel() else 1.0
        torch.testing.assert_close(ours.double(), theirs, rtol=1e-5, atol=1e-5 * max(scale, 1e-3))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("mode", GATES)
def test_gives_what_torch_finds_step_by_step(mode: str, sizes: tuple[int, ...], reverse: bool) -> None:
    inputs, heads = _direction(mode, sizes)
    given = dict(enumerate(heads))
    found, expected = _found(mode, reverse, inputs, given), _expected(mode, reverse, inputs, given)
    _close(found[0], expected[0])
    _close(found[1], expected[1])


@pytest.mark.parametrize(("mode", "head"), [*((mode, head) for mode in GATES for head in (0, 1)), ("lstm", 2)])
def test_gradients_of_single_results(mode: str, head: int) -> None:
    inputs, heads = _direction(mode, (4, 3, 5, 12))
    given = {head: heads[head]}
    _close(_found(mode, True, inputs, given)[1], _expected(mode, True, inputs, given)[1])


def test_gradients_and_states_that_are_views() -> None:
    inputs, heads = _direction("lstm", (4, 3, 5, 12))
    plain = _found("lstm", False, inputs, dict(enumerate(heads)))
    strided = [each if each is None else torch.stack([each, each], -1)[..., 0] for each in inputs]
    wide = dict(enumerate(torch.stack([each, each], -1)[..., 0] for each in heads))
    found = _found("lstm", False, strided, wide)
    torch.testing.assert_close(found[0], plain[0])
    torch.testing.assert_close(found[1], plain[1])


@pytest.mark.parametrize("mode", GATES)
def test_activations_hold_everywhere(native: Any, mode: str) -> None:
    """From where they are straight lines to where they are flat, and for what is not a number."""
    edges = torch.tensor([0.0, float("inf"), float("-inf"), float("nan")])
    near = torch.logspace(-30, 1.5, 2000)
    values = torch.cat([edges, near, -near, torch.linspace(-85, 100, 2000)])
    values = values[: len(values) // 8 * 8].view(1, -1, 8)
    state, weight = torch.zeros(values.shape[1:]), torch.zeros(GATES[mode] * 8, 8)
    gates = values.repeat(1, 1, GATES[mode])
    bias = torch.zeros(GATES[mode] * 8)
    states, _ = native.recurrent_steps(mode, gates, state, state, weight, bias, False)
    exact = values.double()
    if mode.startswith("rnn"):
        wanted = exact.relu() if mode == "rnn_relu" else exact.tanh()
        torch.testing.assert_close(states[1:].double(), wanted, rtol=3e-7, atol=0, equal_nan=True)
        return
    place = 2  # of the gate that goes through tanh
    torch.testing.assert_close(gates[..., :8].double(), exact.sigmoid(), rtol=3e-7, atol=2e-38, equal_nan=True)
    torch.testing.assert_close(
        gates[..., place * 8 :][..., :8].double(), exact.tanh(), rtol=3e-7, atol=0, equal_nan=True
    )


def test_backward_twice_and_memory_given_back() -> None:
    inputs, heads = _direction("lstm", (4, 3, 5, 12))
    given = [each.clone().requires_grad_() for each in inputs]
    results = recurrent_kernels.Sweep.apply("lstm", False, *given)
    kept = weakref.ref(results[0].grad_fn.swept.gates)
    first = torch.autograd.grad(results, given, heads, retain_graph=True)
    torch.testing.assert_close(torch.autograd.grad(results, given, heads), first, rtol=0, atol=0)
    gc.collect()
    assert kept() is None
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(results, given, heads)


@pytest.mark.parametrize("mode", GATES)
def test_gradients_nobody_wants_are_not_computed(mode: str) -> None:
    inputs, heads = _direction(mode, (4, 3, 5, 12))
    given = dict(enumerate(heads))
    expected = _expected(mode, False, inputs, given)[1][1]
    inputs[1].requires_grad_()
    results = [each for each in recurrent_kernels.Sweep.apply(mode, False, *inputs) if each is not None]
    _close(torch.autograd.grad(results, [inputs[1]], heads), [expected])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("mode", GATES)
def test_second_derivatives(mode: str, reverse: bool) -> None:
    inputs, _ = _direction(mode, (4, 3, 5, 6))
    found = []
    for sweep, given in (
        (lambda *each: recurrent_kernels.Sweep.apply(mode, reverse, *each), inputs),
        (lambda *each: _watched(mode, reverse, each), _in_double(inputs)),
    ):
        given = [None if each is None else each.clone().detach().requires_grad_() for each in given]
        wanted = [each for each in given if each is not None]
        loss = sum((each**2).sum() for each in sweep(*given) if each is not None)
        penalty = sum((each**2).sum() for each in torch.autograd.grad(loss, wanted, create_graph=True))
        found.append(torch.autograd.grad(penalty, wanted))
    _close(*found)


@pytest.mark.parametrize("wrong", ["mode", "weight", "dtype", "cell"])
def test_what_does_not_fit_is_refused(native: Any, wrong: str) -> None:
    gates, state, weight = torch.zeros(2, 3, 16), torch.zeros(3, 4), torch.zeros(16, 4)
    arguments: dict[str, Any] = {"mode": "lstm", "weight": weight, "cell": state}
    arguments[wrong] = {"mode": "none", "weight": weight[:-1], "dtype": None, "cell": None}[wrong]
    if wrong == "dtype":
        arguments["weight"] = weight.double()
    with pytest.raises(RuntimeError, match=r"expected|needs"):
        native.recurrent_steps(
            arguments["mode"], gates, state, arguments["cell"], arguments["weight"], torch.zeros(16), False
        )


def _trained(layer: Any, compiled: bool) -> list[np.ndarray]:
    """Results and all gradients of one step."""
    mx.random.seed(1)
    layer.initialize(mx.init.Uniform(0.5))
    if compiled:
        layer.hybridize()
    data = nd.array(np.random.RandomState(2).randn(5, 3, 6))
    data.attach_grad()
    with autograd.record():
        output, states = layer(data, layer.begin_state(3))
        loss = (output**2).sum() + nd.add_n(*[(each * 3).sum() for each in states])
    loss.backward()
    return [each.asnumpy() for each in (output, data.grad, *(p.grad() for p in layer.collect_params().values()))]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", [rnn.LSTM, rnn.GRU, rnn.RNN])
def test_layers_train_as_without_the_kernels(monkeypatch: pytest.MonkeyPatch, kind: Any, compiled: bool) -> None:
    def make() -> Any:
        return kind(10, num_layers=2, bidirectional=True, input_size=6)

    found = _trained(make(), compiled)
    monkeypatch.setattr(recurrent_kernels, "kernels", lambda: None)
    for ours, theirs in zip(found, _trained(make(), compiled), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", GATES)
def test_what_is_not_a_number_has_the_gradient_that_torch_gives_it(mode: str) -> None:
    inputs, heads = _direction(mode, (3, 2, 5, 9))
    inputs[0][1, 1, 2] = float("nan")
    given = dict(enumerate(heads))
    for found, expected in zip(_found(mode, False, inputs, given), _expected(mode, False, inputs, given), strict=True):
        for ours, theirs in zip(found, expected, strict=True):
            torch.testing.assert_close(ours.double(), theirs, rtol=1e-4, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh"])
def test_no_steps_leave_the_state_alone(mode: str, library: loading.Library) -> None:
    gates, batch, units = GATES[mode], 8, 5
    state, weight = torch.rand(batch, units), torch.rand(gates * units, units)
    cell = torch.rand(batch, units) if mode == "lstm" else None
    bias = torch.rand(gates * units) if mode == "gru" else None
    shares = torch.empty(0, batch, gates * units)
    states, cells = library.operators.recurrent_steps(mode, shares, state, cell, weight, bias, False)
    torch.testing.assert_close(states[0], state)
    back = library.operators.recurrent_steps_back
    found, grad, _ = back(mode, shares, states, cells, weight, torch.empty(0, batch, units), state, None, False)
    assert found.shape == shares.shape
    torch.testing.assert_close(grad, state)
