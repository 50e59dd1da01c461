"""Sums over many rows for normalizations, where torch's kernels for CPUs add up row after row in single precision.

The error of such sums grows with the number of rows; here chunks of rows are added up.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..torch_private import native_layer_norm_backward

_CHUNK = 256  # rows that may be added up one by one


def sums_row_by_row(data: Tensor) -> bool:
    """Whether torch's kernel adds up the data one row after the other: the more rows, the less exact."""
    is_last = data.dim() == 4 and data.is_contiguous(memory_format=torch.channels_last)
    return (
        is_last
        and data.device.type == "cpu"
        and not data.is_contiguous()
        and data.dtype not in (torch.float16, torch.bfloat16)
    )


def statistics_of_rows(data: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of channels that are last in memory: those of chunks of rows, combined."""
    mean = data.mean((0, 2, 3))
    chunks = data.permute(0, 2, 3, 1).reshape(-1, data.shape[1]).split(16 * _CHUNK)
    count, parts = data.numel() // data.shape[1], []
    for rows in chunks:
        rough, var = torch.batch_norm_update_stats(rows.t()[None, :, None], None, None, 0.0)
        parts.append((var + (rough - mean).square()) * (rows.shape[0] / count))
    return mean, torch.stack(parts).sum(0)


def layer_norm_gradients(
    grad: Tensor, data: Tensor, mean: Tensor, inverse: Tensor, gamma: Tensor, beta: Tensor, needs: Sequence[bool]
) -> tuple[Tensor | None, ...]:
    """Gradients of the data, gamma and beta for normalization along the last axis, those that are needed.

    Torch's kernel for CPUs adds one row after the other to the gradients of gamma and beta, so that their error grows
    with the number of rows. Chunks of rows are added up in pairs instead.
    """
    backward, length = native_layer_norm_backward, data.shape[-1:]
    if not is_long(data) or not (needs[1] or needs[2]):
        found: tuple[Tensor | None, ...] = backward(grad, data, length, mean, inverse, gamma, beta, list(needs))
        return found
    of_data = None
    if needs[0]:
        of_data = backward(grad, data, length, mean, inverse, gamma, beta, [True, False, False])[0]
    chunks = [tensor.reshape(-1, tensor.shape[-1]).split(_CHUNK) for tensor in (grad, data, mean, inverse)]
    parts = [
        backward(above, rows, length, centre, scale, gamma, beta, [False, *needs[1:3]])[1:]
        for above, rows, centre, scale in zip(*chunks, strict=True)
    ]
    sums = [
        torch.stack(each).sum(0) if need else None
        for each, need in zip(zip(*parts, strict=True), needs[1:3], strict=True)
    ]
    return of_data, *sums


def is_long(rows: Tensor) -> bool:
    """Whether gradients of gamma and beta are sums over more rows than torch's kernel adds up well."""
    return rows.device.type == "cpu" and rows.numel() > 2 * _CHUNK * rows.shape[-1]


class LongLayerNorm(torch.autograd.Function):
    """Normalization of many rows, with gradients by `layer_norm_gradients`."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
        """Along the last axis."""
        result, mean, inverse = torch.native_layer_norm(data, data.shape[-1:], gamma, beta, eps)
        ctx.save_for_backward(data, mean, inverse, gamma, beta)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """Torch can differentiate it again."""
        data, mean, inverse, gamma, beta = ctx.saved_tensors
        return *layer_norm_gradients(grads[0], data, mean, inverse, gamma, beta, ctx.needs_input_grad[:3]), None
