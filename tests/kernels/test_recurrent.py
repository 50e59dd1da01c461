"""Recurrent layers and operators, compiled and not; see tests/native for the kernels themselves."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import rnn
from regluon.compiler.fused.table import OPERATORS
from regluon.kernels.recurrent_layout import parameter_layout
from regluon.ops.registry import find
from regluon.runtime.invoke import invoke

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
TIME, BATCH, INPUT, STATE = 5, 3, 4, 2
LAYERS = {
    "plain": {},
    "both ways": {"bidirectional": True},
    "two layers": {"num_layers": 2},
    "dropout": {"num_layers": 3, "bidirectional": True, "dropout": 0.4},
    "batch first": {"layout": "NTC"},
}


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
@pytest.mark.sample(one_in=4)
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
    monkeypatch.setattr(gluon.rnn._rnn_layer, "arrays", None)  # so that it joins its parameters
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
def test_double_precision_is_left_to_torch(name: str) -> None:
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
