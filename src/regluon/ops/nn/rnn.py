"""Recurrent networks: several layers, one or both directions, in one operator."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ...kernels.recurrent import Heads, Sweep, Swept, Weights, is_available, sweep, sweep_back
from ...kernels.recurrent_layout import joined_gradients, parameter_layout, weights_in
from ...kernels.recurrent_steps import Clip, unroll
from ...kernels.vjp import differentiable, vjp
from ...torch_private import keeps_graph
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Rng, Shape, Training
from ..registry import find, operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype

_KERNELS: dict[str, Callable[..., Any]] = {
    "rnn_relu": torch.rnn_relu,
    "rnn_tanh": torch.rnn_tanh,
    "lstm": torch.lstm,
    "gru": torch.gru,
}


def _input_shapes(
    data: Shape,
    *,
    state_size: int,
    num_layers: int,
    mode: str,
    bidirectional: bool,
    projection_size: int | None,
    use_sequence_length: bool,
    **_: Any,
) -> dict[str, Shape]:
    if len(data) != 3:
        raise OpShapeError(f"expected data of shape (time, batch, input size), got {data}")
    last = parameter_layout(mode, data[2], state_size, num_layers, bidirectional, projection_size)[-1]
    count = num_layers * (2 if bidirectional else 1)
    shapes: dict[str, Shape] = {
        "parameters": (last.offset + prod(last.shape),),
        "state": (count, data[1], projection_size or state_size),
    }
    if mode == "lstm":
        shapes["state_cell"] = (count, data[1], state_size)
    if use_sequence_length:
        shapes["sequence_length"] = (data[1],)
    return shapes


def num_rnn_outputs(params: Mapping[str, Any]) -> int:
    """How many outputs a recurrent network has."""
    if not params["state_outputs"]:
        return 1
    return 3 if params["mode"] == "lstm" else 2


def _expect_params(
    mode: str,
    state_size: int,
    num_layers: int,
    p: float,
    projection_size: int | None,
    clip_min: float | None,
    clip_max: float | None,
) -> None:
    for name, size in (("state_size", state_size), ("num_layers", num_layers), ("projection_size", projection_size)):
        if size is not None and size < 1:
            raise OpParamError(f"{name}={size}; expected a number not below 1")
    if not 0 <= p <= 1:
        raise OpParamError(f"p={p}; expected a probability between 0 and 1")
    if projection_size is not None and mode != "lstm":
        raise OpParamError(f"projection_size={projection_size} with mode {mode!r}; only 'lstm' has a projection")
    if clip_min is None and clip_max is None:
        return
    received = f"lstm_state_clip_min={clip_min}, lstm_state_clip_max={clip_max}"
    if mode != "lstm":
        raise OpParamError(f"{received} with mode {mode!r}; only 'lstm' has a cell state to clip")
    if clip_min is None or clip_max is None:
        raise OpParamError(f"{received}; expected both, or none")
    if clip_min > clip_max:
        raise OpParamError(f"{received}; expected a minimum not above the maximum")


def _expect_inputs(data: Tensor, given: dict[str, Tensor | None], shapes: dict[str, Shape]) -> None:
    """Refuses inputs that are missing, superfluous, or of another shape or dtype than the data asks for."""
    expect_floating(data)
    for name, tensor in given.items():
        if tensor is None and name in shapes:
            why = "with use_sequence_length=True" if name == "sequence_length" else "in mode 'lstm'"
            raise OpParamError(f"expected input {name} of shape {shapes[name]} {why}, got none")
        if tensor is not None and name not in shapes:
            why = "use_sequence_length=True" if name == "sequence_length" else "mode 'lstm'"
            raise OpParamError(f"received input {name}, which only {why} reads; leave it out")
    same_dtype(data=data, **{name: tensor for name, tensor in given.items() if name != "sequence_length"})
    parameters = given["parameters"]
    assert parameters is not None
    expected = shapes["parameters"]
    if tuple(parameters.shape) != expected:
        raise OpShapeError(
            f"expected parameters of length {expected[0]} for data of input size {data.shape[2]}, "
            f"got shape {tuple(parameters.shape)}"
        )
    for name in ("state", "state_cell", "sequence_length"):
        tensor = given[name]
        if tensor is not None:
            expect_shape(name, tensor, shapes[name])
    if data.shape[0] == 0:
        raise OpShapeError(f"expected at least one step of time, got data of shape {tuple(data.shape)}")


def expect_call(data: Tensor, given: dict[str, Tensor | None], *, p: float, **params: Any) -> None:
    """Refuses what `RNN` does not take; `params` are all of its parameters."""
    low, high = params["lstm_state_clip_min"], params["lstm_state_clip_max"]
    mode, projection_size = params["mode"], params["projection_size"]
    _expect_params(mode, params["state_size"], params["num_layers"], p, projection_size, low, high)
    _expect_inputs(data, given, _input_shapes(tuple(data.shape), **params))


class Network(NamedTuple):
    """A recurrent network with its weights, ready to run."""

    mode: str
    weights: list[Tensor]
    share: int  # how many of the weights belong to each direction of each layer
    bidirectional: bool
    clip: Clip | None
    p: float
    rng: Rng

    def run(
        self, data: Tensor, hidden: Tensor, cell: Tensor | None, lengths: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """The outputs of the last layer, and the last hidden and cell states of all."""
        inside = None
        if lengths is not None:
            time = torch.arange(data.shape[0], device=data.device).view(-1, 1, 1)
            inside = time < lengths.detach().to(torch.int64).view(-1, 1)
            # What lies outside must not reach the gradients of the weights, not even as zero times infinity.
            data = data.masked_fill(~inside, 0)
        # Torch tells a projection by the sizes of the two states.
        unclear = self.share > 4 and cell is not None and hidden.shape[2] >= cell.shape[2]
        sweeps = is_available(self.mode, data) and self.share == 4 and grad_needed(data, hidden, cell, self.weights[0])
        stepwise = inside is not None or self.clip is not None or unclear or sweeps
        directions = 2 if self.bidirectional else 1
        count = hidden.shape[0] // directions
        if count == 1 or (self.p == 0 and not stepwise):
            return self._stepwise(data, hidden, cell, inside) if stepwise else self._fused(data, hidden, cell)
        hiddens, cells = hidden.split(directions), [None] * count if cell is None else cell.split(directions)
        last: list[Tensor] = []
        last_cell: list[Tensor] = []
        for i in range(count):
            if i and self.p:
                data = data * drop_mask(data, self.p, self.rng)
            own = self.weights[i * directions * self.share : (i + 1) * directions * self.share]
            layer = self._replace(weights=own)
            if stepwise:
                data, state, state_cell = layer._stepwise(data, hiddens[i], cells[i], inside)
            else:
                data, state, state_cell = layer._fused(data, hiddens[i], cells[i])
            last.append(state)
            if state_cell is not None:
                last_cell.append(state_cell)
        return data, torch.cat(last), torch.cat(last_cell) if last_cell else None

    def _fused(self, data: Tensor, hidden: Tensor, cell: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """Torch's kernel. Dropout is never left to it: it would draw from torch's global generator."""
        layers = hidden.shape[0] // (2 if self.bidirectional else 1)
        # Says whether backward is possible, which in MXNet does not depend on the mode.
        keep = grad_needed(data, hidden, cell, self.weights[0])
        states = hidden if cell is None else (hidden, cell)
        arguments = (data, states, self.weights, True, layers, 0.0, keep, self.bidirectional, False)
        if cell is None or cell.shape[-1] == hidden.shape[-1]:
            results = _KERNELS[self.mode](*arguments)
        else:
            with warnings.catch_warnings():
                # oneDNN has no projections; torch warns of the slower kernel that it takes then.
                warnings.filterwarnings("ignore", message="LSTM with projections")
                results = _KERNELS[self.mode](*arguments)
        return results if cell is not None else (*results, None)

    def _stepwise(
        self, data: Tensor, hidden: Tensor, cell: Tensor | None, inside: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """All directions of one layer, step by step: for what torch's kernels cannot do, or do slowly."""
        results: list[tuple[Tensor, Tensor, Tensor | None]] = []
        for i in range(hidden.shape[0]):
            of_input, recurrent, of_input_bias, *others = self.weights[i * self.share : (i + 1) * self.share]
            own, start = [recurrent, *others], None if cell is None else cell[i]
            if inside is None and self.clip is None and len(own) == 2 and is_available(self.mode, data):
                arguments = (data, hidden[i], start, of_input, recurrent, of_input_bias, others[0])
                results.append(Sweep.apply(self.mode, i == 1, *arguments))
            else:
                gates = functional.linear(data, of_input, of_input_bias)
                results.append(unroll(self.mode, gates, hidden[i], start, own, inside, self.clip, reverse=i == 1))
        outputs, hiddens, cells = zip(*results, strict=True)
        output = torch.cat(outputs, 2) if len(outputs) > 1 else outputs[0]
        return output, torch.stack(hiddens), None if cell is None else torch.stack(cells)


def drop_mask(data: Tensor, p: float, rng: Rng) -> Tensor:
    """What the input of a layer is multiplied with: 0 for what is dropped."""
    mask = torch.empty_like(data).bernoulli_(1 - p, generator=rng)
    return mask.div_(1 - p) if p < 1 else mask


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    names = ["data", "parameters", "state"]
    if params["mode"] == "lstm":
        names.append("state_cell")
    if params["use_sequence_length"]:
        names.append("sequence_length")
    return tuple(names)


@operator(
    "RNN",
    "_npx_rnn",
    outputs=num_rnn_outputs,
    completes=_input_shapes,
    takes=_inputs,
    output_names=("output", "state_output", "statecell_output"),
)
def rnn(
    data: Tensor,
    parameters: Tensor,
    state: Tensor,
    state_cell: Tensor | None = None,
    sequence_length: Tensor | None = None,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    training: Training,
    rng: Rng,
) -> Tensor | tuple[Tensor, ...]:
    """Applies a recurrent network of several layers to a batch of sequences.

    Args:
        data: (time, batch, input size).
        parameters: all weights, then all biases, in one vector; `parameter_layout` says where each one is.
        state: (layers times directions, batch, state size), the hidden states before the first step; the last axis
            has the size of the projection if there is one.
        state_cell: (layers times directions, batch, state size), the cell states before the first step; `lstm` only.
        sequence_length: the length of each sequence. Outputs behind it are zero, the last states are those at its
            end, where the reverse direction begins.
        state_size: size of the hidden and cell states.
        num_layers: number of layers; each reads the output of the one before.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        mode: the kind of cell.
        p: the probability that an element of a layer's output is dropped before the next layer, in training.
        state_outputs: whether to return the last hidden states, and cell states, too.
        projection_size: size that a linear map brings the hidden state of `lstm` to.
        lstm_state_clip_min: lower limit of the cell state, together with the upper one.
        lstm_state_clip_max: upper limit of the cell state.
        lstm_state_clip_nan: whether a NaN in the cell state becomes the lower limit.
        use_sequence_length: whether sequence_length is given; all sequences are full otherwise.
        training: whether this is training.
        rng: what is dropped is drawn from it.
    """
    if use_sequence_length and mode != "lstm" and sequence_length is None:
        # Without cell states the lengths are the fourth input.
        state_cell, sequence_length = None, state_cell
    low, high = lstm_state_clip_min, lstm_state_clip_max
    given = {"parameters": parameters, "state": state, "state_cell": state_cell, "sequence_length": sequence_length}
    sizes = (state_size, num_layers, bidirectional, projection_size)
    expect_call(
        data,
        given,
        state_size=state_size,
        num_layers=num_layers,
        bidirectional=bidirectional,
        mode=mode,
        p=p,
        projection_size=projection_size,
        lstm_state_clip_min=low,
        lstm_state_clip_max=high,
        use_sequence_length=use_sequence_length,
    )
    if data.is_meta:
        width = state.shape[2] * (2 if bidirectional else 1)
        output = data.new_empty(*data.shape[:2], width)
        last, last_cell = torch.empty_like(state), None if state_cell is None else torch.empty_like(state_cell)
    else:
        weights, share = weights_in(parameters, mode, data.shape[2], *sizes)
        clip = None if low is None or high is None else Clip(low, high, lstm_state_clip_nan)
        network = Network(mode, weights, share, bidirectional, clip, p if training else 0.0, rng)
        output, last, last_cell = network.run(data, state, state_cell, sequence_length)
    if not state_outputs:
        return output
    return (output, last) if last_cell is None else (output, last, last_cell)


@shape_of("RNN")
def recurrent_result(specs: Specs, params: Params) -> Result:
    """The outputs of a recurrent network, and its last states if they are asked for."""
    if not one_float_dtype(specs[:3]):
        return None
    (data, dtype), (state, _) = specs[0], specs[2]  # type: ignore[misc]
    if len(data) != 3 or len(state) != 3 or data[1] != state[1]:
        return None
    output = ((*data[:2], state[2] * (2 if params["bidirectional"] else 1)), dtype)
    if not params["state_outputs"]:
        return [output]
    return [output, *(spec for spec in specs[2 : 4 if params["mode"] == "lstm" else 3] if spec is not None)]


class _Layer(NamedTuple):
    """What a layer keeps for its gradient: one pass for each direction."""

    data: Tensor
    mask: Tensor | None
    weights: list[Weights]
    passes: Sequence[Swept]


def run_layers(
    mode: str,
    data: Tensor,
    hidden: Tensor,
    cell: Tensor | None,
    weights: Sequence[Tensor],
    sides: int,
    p: float,
    rng: Any,
) -> tuple[list[Tensor], list[_Layer]]:
    """Outputs of the last layer, last hidden and cell states of all, and what the layers keep."""
    layers: list[_Layer] = []
    for first in range(0, hidden.shape[0], sides):
        mask = None
        if first and p:
            mask = drop_mask(data, p, rng)
            data = data * mask
        data = data.contiguous()
        own = [Weights(*weights[4 * place : 4 * place + 4]) for place in range(first, first + sides)]
        passes = []
        for side in range(sides):
            start = None if cell is None else cell[first + side]
            passes.append(sweep(mode, data, hidden[first + side], start, own[side], side == 1))
        layers.append(_Layer(data, mask, own, passes))
        data = passes[0].outputs if sides == 1 else torch.cat([each.outputs for each in passes], 2)
    results = [data, torch.stack([each.last for layer in layers for each in layer.passes])]
    cells = [each.last_cell for layer in layers for each in layer.passes]
    if cell is not None:
        results.append(torch.stack(cells))  # type: ignore[arg-type]
    return results, layers


def run_layers_backward(
    layers: Sequence[_Layer], grads: Grads, of_data: bool, of_weights: bool
) -> tuple[Tensor | None, Tensor, Tensor | None, list[Tensor]]:
    """Gradients of the data, the hidden and the cell states, and the weights."""
    grad, last, last_cell = [*grads, None, None][:3]
    sides = len(layers[0].passes)
    hiddens: list[Tensor] = []
    cells: list[Tensor] = []
    found: list[Tensor] = []
    for number in reversed(range(len(layers))):
        layer = layers[number]
        shape = (*layer.data.shape[:2], sides * layer.weights[0].recurrent.shape[1])
        parts = (layer.data.new_zeros(shape) if grad is None else grad).chunk(sides, 2)
        below: Tensor | None = None
        for side in reversed(range(sides)):
            place = number * sides + side
            heads = Heads(
                parts[side], None if last is None else last[place], None if last_cell is None else last_cell[place]
            )
            kept, weights = layer.passes[side], layer.weights[side]
            returned = sweep_back(kept, layer.data, weights, heads, of_weights, of_data or number > 0)
            hiddens.append(returned.hidden)
            if returned.cell is not None:
                cells.append(returned.cell)
            found.extend(reversed(returned.weights or ()))
            below = returned.data if below is None or returned.data is None else below.add_(returned.data)
        grad = below if below is None or layer.mask is None else below.mul_(layer.mask)
    return grad, torch.stack(hiddens[::-1]), torch.stack(cells[::-1]) if cells else None, found[::-1]


class ByTorch(NamedTuple):
    """A run that torch differentiates."""

    inputs: list[Tensor]
    results: Sequence[Tensor]


def run_torch(function: Any, arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, ByTorch]:
    """Where the kernels in C++ do not serve."""
    inputs = [
        each.detach().requires_grad_(need) for each, need in zip(arguments, needs, strict=True) if each is not None
    ]
    with differentiable():
        found = function(*inputs, **params)
    results = (found,) if isinstance(found, Tensor) else found
    outside = tuple(each.detach() for each in results)
    return outside[0] if isinstance(found, Tensor) else outside, ByTorch(inputs, results)


def run_torch_backward(run: ByTorch, grads: Grads) -> Grads:
    """The gradients of such a run's inputs."""
    given = [(value, grad) for value, grad in zip(run.results, grads, strict=True) if grad is not None]
    wanted = [each for each in run.inputs if each.requires_grad]
    keep = keeps_graph()
    found = iter(
        vjp(
            [value for value, _ in given],
            wanted,
            [grad for _, grad in given],
            retain_graph=keep,
        )
    )
    return [next(found) if each.requires_grad else None for each in run.inputs]


@gradient_of("RNN")
class RecurrentNetwork(Rule):
    """Without lengths, projection and limits."""

    keeps_output = True

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        is_limited = params["lstm_state_clip_min"] is not None or params["lstm_state_clip_max"] is not None
        return not (params["use_sequence_length"] or params["projection_size"] or is_limited)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        full = {**find("RNN").full_params(params), "training": params["training"], "rng": params["rng"]}
        data, parameters, state, cell = [*arguments, None][:4]
        assert data is not None
        assert parameters is not None
        assert state is not None
        if not is_available(params["mode"], data):
            return run_torch(rnn, arguments, params, needs)
        given = {"parameters": parameters, "state": state, "state_cell": cell, "sequence_length": None}
        expect_call(data, given, **{name: full[name] for name in full if name not in ("training", "rng")})
        sizes = (full["mode"], data.shape[2], full["state_size"], full["num_layers"], full["bidirectional"], None)
        weights, _ = weights_in(parameters, *sizes)
        return start(full, data, state, cell, weights, sizes)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        if isinstance(saved, ByTorch):
            return run_torch_backward(saved, grads)
        layers, sizes = saved
        data, hidden, cell, found = run_layers_backward(layers, grads, needs[0], needs[1])
        vector = joined_gradients(found, *sizes) if needs[1] else None
        wanted = zip((data, vector, hidden, cell), needs, strict=False)
        return [grad if need else None for grad, need in wanted]


def start(
    params: Mapping[str, Any], data: Tensor, state: Tensor, cell: Tensor | None, weights: list[Tensor], extra: Any
) -> tuple[Any, Any]:
    """The results of a network, and what its gradient needs: its layers, and whatever is given as `extra`."""
    p = params.get("p", 0.0) if params["training"] else 0.0
    sides = 2 if params.get("bidirectional") else 1
    results, layers = run_layers(params["mode"], data, state, cell, weights, sides, p, params["rng"])
    return (tuple(results) if params.get("state_outputs") else results[0]), (layers, extra)
