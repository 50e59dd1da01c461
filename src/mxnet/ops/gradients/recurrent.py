"""Gradients of recurrent networks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...kernels.recurrent import Fused, Heads, Swept, Weights, fused, fused_back, is_fused, sweep, sweep_back
from ...kernels.recurrent_layout import joined_gradients, weights_in
from ...kernels.vjp import vjp
from ..nn.rnn import drop_mask, expect_call, rnn
from ..registry import find
from .rule import Arguments, Grads, Needs, Rule, gradient_of

CPU = "cpu"  # other devices have kernels of their own


class _Layer(NamedTuple):
    """What a layer keeps for its gradient: one pass for each direction."""

    data: Tensor
    mask: Tensor | None
    weights: list[Weights]
    passes: Sequence[Swept | Fused]


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
    with_kernel = is_fused(mode, data, hidden.shape[2])
    for first in range(0, hidden.shape[0], sides):
        mask = None
        if first and p:
            mask = drop_mask(data, p, rng)
            data = data * mask
        data = data.contiguous()
        passes: list[Swept | Fused] = []
        own = [Weights(*weights[4 * place : 4 * place + 4]) for place in range(first, first + sides)]
        for side in range(sides):
            start = None if cell is None else cell[first + side]
            if with_kernel and start is not None:
                passes.append(fused(data, hidden[first + side], start, own[side], side == 1))
            else:
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
            if isinstance(kept, Fused):
                returned = fused_back(kept, layer.data, weights, heads)
            else:
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
    """For devices that have kernels of their own."""
    inputs = [
        each.detach().requires_grad_(need) for each, need in zip(arguments, needs, strict=True) if each is not None
    ]
    with torch.enable_grad():
        found = function(*inputs, **params)
    results = (found,) if isinstance(found, Tensor) else found
    outside = tuple(each.detach() for each in results)
    return outside[0] if isinstance(found, Tensor) else outside, ByTorch(inputs, results)


def run_torch_backward(run: ByTorch, grads: Grads) -> Grads:
    """The gradients of such a run's inputs."""
    given = [(value, grad) for value, grad in zip(run.results, grads, strict=True) if grad is not None]
    wanted = [each for each in run.inputs if each.requires_grad]
    keep = torch._C._autograd._get_current_graph_task_keep_graph()
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
        if data.device.type != CPU:
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
