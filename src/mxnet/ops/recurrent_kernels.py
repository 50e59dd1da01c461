"""One direction of a recurrent layer with its gradient, for training on a CPU.

Only what depends on the step before runs step by step: one product and a few element-wise operations that write into
arrays of all steps, whose views are cut once. The share of the input and the gradients of the weights are one product
each over all steps, and the factors by which gradients pass the gates are computed for all steps at once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

_through_sigmoid = torch.ops.aten.sigmoid_backward
_through_tanh = torch.ops.aten.tanh_backward


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
        cells: of `lstm`, the cell states like `states`; of `gru`, what the reset gate is multiplied with.
        bounded: of `lstm`, the hyperbolic tangent of the cell states.
    """

    mode: str
    reverse: bool
    states: Tensor
    gates: Tensor | None = None
    cells: Tensor | None = None
    bounded: Tensor | None = None

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
        return None if self.mode != "lstm" or self.cells is None else self.cells[0 if self.reverse else -1]


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
    gates = torch.addmm(bias, data.reshape(length * batch, -1), weights.of_input.t()).view(length, batch, -1)
    # The product with a contiguous factor is quicker by a tenth, and there is one for every step.
    turned = weights.recurrent.t().contiguous()
    if mode == "lstm":
        assert cell is not None
        return _sweep_lstm(gates, hidden, cell, turned, reverse)
    if mode == "gru":
        return _sweep_gru(gates, hidden, turned, weights.recurrent_bias, reverse)
    return _sweep_plain(mode, gates, hidden, turned, reverse)


def _begun(state: Tensor, length: int, reverse: bool) -> Tensor:
    """Memory for the states of all steps, with the initial one in its place."""
    states = state.new_empty(length + 1, *state.shape)
    states[length if reverse else 0].copy_(state)
    return states


def _in_order(reverse: bool, *arrays: Tensor) -> list[Sequence[Tensor]]:
    """The steps of each array, the first one to be taken first."""
    steps = [array.unbind() for array in arrays]
    return [each[::-1] for each in steps] if reverse else list(steps)


def _sweep_lstm(gates: Tensor, hidden: Tensor, cell: Tensor, turned: Tensor, reverse: bool) -> Swept:
    size = hidden.shape[1]
    states, cells = _begun(hidden, len(gates), reverse), _begun(cell, len(gates), reverse)
    bounded = torch.empty_like(states[1:])
    swept = Swept("lstm", reverse, states, gates, cells, bounded)
    state, cell = hidden, cell
    parts = (gates[..., : 2 * size], *gates.chunk(4, 2))
    after = cells[:-1] if reverse else cells[1:]
    for whole, both, enter, forget, new, leave, cell_after, bound, output in zip(
        *_in_order(reverse, gates, *parts, after, bounded, swept.outputs), strict=True
    ):
        whole.addmm_(state, turned)
        both.sigmoid_()
        leave.sigmoid_()
        new.tanh_()
        cell = torch.mul(forget, cell, out=cell_after).addcmul_(enter, new)
        state = torch.mul(leave, torch.tanh(cell, out=bound), out=output)
    return swept


def _sweep_gru(gates: Tensor, hidden: Tensor, turned: Tensor, bias: Tensor, reverse: bool) -> Swept:
    size = hidden.shape[1]
    states = _begun(hidden, len(gates), reverse)
    candidates = torch.empty_like(states[1:])
    swept = Swept("gru", reverse, states, gates, candidates)
    recurrent = gates.new_empty(gates.shape[1:])
    recurrent_both, recurrent_new = recurrent[:, : 2 * size], recurrent[:, 2 * size :]
    state = hidden
    parts = (gates[..., : 2 * size], *gates.chunk(3, 2))
    for both, reset, update, new, candidate, output in zip(
        *_in_order(reverse, *parts, candidates, swept.outputs), strict=True
    ):
        torch.addmm(bias, state, turned, out=recurrent)
        both.add_(recurrent_both).sigmoid_()
        candidate.copy_(recurrent_new)
        new.addcmul_(reset, candidate).tanh_()
        state = torch.lerp(new, state, update, out=output)
    return swept


def _sweep_plain(mode: str, gates: Tensor, hidden: Tensor, turned: Tensor, reverse: bool) -> Swept:
    swept = Swept(mode, reverse, _begun(hidden, len(gates), reverse))
    state = hidden
    activate = Tensor.relu_ if mode == "rnn_relu" else Tensor.tanh_
    for share, output in zip(*_in_order(reverse, gates, swept.outputs), strict=True):
        state = activate(torch.addmm(share, state, turned, out=output))
    return swept


class Heads(NamedTuple):
    """Gradients of what a direction returned, None for zero: all outputs, the last hidden and the last cell state."""

    outputs: Tensor | None
    last: Tensor | None
    last_cell: Tensor | None


class Returned(NamedTuple):
    """Gradients of what a direction was given.

    Attributes:
        gates: those of the share of the input, of all steps, as rows.
        hidden: of the hidden state before the first step.
        cell: of the cell state before the first step.
    """

    gates: Tensor
    hidden: Tensor
    cell: Tensor | None


def sweep_back(swept: Swept, recurrent: Tensor, heads: Heads, found: Weights | None, keep: bool) -> Returned:
    """The gradient of `sweep`, but for the product with the weights of the input.

    Args:
        swept: what the pass left behind; written over, unless it is to be kept.
        recurrent: the recurrent weights.
        heads: the gradients to begin with.
        found: where the gradients of the recurrent weights and of the biases go, if they are wanted.
        keep: whether `swept` is needed again.
    """
    grads = heads.outputs
    if grads is None:
        grads = torch.zeros_like(swept.outputs)
    # The pass goes against the order of the steps.
    grad, *others = _in_order(not swept.reverse, grads)[0]
    first = grad if heads.last is None else grad + heads.last
    if swept.mode == "lstm":
        shares, hidden, cell = _back_lstm(swept, recurrent, first, others, heads.last_cell, keep)
    elif swept.mode == "gru":
        shares, hidden, states, into_new = _back_gru(swept, recurrent, first, others, keep)
        cell = None
    else:
        shares, hidden = _back_plain(swept, recurrent, first, others)
        cell = None
    rows = shares.view(-1, shares.shape[-1])
    if found is not None:
        torch.mm(rows.t(), swept.before.reshape(-1, hidden.shape[1]), out=found.recurrent)
        torch.sum(rows, 0, out=found.recurrent_bias)
    if swept.mode == "gru":  # the input's share of the new state is not multiplied with the reset gate
        torch.mul(states, into_new, out=shares[..., 2 * hidden.shape[1] :])
        if found is not None:
            torch.sum(rows, 0, out=found.of_input_bias)
    elif found is not None:
        found.of_input_bias.copy_(found.recurrent_bias)
    return Returned(rows, hidden, cell)


def _back_lstm(
    swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor], last_cell: Tensor | None, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of the gates before their activation, of the initial hidden and of the initial cell state."""
    assert swept.gates is not None and swept.cells is not None and swept.bounded is not None
    gates = swept.gates.clone() if keep else swept.gates
    enter, forget, new, leave = gates.chunk(4, 2)
    # Each gate is replaced by the factor of its gradient: of the hidden state for the last, else of the cell state.
    into_cell = _through_tanh(leave, swept.bounded)
    _through_sigmoid.grad_input(swept.bounded, leave, grad_input=leave)
    forgets = forget.contiguous()
    _through_sigmoid.grad_input(swept.cells[1:] if swept.reverse else swept.cells[:-1], forget, grad_input=forget)
    into_enter = _through_sigmoid(new, enter)
    _through_tanh.grad_input(enter, new, grad_input=new)
    enter.copy_(into_enter)
    del into_enter
    state, cell = grad.contiguous(), torch.zeros_like(grad) if last_cell is None else last_cell.clone()
    wide, carry = cell.unsqueeze(1), torch.empty_like(cell)
    three = gates.unflatten(2, (4, -1))[:, :, :3]
    steps = _in_order(not swept.reverse, gates, three, leave, into_cell, forgets)
    for share, of_cell, of_state, through, forget, following in zip(*steps, [*others, None], strict=True):
        cell.addcmul_(state, through)
        of_state.mul_(state)
        of_cell.mul_(wide)
        cell.mul_(forget)
        if following is None:
            state = torch.mm(share, recurrent, out=carry)
        else:
            state = torch.addmm(following, share, recurrent, out=carry)
    return gates, state, cell


def _back_gru(
    swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor], keep: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Gradients of the recurrent shares and the initial state; those of all states, and their factor into the new."""
    assert swept.gates is not None and swept.cells is not None
    gates = swept.gates.clone() if keep else swept.gates
    reset, update, new = gates.chunk(3, 2)
    updates = update.contiguous()
    into_new = _through_tanh(1 - updates, new)
    _through_sigmoid.grad_input(swept.before - new, update, grad_input=update)
    torch.mul(into_new, reset, out=new)
    _through_sigmoid.grad_input(into_new * swept.cells, reset, grad_input=reset)
    states = torch.empty_like(swept.cells)
    three = gates.unflatten(2, (3, -1))
    steps = _in_order(not swept.reverse, gates, three, updates, states)
    steps[3][0].copy_(grad)
    for share, factors, update, state, following, place in zip(
        *steps, [*others, None], [*steps[3][1:], torch.empty_like(grad)], strict=True
    ):
        factors.mul_(state.unsqueeze(1))
        if following is None:
            torch.mm(share, recurrent, out=place)
        else:
            torch.addmm(following, share, recurrent, out=place)
        hidden = place.addcmul_(state, update)
    return gates, hidden, states, into_new


def _back_plain(
    swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:
    """Gradients of the sums before their activation, and of the initial state."""
    outputs = swept.outputs
    shares = (outputs > 0).to(grad.dtype) if swept.mode == "rnn_relu" else 1 - outputs * outputs
    state, carry = grad, torch.empty_like(grad)
    for share, following in zip(*_in_order(not swept.reverse, shares), [*others, None], strict=True):
        share.mul_(state)
        if following is None:
            state = torch.mm(share, recurrent, out=carry)
        else:
            state = torch.addmm(following, share, recurrent, out=carry)
    return shares, state
