"""One direction of a recurrent layer with its gradient, by kernels in C++ (native/recurrent.cpp): training on a CPU.

Only what depends on the step before runs step by step. The share of the input and the gradients of the weights are one
product each over all steps. Where these kernels do not serve, torch's do.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ..native import kernels, library
from ..torch_private import keeps_graph
from .recurrent_steps import unroll
from .vjp import vjp


class Weights(NamedTuple):
    """Weights and biases of one direction, or their gradients."""

    of_input: Tensor
    recurrent: Tensor
    of_input_bias: Tensor
    recurrent_bias: Tensor


class Swept(NamedTuple):
    """What a pass over the steps leaves behind.

    Attributes:
        mode: the kind of cell.
        reverse: whether the steps were taken from the last to the first.
        states: the hidden states of all steps, one more than steps: the first one taken is the initial state.
        gates: of `lstm` and `gru`, the gates of all steps behind their activation.
        cells: of `lstm`, the cell states, like `states`; of `gru`, what the reset gate is multiplied with.
    """

    mode: str
    reverse: bool
    states: Tensor
    gates: Tensor | None
    cells: Tensor | None

    @property
    def outputs(self) -> Tensor:
        """The hidden state after each step."""
        return self.states[:-1] if self.reverse else self.states[1:]

    @property
    def before(self) -> Tensor:
        """The hidden state before each step."""
        return self.states[1:] if self.reverse else self.states[:-1]

    @property
    def last(self) -> Tensor:
        """The hidden state after the step that was taken last."""
        return self.states[0 if self.reverse else -1]

    @property
    def last_cell(self) -> Tensor | None:
        """The cell state after the step that was taken last."""
        if self.mode != "lstm" or self.cells is None:
            return None
        return self.cells[0 if self.reverse else -1].clone()


def is_available(mode: str, data: Tensor) -> bool:
    """Whether there are kernels for these cells and data like these.

    Measured on one core, they take 0.45 to 0.95 of the time of torch's with 1 to 32 sequences, and 0.92 to 1.05 with
    many sequences of 256 and more units. Without instructions that multiply and add at once, torch's LSTM takes half
    of the time of ours; it has no such kernel for other cells.
    """
    if data.dtype is not torch.float32 or data.device.type != "cpu" or kernels() is None:
        return False
    return mode != "lstm" or library().level != "x86-64-v2"


def sweep(mode: str, data: Tensor, hidden: Tensor, cell: Tensor | None, weights: Weights, reverse: bool) -> Swept:
    """Runs one direction over all steps.

    Args:
        mode: the kind of cell.
        data: (time, batch, input size).
        hidden: the hidden state before the first step.
        cell: the cell state before the first step; `lstm` only.
        weights: those of the direction.
        reverse: whether to begin with the last step.
    """
    length, batch = data.shape[:2]
    bias = weights.of_input_bias if mode == "gru" else weights.of_input_bias + weights.recurrent_bias
    gates = torch.addmm(bias, data.flatten(0, 1), weights.of_input.t()).view(length, batch, bias.shape[0])
    recurrent_bias = weights.recurrent_bias.contiguous() if mode == "gru" else None
    given = (gates, hidden, cell, weights.recurrent.contiguous(), recurrent_bias)
    states, cells = kernels().recurrent_steps(mode, *given, reverse)
    return Swept(mode, reverse, states, gates if mode in ("lstm", "gru") else None, cells)


class Heads(NamedTuple):
    """Gradients of what a direction returned, None for zero: all outputs, the last hidden and the last cell state."""

    outputs: Tensor | None
    last: Tensor | None
    last_cell: Tensor | None


class Returned(NamedTuple):
    """Gradients of what a direction was given: data, initial hidden and cell state, weights; None if not wanted."""

    data: Tensor | None
    hidden: Tensor
    cell: Tensor | None
    weights: Weights | None


def sweep_back(
    swept: Swept, data: Tensor, weights: Weights, heads: Heads, of_weights: bool = True, of_data: bool = True
) -> Returned:
    """The gradient of `sweep`.

    Args:
        swept: what the pass left behind.
        data: what it was given.
        weights: what it was given.
        heads: the gradients to begin with.
        of_weights: whether the gradients of the weights are wanted.
        of_data: whether the gradient of the data is wanted.
    """
    grads = torch.zeros_like(swept.outputs) if heads.outputs is None else heads.outputs.contiguous()
    gates, recurrent = swept.states if swept.gates is None else swept.gates, weights.recurrent.contiguous()
    given = (gates, swept.states, swept.cells, recurrent, grads, heads.last, heads.last_cell)
    shares, hidden, other = kernels().recurrent_steps_back(swept.mode, *given, swept.reverse)
    cell, into_new = other if swept.mode == "lstm" else None, other if swept.mode == "gru" else None
    rows = shares.view(-1, shares.shape[-1])
    of_recurrent = recurrent_bias = found = None
    if of_weights:
        of_recurrent, recurrent_bias = rows.t().mm(swept.before.flatten(0, 1)), rows.sum(0)
    if into_new is not None:  # the input's share of the new state is not multiplied with the reset gate
        shares[..., 2 * hidden.shape[1] :] = into_new
    if of_recurrent is not None and recurrent_bias is not None:
        bias = recurrent_bias.clone() if into_new is None else rows.sum(0)
        found = Weights(rows.t().mm(data.flatten(0, 1)), of_recurrent, bias, recurrent_bias)
    return Returned(rows.mm(weights.of_input).view(data.shape) if of_data else None, hidden, cell, found)


class Sweep(torch.autograd.Function):
    """One direction of a layer, as torch's engine sees it: all outputs, the last hidden and the last cell state."""

    @staticmethod
    def forward(
        ctx: Any, mode: str, reverse: bool, data: Tensor, hidden: Tensor, cell: Tensor | None, *weights: Tensor
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """See `sweep`."""
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(data, hidden, cell, *weights)
        ctx.swept = swept = sweep(mode, data, hidden, cell, Weights(*weights), reverse)
        # The outputs apart from what is kept: torch makes them hold this node.
        return swept.outputs.data, swept.last.clone(), swept.last_cell

    @staticmethod
    def backward(ctx: Any, *heads: Tensor | None) -> Any:
        """Gradients of the tensors."""
        inputs, swept, needs = ctx.saved_tensors, ctx.swept, ctx.needs_input_grad[2:]
        if all(head is None for head in heads):
            return (None,) * (2 + len(inputs))
        if torch.is_grad_enabled():  # asked for a gradient of the gradient
            return None, None, *_differentiable(swept, inputs, heads, needs)
        if not keeps_graph():
            ctx.swept = None
        weights = Weights(*inputs[3:])
        data, hidden, cell, found = sweep_back(swept, inputs[0], weights, Heads(*heads), any(needs[3:]), needs[0])
        return None, None, data, hidden, cell, *(found or (None,) * 4)


def _differentiable(
    swept: Swept, inputs: Sequence[Any], heads: Sequence[Tensor | None], needs: Sequence[bool]
) -> list[Tensor | None]:
    """Gradients that can be differentiated again: torch watches the steps a second time."""
    data, hidden, cell, of_input, recurrent, of_input_bias, recurrent_bias = inputs
    gates = functional.linear(data, of_input, of_input_bias)
    again = unroll(swept.mode, gates, hidden, cell, [recurrent, recurrent_bias], None, None, swept.reverse)
    given = [(value, head) for value, head in zip(again, heads, strict=True) if value is not None and head is not None]
    wanted = [place for place, needed in enumerate(needs) if needed]
    found = vjp(
        [value for value, _ in given],
        [inputs[place] for place in wanted],
        [head for _, head in given],
        retain_graph=True,
        create_graph=True,
    )
    grads: list[Tensor | None] = [None] * len(inputs)
    for place, grad in zip(wanted, found, strict=True):
        grads[place] = grad
    return grads
