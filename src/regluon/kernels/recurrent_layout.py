"""Where the weights and biases of a recurrent network are in its vector of parameters."""

import functools
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..errors import OpParamError

MAX_LAYERS = 1 << 12  # far above any network; a number from a damaged file would list weights without end
_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}

Shape = tuple[int, ...]


class Piece(NamedTuple):
    """One weight or bias inside the vector of parameters."""

    name: str
    shape: Shape
    offset: int


@functools.lru_cache(maxsize=256)
def parameter_layout(
    mode: str,
    input_size: int,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    projection_size: int | None = None,
) -> tuple[Piece, ...]:
    """Names, shapes and places of the weights and biases in the vector of parameters.

    All weights come first, layer by layer, in a layer forward (`l`) before reverse (`r`), and of each direction
    `i2h`, `h2h` and, with a projection, `h2r`. The biases `i2h` and `h2h` follow in the same order. A row of gates
    is (input, forget, cell, output) for `lstm` and (reset, update, new) for `gru`.
    """
    if not 1 <= num_layers <= MAX_LAYERS:
        raise OpParamError(f"num_layers={num_layers}; expected 1 to {MAX_LAYERS}")
    sides = "lr" if bidirectional else "l"
    rows, state = _GATES[mode] * state_size, projection_size or state_size
    weights: list[tuple[str, Shape]] = []
    biases: list[tuple[str, Shape]] = []
    for layer in range(num_layers):
        width = len(sides) * state if layer else input_size
        for side in sides:
            weights += [(f"{side}{layer}_i2h_weight", (rows, width)), (f"{side}{layer}_h2h_weight", (rows, state))]
            if projection_size:
                weights.append((f"{side}{layer}_h2r_weight", (projection_size, state_size)))
            biases += [(f"{side}{layer}_i2h_bias", (rows,)), (f"{side}{layer}_h2h_bias", (rows,))]
    pieces, offset = [], 0
    for name, shape in weights + biases:
        pieces.append(Piece(name, shape, offset))
        offset += prod(shape)
    return tuple(pieces)


@functools.lru_cache(maxsize=256)
def _plan(*sizes: Any) -> tuple[list[int], list[tuple[int, Shape]], int]:
    """How the vector is split, where in the split torch's kernels find their tensors, and how many a direction has.

    Of each direction torch wants i2h and h2h weight, i2h and h2h bias, projection.
    """
    layout = parameter_layout(*sizes)
    place = {piece.name: i for i, piece in enumerate(layout)}
    kinds = ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight")
    prefixes = dict.fromkeys(piece.name.split("_")[0] for piece in layout)
    names = [f"{prefix}_{kind}" for prefix in prefixes for kind in kinds]
    order = [(place[name], layout[place[name]].shape) for name in names if name in place]
    return [prod(piece.shape) for piece in layout], order, len(order) // len(prefixes)


def weights_in(parameters: Tensor, *sizes: Any) -> tuple[list[Tensor], int]:
    """Views of the weights and biases in the order of torch's kernels, and how many belong to each direction."""
    lengths, order, share = _plan(*sizes)
    # One split, not a slice for each: its backward joins the gradients in a single pass over the vector.
    parts = parameters.contiguous().split(lengths)
    return [parts[i].view(shape) for i, shape in order], share


def joined_gradients(grads: Sequence[Tensor], *sizes: Any) -> Tensor:
    """The gradient of the vector of parameters from those of the weights and biases in the order of `weights_in`."""
    lengths, order, _ = _plan(*sizes)
    parts: list[Any] = [None] * len(lengths)
    for (place, _), grad in zip(order, grads, strict=True):
        parts[place] = grad.reshape(-1)
    return torch.cat(parts)


def weights_of(pieces: Sequence[Tensor], *sizes: Any) -> list[Tensor] | None:
    """The pieces of a vector of parameters in the order of `weights_in`; None if the vector was cut differently."""
    lengths, order, _ = _plan(*sizes)
    if [piece.numel() for piece in pieces] != lengths:
        return None
    return [pieces[place].reshape(shape) for place, shape in order]
