"""One direction of a recurrent layer with its gradient, for training on a CPU.

Only what depends on the step before runs step by step: one product and a few element-wise operations that write into
arrays of all steps, whose views are cut once. The share of the input and the gradients of the weights are one product
each over all steps, and the factors by which gradients pass the gates are computed for all steps at once. Where there
are kernels in C++ (native/recurrent.cpp), they take the steps.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ..native import kernels
from .recurrent_steps import unroll
from .vjp import vjp

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
        cells: of `lstm`, the -2fold of the cell states, like `states`; of `gru`, what the reset gate is multiplied
            with.
        bounded: of `lstm`, the sigmoid of `cells`.
        is_native: whether a kernel in C++ took the steps: of `lstm` it keeps the cell states as they are, the third
            gate behind tanh, and no `bounded`.
    """

    mode: str
    reverse: bool
    states: Tensor
    gates: Tensor | None = None
    cells: Tensor | None = None
    bounded: Tensor | None = None
    is_native: bool = False

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
        last = self.cells[0 if self.reverse else -1]
        return last.clone() if self.is_native else last * -0.5


def is_fused(mode: str, data: Tensor, size: int) -> bool:
    """Whether torch has a kernel of all steps for training in this mode that ours would not be quicker than.

    Measured on one core: with 64 sequences and more of 128 to 256 units ours takes 0.84 to 0.97 of oneDNN's time and
    keeps half as much; with fewer sequences oneDNN is as quick or quicker. With kernels in C++ ours takes 0.45 to 0.95
    of its time with 1 to 32 sequences, and 0.92 to 1.05 with many sequences of 256 and more units.
    """
    onednn = torch.backends.mkldnn
    if _is_native(data):
        return False
    if mode != "lstm" or data.dtype is not torch.float32 or not onednn.enabled or not onednn.is_available():
        return False
    return data.shape[1] < 64 or not 128 <= size <= 256


def _is_native(data: Tensor) -> bool:
    """Whether a kernel in C++ takes the steps."""
    return data.dtype is torch.float32 and data.device.type == "cpu" and kernels() is not None


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
    if _is_native(data):
        return _sweep_natively(mode, gates, hidden, cell, weights, reverse)
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


def _sweep_natively(
    mode: str, gates: Tensor, hidden: Tensor, cell: Tensor | None, weights: Weights, reverse: bool
) -> Swept:
    bias = weights.recurrent_bias.contiguous() if mode == "gru" else None
    given = (gates, hidden, cell, weights.recurrent.contiguous(), bias)
    states, cells = kernels().recurrent_steps(mode, *given, reverse)
    return Swept(mode, reverse, states, gates if mode in ("lstm", "gru") else None, cells, is_native=True)


def _sweep_lstm(gates: Tensor, hidden: Tensor, cell: Tensor, turned: Tensor, reverse: bool) -> Swept:
    """In torch tanh takes three times as long as sigmoid: it is taken as 1 - 2 sigmoid(-2x), all gates in one call.

    So the third gate holds s of new = 1 - 2s, and the cell states are kept as their -2fold.
    """
    size = hidden.shape[1]
    for array in (gates, turned):
        array[..., 2 * size : 3 * size].mul_(-2)
    states, cells = _begun(hidden, len(gates), reverse), _begun(cell * -2, len(gates), reverse)
    bounded = torch.empty_like(states[1:])
    swept = Swept("lstm", reverse, states, gates, cells, bounded)
    state, cell = hidden, cells[-1 if reverse else 0]
    after = cells[:-1] if reverse else cells[1:]
    for whole, enter, forget, new, leave, cell_after, bound, output in zip(
        *_in_order(reverse, gates, *gates.chunk(4, 2), after, bounded, swept.outputs), strict=True
    ):
        whole.addmm_(state, turned).sigmoid_()
        cell = torch.mul(forget, cell, out=cell_after).addcmul_(enter, new, value=4).sub_(enter, alpha=2)
        state = torch.addcmul(leave, leave, torch.sigmoid(cell, out=bound), value=-2, out=output)
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
    grads = torch.zeros_like(swept.outputs) if heads.outputs is None else heads.outputs
    cell = into_new = None
    if swept.is_native:
        shares, hidden, cell, into_new = _back_natively(swept, weights.recurrent, heads._replace(outputs=grads))
    else:
        # The pass goes against the order of the steps.
        grad, *others = _in_order(not swept.reverse, grads)[0]
        if heads.last is not None:
            grad = grad + heads.last
        if swept.mode == "lstm":
            shares, hidden, cell = _back_lstm(swept, weights.recurrent, grad, others, heads.last_cell)
        elif swept.mode == "gru":
            shares, hidden, into_new = _back_gru(swept, weights.recurrent, grad, others)
        else:
            shares, hidden = _back_plain(swept, weights.recurrent, grad, others)
    rows = shares.view(-1, shares.shape[-1])
    recurrent = recurrent_bias = found = None
    if of_weights:
        recurrent, recurrent_bias = rows.t().mm(swept.before.flatten(0, 1)), rows.sum(0)
    if into_new is not None:  # the input's share of the new state is not multiplied with the reset gate
        shares[..., 2 * hidden.shape[1] :] = into_new
    if recurrent is not None and recurrent_bias is not None:
        bias = recurrent_bias.clone() if into_new is None else rows.sum(0)
        found = Weights(rows.t().mm(data.flatten(0, 1)), recurrent, bias, recurrent_bias)
    return Returned(rows.mm(weights.of_input).view(data.shape) if of_data else None, hidden, cell, found)


def _back_natively(
    swept: Swept, recurrent: Tensor, heads: Heads
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
    """Gradients of the recurrent shares, of the initial states, and of the input's share of new states (`gru`)."""
    assert heads.outputs is not None
    gates = swept.states if swept.gates is None else swept.gates
    given = (gates, swept.states, swept.cells, recurrent.contiguous(), heads.outputs.contiguous())
    shares, hidden, other = kernels().recurrent_steps_back(swept.mode, *given, *heads[1:], swept.reverse)
    return shares, hidden, other if swept.mode == "lstm" else None, other if swept.mode == "gru" else None


def _back_lstm(
    swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor], last_cell: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of the gates before their activation, of the initial hidden and of the initial cell state."""
    assert swept.gates is not None
    assert swept.cells is not None
    assert swept.bounded is not None
    enter, forget, new, leave = swept.gates.chunk(4, 2)
    # At first the factors: of the hidden state's gradient for the last gate, of the cell state's for the others.
    shares = torch.empty_like(swept.gates)
    into_enter, into_forget, into_new, into_leave = shares.chunk(4, 2)
    _through_sigmoid.grad_input(new * 4 - 2, enter, grad_input=into_enter)
    _through_sigmoid.grad_input(swept.cells[1:] if swept.reverse else swept.cells[:-1], forget, grad_input=into_forget)
    _through_sigmoid.grad_input(enter, new, grad_input=into_new).mul_(-8)
    _through_sigmoid.grad_input(torch.rsub(swept.bounded, 1, alpha=2), leave, grad_input=into_leave)
    into_cell = _through_sigmoid(leave, swept.bounded)
    # The gradient of the -2fold of the cell state.
    state, cell = grad, torch.zeros_like(grad) if last_cell is None else last_cell * -0.5
    wide, carry = cell.unsqueeze(1), torch.empty_like(cell)
    steps = _in_order(not swept.reverse, shares, shares.unflatten(2, (4, -1))[:, :, :3], into_leave, into_cell, forget)
    for share, of_cell, of_state, through, forgotten, following in zip(*steps, [*others, None], strict=True):
        cell.addcmul_(state, through, value=-2)
        of_state.mul_(state)
        of_cell.mul_(wide)
        cell.mul_(forgotten)
        state = _passed_on(following, share, recurrent, carry)
    return shares, state, cell.mul_(-2)


def _passed_on(following: Tensor | None, share: Tensor, recurrent: Tensor, out: Tensor) -> Tensor:
    """The gradient of the state before a step; to its share in that step comes that of its own output, if it is one."""
    if following is None:
        return torch.mm(share, recurrent, out=out)
    return torch.addmm(following, share, recurrent, out=out)


def _back_gru(swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of the recurrent shares, of the initial state, and of the input's share of the new states."""
    assert swept.gates is not None
    assert swept.cells is not None
    reset, update, new = swept.gates.chunk(3, 2)
    shares = torch.empty_like(swept.gates)
    into_reset, into_update, into_new_recurrent = shares.chunk(3, 2)
    into_new = _through_tanh(1 - update, new)
    _through_sigmoid.grad_input(into_new * swept.cells, reset, grad_input=into_reset)
    _through_sigmoid.grad_input(swept.before - new, update, grad_input=into_update)
    torch.mul(into_new, reset, out=into_new_recurrent)
    states = torch.empty_like(into_new)
    steps = _in_order(not swept.reverse, shares, shares.unflatten(2, (3, -1)), update, states)
    places = [*steps[3][1:], torch.empty_like(grad)]
    state = steps[3][0].copy_(grad)
    for share, factors, kept, following, place in zip(*steps[:3], [*others, None], places, strict=True):
        factors.mul_(state.unsqueeze(1))
        state = _passed_on(following, share, recurrent, place).addcmul_(state, kept)
    return shares, state, states.mul_(into_new)


def _back_plain(swept: Swept, recurrent: Tensor, grad: Tensor, others: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Gradients of the sums before their activation, and of the initial state."""
    outputs = swept.outputs
    shares = (outputs > 0).to(grad.dtype) if swept.mode == "rnn_relu" else 1 - outputs * outputs
    state, carry = grad, torch.empty_like(outputs[0])
    for share, following in zip(*_in_order(not swept.reverse, shares), [*others, None], strict=True):
        share.mul_(state)
        state = _passed_on(following, share, recurrent, carry)
    return shares, state


class Fused(NamedTuple):
    """What oneDNN's kernel of an `lstm` gives; the names are those of `Swept`."""

    reverse: bool
    hidden: Tensor
    cell: Tensor
    outputs: Tensor
    last: Tensor
    last_cell: Tensor
    workspace: Tensor


_ONEDNN_LSTM = 2  # its number for the kind of cell


def fused(data: Tensor, hidden: Tensor, cell: Tensor, weights: Weights, reverse: bool) -> Fused:
    """One direction of an `lstm` by oneDNN, as torch calls it, but for the engine."""
    how: tuple[Any, ...] = (reverse, [], _ONEDNN_LSTM, hidden.shape[-1], 1, True, False, False, True)
    hidden, cell = hidden.contiguous(), cell.contiguous()
    with torch.enable_grad():  # otherwise it keeps nothing for the gradient
        found = torch.ops.aten.mkldnn_rnn_layer(data.contiguous(), *weights, hidden, cell, *how)
    return Fused(reverse, hidden, cell, *found)


def fused_back(kept: Fused, data: Tensor, weights: Weights, heads: Heads) -> Returned:
    """The gradient of `fused`."""
    given = (data.contiguous(), *weights, kept.hidden, kept.cell, kept.outputs, kept.last, kept.last_cell)
    size = kept.hidden.shape[-1]
    how: tuple[Any, ...] = (kept.reverse, _ONEDNN_LSTM, size, 1, True, True, False, [], False, kept.workspace)
    of_data, *found, hidden, cell = torch.ops.aten.mkldnn_rnn_layer_backward(*given, *heads, *how)
    return Returned(of_data, hidden.view_as(kept.hidden), cell.view_as(kept.cell), Weights(*found))


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
        if not torch._C._autograd._get_current_graph_task_keep_graph():
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
