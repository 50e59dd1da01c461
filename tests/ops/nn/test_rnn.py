"""The recurrent operator against a reference in NumPy: lengths, clipping, projection and dropout, which MXNet has on
GPUs only, and what else fixtures cannot show."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.kernels.recurrent_layout import parameter_layout
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input

nd = mx.nd
TIME, BATCH, INPUT, STATE = 4, 3, 3, 2
MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")


def _sigmoid(value: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-value))


def _cell(mode: str, x: np.ndarray, h: np.ndarray, c: np.ndarray, w: dict[str, np.ndarray], clip: Any) -> Any:
    """One step of one sequence."""
    from_x, from_h = w["i2h_weight"] @ x + w["i2h_bias"], w["h2h_weight"] @ h + w["h2h_bias"]
    if mode == "lstm":
        i, f, g, o = (from_x + from_h).reshape(4, -1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        if clip:
            c = np.clip(c, *clip)
        h = _sigmoid(o) * np.tanh(c)
        return (w["h2r_weight"] @ h if "h2r_weight" in w else h), c
    if mode == "gru":
        (xr, xz, xn), (hr, hz, hn) = from_x.reshape(3, -1), from_h.reshape(3, -1)
        update, new = _sigmoid(xz + hz), np.tanh(xn + _sigmoid(xr + hr) * hn)
        return (1 - update) * new + update * h, c
    return (np.maximum(from_x + from_h, 0) if mode == "rnn_relu" else np.tanh(from_x + from_h)), c


def reference(config: tuple, inputs: list[np.ndarray], lengths: Any = None, clip: Any = None) -> list[np.ndarray]:
    """Outputs and last states, sequence by sequence."""
    mode, _, _, layers, both, _ = config
    data, vector, state, cell = inputs
    weights = {
        p.name: vector[p.offset : p.offset + int(np.prod(p.shape))].reshape(p.shape) for p in parameter_layout(*config)
    }
    sides = "lr" if both else "l"
    last, last_cell = state.copy(), cell.copy()
    for layer in range(layers):
        output = np.zeros((*data.shape[:2], len(sides) * state.shape[2]))
        for n in range(data.shape[1]):
            for k, side in enumerate(sides):
                own = {key[3:]: value for key, value in weights.items() if key.startswith(f"{side}{layer}_")}
                h, c = state[layer * len(sides) + k, n], cell[layer * len(sides) + k, n]
                steps = range(data.shape[0] if lengths is None else lengths[n])
                for t in steps[::-1] if side == "r" else steps:
                    h, c = _cell(mode, data[t, n], h, c, own, clip)
                    output[t, n, k * len(h) : (k + 1) * len(h)] = h
                last[layer * len(sides) + k, n], last_cell[layer * len(sides) + k, n] = h, c
        data = output
    return [data, last, last_cell] if mode == "lstm" else [data, last]


def _inputs(config: tuple, dtype: str = "float64") -> list[np.ndarray]:
    _, _, size, layers, both, projection = config
    draw = np.random.RandomState(0)
    last = parameter_layout(*config)[-1]
    count = layers * (2 if both else 1)
    shapes = [(TIME, BATCH, INPUT), (last.offset + int(np.prod(last.shape)),), (count, BATCH, projection or size)]
    return [draw.uniform(-1, 1, shape).astype(dtype) for shape in [*shapes, (count, BATCH, size)]]


def _run(config: tuple, inputs: list[Any], lengths: Any = None, clip: Any = None, **more: Any) -> list[Any]:
    mode, _, size, layers, both, projection = config
    arrays = inputs if mode == "lstm" else inputs[:3]
    if lengths is not None:
        more.update(sequence_length=nd.array(lengths, dtype="int32"), use_sequence_length=True)
    if clip is not None:
        more.update(lstm_state_clip_min=clip[0], lstm_state_clip_max=clip[1])
    sizes = {"state_size": size, "num_layers": layers, "projection_size": projection}
    return nd.RNN(*arrays, mode=mode, bidirectional=both, state_outputs=True, **sizes, **more)


def _arrays(values: list[np.ndarray]) -> list[Any]:
    return [nd.array(value, dtype=value.dtype) for value in values]


CONFIGS = [
    *(((mode, INPUT, STATE, 2, True, None), None, None) for mode in MODES),
    *(((mode, INPUT, STATE, 2, True, None), (4, 1, 2), None) for mode in MODES),
    *((("lstm", INPUT, STATE, 2, both, 1), None, None) for both in (False, True)),
    (("lstm", INPUT, STATE, 2, True, STATE), None, None),
    (("lstm", INPUT, STATE, 1, True, STATE + 1), None, None),
    (("lstm", INPUT, STATE, 2, True, None), None, (-0.2, 0.3)),
    (("lstm", INPUT, STATE, 1, False, None), None, (-0.2, 0.3)),
    (("lstm", INPUT, STATE, 3, True, 1), (2, 4, 3), (-0.2, 0.3)),
    (("gru", INPUT, STATE, 1, False, None), (0, 4, 3), None),
]


@pytest.mark.parametrize(("config", "lengths", "clip"), CONFIGS)
def test_like_numpy(config: tuple, lengths: Any, clip: Any) -> None:
    inputs = _inputs(config)
    expected = reference(config, inputs, lengths, clip)
    for actual, wanted in zip(_run(config, _arrays(inputs), lengths, clip), expected, strict=True):
        np.testing.assert_allclose(actual.asnumpy(), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("config", "lengths", "clip"), CONFIGS)
def test_gradient_like_differences(config: tuple, lengths: Any, clip: Any) -> None:
    """Along one random direction in the space of all inputs, in predict mode: recording does not need training."""
    inputs, draw = _inputs(config), np.random.RandomState(1)
    if config[0] != "lstm":
        inputs = inputs[:3]
    arrays, rest = _arrays(inputs), _inputs(config)[len(inputs) :]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record(train_mode=False):
        outputs = _run(config, arrays, lengths, clip)
    heads = [draw.standard_normal(output.shape) for output in outputs]
    mx.autograd.backward(outputs, _arrays(heads), train_mode=False)
    ways = [draw.standard_normal(value.shape) for value in inputs]
    step, values = 1e-6, []
    for sign in (1, -1):
        moved = [value + sign * step * way for value, way in zip(inputs, ways, strict=True)]
        results = reference(config, moved + rest, lengths, clip)
        values.append(sum((head * result).sum() for head, result in zip(heads, results, strict=True)))
    slope = sum((array.grad.asnumpy() * way).sum() for array, way in zip(arrays, ways, strict=True))
    np.testing.assert_allclose(slope, (values[0] - values[1]) / (2 * step), rtol=1e-5)


@pytest.mark.parametrize("mode", ["rnn_tanh", "gru"])
def test_gradient_of_the_gradient(mode: str) -> None:
    """Torch has kernels for it; our own backward must not lose it."""
    inputs = [
        torch.tensor(value[:2] if i == 0 else value) for i, value in enumerate(_inputs((mode, 3, 2, 1, True, None)))
    ]
    sizes = {"state_size": STATE, "num_layers": 1, "bidirectional": True}

    def network(*tensors: torch.Tensor) -> torch.Tensor:
        return registry.find("RNN").function(*tensors, mode=mode, **sizes, training=True, rng=None)

    assert torch.autograd.gradgradcheck(network, [value.requires_grad_() for value in inputs[:3]])


@pytest.mark.parametrize("mode", MODES)
def test_what_lies_behind_a_sequence_is_never_read(mode: str) -> None:
    config = (mode, INPUT, STATE, 1, True, None)
    inputs = _inputs(config, "float32")
    inputs[0][2:, 0] = np.nan
    arrays = _arrays(inputs)
    arrays[0].attach_grad()
    arrays[1].attach_grad()
    with mx.autograd.record():
        output = _run(config, arrays, (2, 4, 4))[0]
    output.backward()
    assert not output.asnumpy()[2:, 0].any()
    assert not arrays[0].grad.asnumpy()[2:, 0].any()
    assert np.isfinite(arrays[1].grad.asnumpy()).all()


def test_lengths_follow_the_state_without_cell() -> None:
    """By position, as Gluon's layers pass them."""
    config = ("gru", INPUT, STATE, 1, False, None)
    inputs = _arrays(_inputs(config))[:3]
    lengths = nd.array([1.9, 4, 9])
    by_position = nd.RNN(*inputs, lengths, mode="gru", state_size=STATE, num_layers=1, use_sequence_length=True)
    np.testing.assert_array_equal(by_position.asnumpy(), _run(config, inputs, (1, 4, 4))[0].asnumpy())


def test_clip_nan() -> None:
    config = ("lstm", INPUT, STATE, 1, False, None)
    inputs = _inputs(config, "float32")
    inputs[3][0, 0, 0] = np.nan
    kept = _run(config, _arrays(inputs), clip=(-0.5, 0.5))[2].asnumpy()
    assert np.isnan(kept).any()
    stopped = _run(config, _arrays(inputs), clip=(-0.5, 0.5), lstm_state_clip_nan=True)[2].asnumpy()
    assert np.abs(stopped).max() <= 0.5


@pytest.mark.parametrize("mode", MODES)
def test_half_precision(mode: str) -> None:
    config = (mode, INPUT, STATE, 2, True, None)
    inputs = _inputs(config, "float16")
    arrays = _arrays(inputs)
    arrays[1].attach_grad()
    with mx.autograd.record():
        output = _run(config, arrays)[0]
    output.backward()
    expected = reference(config, [value.astype("float64") for value in inputs])[0]
    assert output.dtype == np.float16
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=2e-2, atol=2e-3)
    assert arrays[1].grad.asnumpy().any()


def _copying_network(size: int) -> Any:
    """Two layers: the first gives ones, the second copies its input."""
    values = np.zeros(parameter_layout("rnn_relu", 1, size, 2)[-1].offset + size, "float32")
    for name, _, offset in parameter_layout("rnn_relu", 1, size, 2):
        if name == "l0_i2h_bias":
            values[offset : offset + size] = 1
        elif name == "l1_i2h_weight":
            values[offset : offset + size * size] = np.eye(size).reshape(-1)
    return nd.array(values)


def _dropped(p: float, lengths: Any = None, seed: int = 0) -> Any:
    mx.random.seed(seed)
    more = {} if lengths is None else {"sequence_length": nd.array(lengths), "use_sequence_length": True}
    data, state = nd.zeros((10, 20, 1)), nd.zeros((2, 20, 50))
    return nd.RNN(
        data, _copying_network(50), state, mode="rnn_relu", state_size=50, num_layers=2, p=p, **more
    ).asnumpy()


def test_dropout_between_layers() -> None:
    before = torch.get_rng_state()
    with mx.autograd.train_mode():
        first, again, other = _dropped(0.25), _dropped(0.25), _dropped(0.25, seed=1)
        stepwise, none = _dropped(0.25, [10] * 20), _dropped(1)
    np.testing.assert_allclose(np.unique(first), [0, 1 / 0.75], rtol=1e-6)
    assert 0.23 < (first == 0).mean() < 0.27
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, stepwise)
    assert (first != other).any()
    assert not none.any()
    np.testing.assert_array_equal(_dropped(0.25), np.ones((10, 20, 50)))
    assert torch.equal(before, torch.get_rng_state()), "torch's global generator is not ours to draw from"


def test_layout() -> None:
    layout = parameter_layout("lstm", 5, 3, 2, True, 2)
    assert [piece.name for piece in layout[:6]] == [
        f"{side}0_{kind}_weight" for side in "lr" for kind in ("i2h", "h2h", "h2r")
    ]
    assert [piece.name for piece in layout[-4:]] == [f"{side}1_{kind}_bias" for side in "lr" for kind in ("i2h", "h2h")]
    assert [piece.shape for piece in layout[:3]] == [(12, 5), (12, 2), (2, 3)]
    assert layout[6] == ("l1_i2h_weight", (12, 4), 2 * (60 + 24 + 6))
    assert [piece.name for piece in parameter_layout("gru", 5, 3, 1)] == [
        "l0_i2h_weight",
        "l0_h2h_weight",
        "l0_i2h_bias",
        "l0_h2h_bias",
    ]


def test_completes_parameters_and_states() -> None:
    operator = registry.find("RNN")

    def complete(**params: Any) -> dict[str, tuple[int, ...]]:
        assert operator.completes is not None
        return operator.completes((7, 4, 5), **operator.full_params(operator.parse(params)))

    assert complete(mode="gru", state_size=3, num_layers=1) == {"parameters": (90,), "state": (1, 4, 3)}
    assert complete(
        mode="lstm", state_size=3, num_layers=2, bidirectional=True, projection_size=2, use_sequence_length=True
    ) == {
        "parameters": (2 * (12 * (5 + 2 + 2) + 6) + 2 * (12 * (4 + 2 + 2) + 6),),
        "state": (4, 4, 2),
        "state_cell": (4, 4, 3),
        "sequence_length": (4,),
    }


def test_inference_with_projection_and_dropout() -> None:
    operator = registry.find("RNN")
    params = operator.parse(
        {"mode": "lstm", "state_size": 3, "num_layers": 2, "projection_size": 2, "state_outputs": True, "p": 0.5}
    )
    shapes = [(7, 4, 5), (12 * 9 + 6 + 12 * 6 + 6,), (2, 4, 2), (2, 4, 3)]
    specs = infer(operator, [(shape, torch.float32) for shape in shapes], params, training=True)
    assert [shape for shape, _ in specs] == [(7, 4, 2), (2, 4, 2), (2, 4, 3)]


def test_bad_input() -> None:
    data, vector, state = nd.ones((3, 2, 3)), nd.ones((42,)), nd.ones((1, 2, 2))

    def call(*inputs: Any, **more: Any) -> Any:
        chosen = (*inputs, *(data, vector, state)[len(inputs) :])
        return lambda: nd.RNN(*chosen, **{"mode": "gru", "state_size": 2, "num_layers": 1, **more})

    lstm = {"mode": "lstm"}
    check_bad_input(call(nd.ones((3, 2))), r"\[RNN\].*expected data of shape \(time, batch", OpShapeError)
    check_bad_input(call(data, nd.ones((41,))), r"length 42 for data of input size 3, got shape \(41,\)", OpShapeError)
    check_bad_input(call(data, vector, nd.ones((1, 2))), r"state of shape \(1, 2, 2\), got \(1, 2\)", OpShapeError)
    check_bad_input(call(data, vector, state, state), "state_cell, which only mode 'lstm' reads", OpParamError)
    check_bad_input(call(data, nd.ones((56,)), **lstm), r"state_cell of shape \(1, 2, 2\) in mode 'lstm'", OpParamError)
    check_bad_input(
        call(data, nd.ones((56,)), state, nd.ones((1, 1, 2)), **lstm), r"expected state_cell of shape", OpShapeError
    )
    check_bad_input(
        call(use_sequence_length=True), "sequence_length of shape .* use_sequence_length=True", OpParamError
    )
    check_bad_input(call(sequence_length=nd.ones((2,))), "only use_sequence_length=True reads", OpParamError)
    check_bad_input(
        call(sequence_length=nd.ones((3,)), use_sequence_length=True), r"sequence_length of shape \(2,\)", OpShapeError
    )
    check_bad_input(call(data, vector.astype("float64")), "one dtype", OpTypeError)
    check_bad_input(call(data.astype("int32")), "floating-point", OpTypeError)
    check_bad_input(call(p=2), "probability", OpParamError)
    check_bad_input(call(state_size=0), "state_size=0; expected a number not below 1", OpParamError)
    check_bad_input(call(num_layers=0), "num_layers=0", OpParamError)
    check_bad_input(call(projection_size=1), "only 'lstm' has a projection", OpParamError)
    check_bad_input(call(projection_size=0, **lstm), "projection_size=0", OpParamError)
    check_bad_input(call(lstm_state_clip_min=-1, lstm_state_clip_max=1), "only 'lstm' has a cell state", OpParamError)
    check_bad_input(call(lstm_state_clip_min=-1, **lstm), "expected both, or none", OpParamError)
    check_bad_input(call(lstm_state_clip_min=1, lstm_state_clip_max=-1, **lstm), "not above the maximum", OpParamError)
