"""Recurrent layers by our own kernels: against torch watching each step, and against differences of values."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.compiler.fused.table import OPERATORS
from mxnet.gluon import rnn
from mxnet.kernels import recurrent as kernels
from mxnet.kernels.recurrent_layout import parameter_layout
from mxnet.kernels.recurrent_steps import unroll
from mxnet.ndarray.invoke import invoke
from mxnet.ops.registry import find

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
TIME, BATCH, INPUT, STATE = 5, 3, 4, 2
LAYERS = {
    "plain": {},
    "both ways": {"bidirectional": True},
    "two layers": {"num_layers": 2},
    "dropout": {"num_layers": 3, "bidirectional": True, "dropout": 0.4},
    "batch first": {"layout": "NTC"},
}


def _direction(mode: str, dtype: torch.dtype = torch.float64) -> tuple[list[Any], list[torch.Tensor]]:
    """Data, hidden and cell state and weights of one direction, and gradients of what it returns."""
    torch.manual_seed(0)
    rows = GATES[mode] * STATE
    shapes = [(TIME, BATCH, INPUT), (BATCH, STATE), (BATCH, STATE), (rows, INPUT), (rows, STATE), (rows,), (rows,)]
    inputs: list[Any] = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]
    heads = [torch.randn(shape, dtype=dtype) for shape in [(TIME, BATCH, STATE), (BATCH, STATE), (BATCH, STATE)]]
    if mode != "lstm":
        inputs[2], heads = None, heads[:2]
    return inputs, heads


def _watched(mode: str, reverse: bool, inputs: list[Any]) -> list[torch.Tensor]:
    data, hidden, cell, of_input, recurrent, of_input_bias, recurrent_bias = inputs
    gates = functional.linear(data, of_input, of_input_bias)
    found = unroll(mode, gates, hidden, cell, [recurrent, recurrent_bias], None, None, reverse)
    return [each for each in found if each is not None]


def _swept(mode: str, reverse: bool, inputs: list[Any]) -> list[torch.Tensor]:
    return [each for each in kernels.Sweep.apply(mode, reverse, *inputs) if each is not None]


def _gradients(results: list[torch.Tensor], inputs: list[Any], heads: list[torch.Tensor], **options: Any) -> Any:
    return torch.autograd.grad(results, [each for each in inputs if each is not None], heads, **options)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_a_sweep_is_what_torch_finds_step_by_step(mode: str, reverse: bool) -> None:
    inputs, heads = _direction(mode)
    ours, expected = _swept(mode, reverse, inputs), _watched(mode, reverse, inputs)
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(_gradients(ours, inputs, heads), _gradients(expected, inputs, heads))


@pytest.mark.parametrize(("mode", "head"), [*((mode, head) for mode in MODES for head in (0, 1)), ("lstm", 2)])
def test_gradients_of_single_results(mode: str, head: int) -> None:
    inputs, heads = _direction(mode)
    ours, expected = _swept(mode, True, inputs), _watched(mode, True, inputs)
    found = _gradients([ours[head]], inputs, [heads[head]])
    torch.testing.assert_close(
        found, _gradients([expected[head]], inputs, [heads[head]], allow_unused=True, materialize_grads=True)
    )


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_against_differences_once_and_twice(mode: str, reverse: bool) -> None:
    inputs, _ = _direction(mode)
    present = [each for each in inputs if each is not None]

    def function(*tensors: torch.Tensor) -> Any:
        given = list(tensors) if mode == "lstm" else [*tensors[:2], None, *tensors[2:]]
        return tuple(_swept(mode, reverse, given))

    assert torch.autograd.gradcheck(function, present)
    assert torch.autograd.gradgradcheck(function, present)


def test_backward_twice_and_memory_given_back() -> None:
    inputs, heads = _direction("lstm")
    results = _swept("lstm", False, inputs)
    kept = weakref.ref(results[0].grad_fn.swept.gates)
    first = _gradients(results, inputs, heads, retain_graph=True)
    torch.testing.assert_close(_gradients(results, inputs, heads), first, rtol=0, atol=0)
    gc.collect()
    assert kept() is None
    with pytest.raises(RuntimeError, match="second time"):
        _gradients(results, inputs, heads)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_nobody_wants_are_not_computed(mode: str) -> None:
    inputs, heads = _direction(mode)
    detached = [None if each is None else each.detach() for each in inputs]
    detached[1].requires_grad_()
    ours = _swept(mode, False, detached)
    (found,) = torch.autograd.grad(ours, [detached[1]], heads)
    torch.testing.assert_close(found, _gradients(_watched(mode, False, inputs), inputs, heads)[1])


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch was built without oneDNN")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("heads_given", [(0, 1, 2), (0,), (1,), (2,)])
def test_the_fused_kernel_is_called_as_torch_does(reverse: bool, heads_given: tuple[int, ...]) -> None:
    inputs, heads = _direction("lstm", torch.float32)
    expected = _watched("lstm", reverse, inputs)
    data, hidden, cell, *weights = (each.detach() for each in inputs)
    kept = kernels.fused(data, hidden, cell, kernels.Weights(*weights), reverse)
    torch.testing.assert_close([kept.outputs, kept.last, kept.last_cell], [each.detach() for each in expected])
    given = kernels.Heads(*(heads[place] if place in heads_given else None for place in range(3)))
    found = kernels.fused_back(kept, data, kernels.Weights(*weights), given)
    wanted = _gradients(
        [expected[place] for place in heads_given],
        inputs,
        [heads[place] for place in heads_given],
        allow_unused=True,
        materialize_grads=True,
    )
    torch.testing.assert_close((found.data, found.hidden, found.cell, *found.weights), wanted, rtol=1e-4, atol=1e-5)


def _layer(mode: str, dtype: str, **options: Any) -> Any:
    options["input_size"] = INPUT
    if mode.startswith("rnn"):
        layer = rnn.RNN(STATE, activation=mode[4:], **options)
    else:
        layer = {"lstm": rnn.LSTM, "gru": rnn.GRU}[mode](STATE, **options)
    mx.random.seed(1)
    layer.initialize(mx.init.Uniform(0.7))
    layer.cast(dtype)
    return layer


def _trained(layer: Any, dtype: str, with_states: bool) -> list[np.ndarray]:
    """Results and all gradients of one step."""
    draw = np.random.RandomState(2)
    shape = (BATCH, TIME, INPUT) if layer._layout == "NTC" else (TIME, BATCH, INPUT)
    inputs = [nd.array(draw.randn(*shape), dtype=dtype)]
    inputs += [nd.array(draw.randn(*state.shape), dtype=dtype) for state in layer.begin_state(BATCH) if with_states]
    for each in inputs:
        each.attach_grad()
    mx.random.seed(3)
    with autograd.record():
        found = layer(inputs[0], inputs[1:]) if with_states else layer(inputs[0])
        results = [found[0], *found[1]] if with_states else [found]
        loss = nd.add_n(*[(each * nd.array(draw.randn(*each.shape), dtype=dtype)).sum() for each in results])
    loss.backward()
    parameters = [parameter.grad() for parameter in layer.collect_params().values()]
    return [each.asnumpy() for each in (*results, *(each.grad for each in inputs), *parameters)]


@pytest.mark.parametrize("with_states", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("options", LAYERS.values(), ids=list(LAYERS))
@pytest.mark.parametrize("mode", MODES)
def test_compiled_layers_train_as_eager_ones(
    monkeypatch: pytest.MonkeyPatch, mode: str, options: dict[str, Any], dtype: str, with_states: bool
) -> None:
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-12}
    eager = _trained(_layer(mode, dtype, **options), dtype, with_states)
    layer = _layer(mode, dtype, **options)
    layer.hybridize()
    for found, expected in zip(_trained(layer, dtype, with_states), eager, strict=True):
        np.testing.assert_allclose(found, expected, **tolerance)
    joined = _layer(mode, dtype, **options)
    monkeypatch.setattr(gluon.rnn.rnn_layer, "arrays", None)  # so that it joins its parameters
    for found, expected in zip(_trained(joined, dtype, with_states), eager, strict=True):
        np.testing.assert_allclose(found, expected, **tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", MODES)
def test_a_compiled_layer_differentiated_again(mode: str, dtype: str) -> None:
    """The graph is kept for a second pass, and gradients have gradients."""
    found = []
    for compiled in (False, True):
        layer = _layer(mode, dtype, num_layers=2)
        if compiled:
            layer.hybridize()
        data = nd.array(np.random.RandomState(0).randn(TIME, BATCH, INPUT), dtype=dtype)
        data.attach_grad()
        with autograd.record():
            loss = (layer(data) ** 2).sum()
            (gradient,) = autograd.grad(loss, [data], create_graph=True)
            penalty = (gradient**2).sum()
        penalty.backward(retain_graph=True)
        second = data.grad.asnumpy()
        loss.backward(retain_graph=True)
        first = data.grad.asnumpy()
        loss.backward()
        np.testing.assert_array_equal(data.grad.asnumpy(), first)
        np.testing.assert_allclose(first, gradient.asnumpy(), rtol=1e-4, atol=1e-5)
        found.append((first, second))
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_the_operator_in_a_compiled_graph(mode: str) -> None:
    """With its vector of parameters as a variable."""
    last = parameter_layout(mode, INPUT, STATE, 2, True)[-1]
    draw = np.random.RandomState(0)
    shapes = {"data": (TIME, BATCH, INPUT), "parameters": (last.offset + last.shape[0],), "state": (4, BATCH, STATE)}
    if mode == "lstm":
        shapes["state_cell"] = (4, BATCH, STATE)
    values = {name: nd.array(draw.randn(*shape), dtype="float64") for name, shape in shapes.items()}
    how = {"state_size": STATE, "num_layers": 2, "bidirectional": True, "mode": mode, "state_outputs": True}
    block = gluon.SymbolBlock(
        mx.sym.RNN(**{name: mx.sym.var(name) for name in shapes}, **how), list(map(mx.sym.var, shapes))
    )
    gradients = []
    for function in (lambda *inputs: nd.RNN(*inputs, **how), block):
        inputs = [value.copy() for value in values.values()]
        for each in inputs:
            each.attach_grad()
        with autograd.record():
            results = function(*inputs)
            loss = nd.add_n(*[(each * each).sum() for each in results])
        loss.backward()
        gradients.append([each.grad.asnumpy() for each in inputs])
    for eager, compiled in zip(*gradients, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["RNN", "_rnn_by_parts"])
def test_other_devices_are_left_to_torch(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    last = parameter_layout("gru", INPUT, STATE, 1)[-1]
    vector = torch.randn(last.offset + last.shape[0], dtype=torch.float64)
    data, state = (
        torch.randn(TIME, BATCH, INPUT, dtype=torch.float64),
        torch.randn(1, BATCH, STATE, dtype=torch.float64),
    )
    params = {"state_size": STATE, "num_layers": 1, "mode": "gru", "state_outputs": True, "training": True, "rng": None}
    arguments = [data, vector, state] if name == "RNN" else [data, state, vector]
    needs = (True, name == "RNN", name != "RNN")
    # A vector in one piece is cut differently than the weights are: also a way to torch.
    operator = find(name) if name == "RNN" else OPERATORS[name]
    rule = operator.gradient
    if name == "RNN":
        monkeypatch.setattr("mxnet.ops.nn.rnn.CPU", "nowhere")
    (output, last_state), saved = rule.forward(arguments, params, needs)
    assert not output.requires_grad
    given = [each.clone().requires_grad_(need) for each, need in zip(arguments, needs, strict=True)]
    expected = operator.function(*given, **params)
    torch.testing.assert_close([output, last_state], [each.detach() for each in expected])
    expected[0].backward(torch.ones_like(output))
    found = rule.backward(saved, [torch.ones_like(output), None], needs)
    for ours, want, need in zip(found, given, needs, strict=True):
        torch.testing.assert_close(ours, want.grad) if need else None


def _by_parts(*arrays):
    return invoke(OPERATORS["_rnn_by_parts"], arrays, {"state_size": STATE, "num_layers": 1, "mode": "gru"})


@pytest.mark.parametrize("wrong", ["state", "dtype", "pieces", "axes"])
def test_parts_that_do_not_fit_are_refused_as_the_vector_is(wrong: str) -> None:
    pieces = [nd.zeros(piece.shape) for piece in parameter_layout("gru", INPUT, STATE, 1)]
    data, state = nd.zeros((TIME, BATCH, INPUT)), nd.zeros((1, BATCH, STATE))
    if wrong == "state":
        state = nd.zeros((1, BATCH, STATE + 1))
    elif wrong == "dtype":
        state = state.astype("float64")
    elif wrong == "pieces":
        pieces.pop()
    else:
        data = nd.zeros((TIME, INPUT))
    with pytest.raises(mx.MXNetError, match="expected") as by_parts:
        _by_parts(data, state, *pieces)
    vector = nd.concat(*[piece.reshape(-1) for piece in pieces], dim=0)
    with pytest.raises(mx.MXNetError, match="expected") as joined:
        nd.RNN(data, vector, state, state_size=STATE, num_layers=1, mode="gru")
    reasons = [str(error.value).splitlines()[0].partition(": expected")[2] for error in (by_parts, joined)]
    assert reasons[0] == reasons[1] != ""


@pytest.mark.parametrize("compiled", [False, True])
def test_many_sequences_train_as_by_the_fused_kernel(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    """In single precision, where the size decides which kernel is taken."""
    data = nd.array(np.random.RandomState(0).randn(3, 64, INPUT))
    found = []
    for fused in (False, True):
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda fused=fused: fused)
        assert not kernels.is_fused("lstm", data._t, 128)
        assert kernels.is_fused("lstm", data._t, 127) == kernels.is_fused("lstm", data._t[:, 1:], 128) == fused
        if fused:
            monkeypatch.setattr("mxnet.ops.nn.rnn.is_fused", lambda *_: True)
            monkeypatch.setattr("mxnet.ops.nn.rnn.is_fused", lambda *_: True)
        mx.random.seed(0)
        layer = rnn.LSTM(128, num_layers=2, input_size=INPUT)
        layer.initialize(mx.init.Uniform(0.2))
        if compiled:
            layer.hybridize()
        with autograd.record():
            output = layer(data)
            loss = (output**2).sum()
        loss.backward()
        found.append([output, *[parameter.grad() for parameter in layer.collect_params().values()]])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-5)
