"""What runs on shadows in another way than on CUDA tensors: mostly what torch has for CUDA only."""

from typing import Any

import torch

aten = torch.ops.aten


def _lstm_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    cell: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    hidden_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, ...]:
    gates = input_gates + hidden_gates
    if input_bias is not None and hidden_bias is not None:
        gates = gates + input_bias + hidden_bias
    enter, forget, new, leave = gates.chunk(4, 1)
    enter, forget, new, leave = enter.sigmoid(), forget.sigmoid(), new.tanh(), leave.sigmoid()
    after = forget * cell + enter * new
    return leave * after.tanh(), after, torch.cat([enter, forget, new, leave], 1)


def _lstm_cell_backward(
    grad_hidden: torch.Tensor | None,
    grad_cell: torch.Tensor | None,
    before: torch.Tensor,
    after: torch.Tensor,
    workspace: torch.Tensor,
    has_bias: bool,
) -> tuple[torch.Tensor, ...]:
    enter, forget, new, leave = workspace.chunk(4, 1)
    hidden = torch.zeros_like(after) if grad_hidden is None else grad_hidden
    top = after.tanh()
    cell = hidden * leave * (1 - top * top) + (0 if grad_cell is None else grad_cell)
    slopes = (
        cell * new * enter * (1 - enter),
        cell * before * forget * (1 - forget),
        cell * enter * (1 - new * new),
        hidden * top * leave * (1 - leave),
    )
    gates = torch.cat(slopes, 1)
    return gates, cell * forget, gates.sum(0) if has_bias else torch.empty(0)


def _gru_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    hidden: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    hidden_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, ...]:
    if input_bias is not None and hidden_bias is not None:
        input_gates, hidden_gates = input_gates + input_bias, hidden_gates + hidden_bias
    (x_reset, x_update, x_new), (h_reset, h_update, h_new) = input_gates.chunk(3, 1), hidden_gates.chunk(3, 1)
    reset, update = (x_reset + h_reset).sigmoid(), (x_update + h_update).sigmoid()
    new = (x_new + reset * h_new).tanh()
    return new + update * (hidden - new), torch.cat([reset, update, new, hidden, h_new], 1)


def _gru_cell_backward(grad: torch.Tensor, workspace: torch.Tensor, has_bias: bool) -> tuple[Any, ...]:
    reset, update, new, hidden, h_new = workspace.chunk(5, 1)
    slope_update = grad * (hidden - new) * update * (1 - update)
    slope_new = grad * (1 - update) * (1 - new * new)
    slope_reset = slope_new * h_new * reset * (1 - reset)
    inputs = torch.cat([slope_reset, slope_update, slope_new], 1)
    hiddens = torch.cat([slope_reset, slope_update, slope_new * reset], 1)
    biases = (inputs.sum(0), hiddens.sum(0)) if has_bias else (torch.empty(0), torch.empty(0))
    return inputs, hiddens, grad * update, *biases


SHADOWS = {
    aten._thnn_fused_lstm_cell.default: _lstm_cell,
    aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,
    aten._thnn_fused_gru_cell.default: _gru_cell,
    aten._thnn_fused_gru_cell_backward.default: _gru_cell_backward,
    # Fake tensors do not know whether they are coalesced, so `coalesce` passes them by.
    aten.values.default: lambda tensor: tensor.coalesce().values(),
    aten.indices.default: lambda tensor: tensor.coalesce().indices(),
    aten._use_cudnn_ctc_loss.Tensor: lambda *args: False,
    aten._use_miopen_ctc_loss.Tensor: lambda *args: False,
}
