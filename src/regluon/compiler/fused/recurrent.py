"""Recurrent networks whose weights are not joined to one vector."""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from ...kernels.recurrent import is_available
from ...kernels.recurrent_layout import weights_of
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.rnn import (
    ByTorch,
    Network,
    num_rnn_outputs,
    recurrent_result,
    rnn,
    run_layers_backward,
    run_torch,
    run_torch_backward,
    start,
)
from ...ops.params import Rng, Training
from ...ops.shape_rules import Params, Result, Specs
from .table import fused


def _shapes(specs: Specs, params: Params) -> Result:
    # The first piece stands for the vector, of which only the dtype is looked at.
    count = 3 if params["mode"] == "lstm" else 2
    return recurrent_result([specs[0], specs[count], *specs[1:count]], params) if len(specs) > count else None


class PartedNetwork(Rule):
    """With each weight by itself."""

    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        inputs: list[Tensor] = list(arguments)  # type: ignore[arg-type]
        own = {name: value for name, value in params.items() if name not in ("training", "rng", "state_outputs")}
        call = parted(inputs, **own)
        if call is None or not is_available(params["mode"], inputs[0]):
            return run_torch(rnn_by_parts, arguments, params, needs)
        count = 3 if params["mode"] == "lstm" else 2
        return start(params, *call, (count, [piece.shape for piece in inputs[count:]]))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        if isinstance(saved, ByTorch):
            return run_torch_backward(saved, grads)
        layers, (count, shapes) = saved
        data, hidden, cell, found = run_layers_backward(layers, grads, needs[0], any(needs[count:]))
        states = [hidden] if cell is None else [hidden, cell]
        # In the order of the vector: all weights, then all biases.
        pieces = [grad for kind in (0, 2) for place in range(0, len(found), 4) for grad in found[place + kind :][:2]]
        parts: list[Tensor | None] = [None] * len(shapes)
        for place, (grad, shape) in enumerate(zip(pieces, shapes, strict=bool(pieces))):
            # A view would hold the memory, which the variable is to take over.
            parts[place] = grad if grad.shape == shape else grad.reshape(shape)
        return [grad if need else None for grad, need in zip((data, *states, *parts), needs, strict=True)]


@fused("_rnn_by_parts", outputs=num_rnn_outputs, count_param="num_args", shape=_shapes, gradient=PartedNetwork)
def rnn_by_parts(
    *data: Tensor,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    training: Training,
    rng: Rng,
) -> Tensor | tuple[Tensor, ...]:
    """`RNN` without its vector of parameters, which is not joined: an operator of our own, in no saved graph.

    Args:
        data: the data, the hidden states, of `lstm` the cell states, and what the vector would be joined of.
        state_size: see `RNN`.
        num_layers: see `RNN`.
        bidirectional: see `RNN`.
        mode: see `RNN`.
        p: see `RNN`.
        state_outputs: see `RNN`.
        training: see `RNN`.
        rng: see `RNN`.
    """
    how: dict[str, Any] = {"bidirectional": bidirectional, "mode": mode, "state_size": state_size}
    call = parted(data, num_layers=num_layers, p=p, **how)
    if call is None:  # or what is wrong is said there
        count = 3 if mode == "lstm" else 2
        vector = torch.cat([piece.reshape(-1) for piece in data[count:]])
        how.update(num_layers=num_layers, p=p, state_outputs=state_outputs, training=training, rng=rng)
        return rnn(data[0], vector, *data[1:count], **how)
    inputs, state, cell, weights = call
    network = Network(mode, weights, 4, bidirectional, None, p if training else 0.0, rng)
    output, last, last_cell = network.run(inputs, state, cell, None)
    if not state_outputs:
        return output
    return (output, last) if last_cell is None else (output, last, last_cell)


def parted(
    inputs: Sequence[Tensor],
    *,
    state_size: int,
    num_layers: int,
    mode: str,
    bidirectional: bool = False,
    p: float = 0.0,
    **_: Any,
) -> tuple[Tensor, Tensor, Tensor | None, list[Tensor]] | None:
    """Data, hidden and cell states, and weights in the order of `weights_in`, from the inputs of `_rnn_by_parts`.

    None if they do not fit together, or the vector would be cut in other places than it is joined at.
    """
    count = 3 if mode == "lstm" else 2
    data, state = inputs[:2]
    if data.dim() != 3 or data.is_meta or not data.is_floating_point() or not 0 <= p <= 1 or data.shape[0] == 0:
        return None
    shape = (num_layers * (2 if bidirectional else 1), data.shape[1], state_size)
    if any(each.shape != shape for each in inputs[1:count]) or len({each.dtype for each in inputs}) > 1:
        return None
    weights = weights_of(inputs[count:], mode, data.shape[2], state_size, num_layers, bidirectional, None)
    return None if weights is None else (data, state, inputs[2] if count == 3 else None, weights)
