"""Recurrent layers step by step, under torch's eyes: for what its kernels cannot do, and for second derivatives."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class Clip(NamedTuple):
    """The interval that a cell state is limited to, and whether NaN becomes its lower end."""

    low: float
    high: float
    nan: bool

    def __call__(self, cell: Tensor) -> Tensor:
        """The limited cell state."""
        if self.nan:
            cell = cell.masked_fill(cell.isnan(), self.low)
        return cell.clamp(self.low, self.high)


def _step(
    mode: str, gates: Tensor, hidden: Tensor, cell: Tensor | None, weights: list[Tensor], clip: Clip | None
) -> tuple[Tensor, Tensor | None]:
    """The new hidden and cell state of one step; `gates` is the share of the input, its bias included."""
    recurrent = functional.linear(hidden, weights[0], weights[1])
    if mode == "lstm":
        assert cell is not None
        enter, forget, new, leave = (gates + recurrent).chunk(4, 1)
        cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
        if clip is not None:
            cell = clip(cell)
        hidden = leave.sigmoid() * cell.tanh()
        return (functional.linear(hidden, weights[2]) if len(weights) > 2 else hidden), cell
    if mode == "gru":
        size = hidden.shape[1]
        reset, update = (gates[:, : 2 * size] + recurrent[:, : 2 * size]).sigmoid().chunk(2, 1)
        new = (gates[:, 2 * size :] + reset * recurrent[:, 2 * size :]).tanh()
        return new + update * (hidden - new), None
    return (gates + recurrent).relu() if mode == "rnn_relu" else (gates + recurrent).tanh(), None


def unroll(
    mode: str,
    gates: Tensor,
    hidden: Tensor,
    cell: Tensor | None,
    weights: list[Tensor],
    inside: Tensor | None,
    clip: Clip | None,
    reverse: bool,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """One direction of one layer, step by step.

    `inside`, of shape (time, batch, 1), says whether a step belongs to the sequence. Outside the state stays, so that
    the reverse direction begins at each sequence's own end.
    """
    outputs = []
    # Unbound at once: the backward of an index would fill an array of all steps for every single one.
    steps = list(enumerate(gates.unbind()))
    for t, share in reversed(steps) if reverse else steps:
        new_hidden, new_cell = _step(mode, share, hidden, cell, weights, clip)
        if inside is None:
            hidden, cell = new_hidden, new_cell
            outputs.append(hidden)
        else:
            outputs.append(new_hidden.masked_fill(~inside[t], 0))
            hidden = torch.where(inside[t], new_hidden, hidden)
            if cell is not None and new_cell is not None:
                cell = torch.where(inside[t], new_cell, cell)
    return torch.stack(outputs[::-1] if reverse else outputs), hidden, cell
