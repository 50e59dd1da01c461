"""Gradients of normalizations."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...kernels.eligibility import kernels_for
from ..nn.normalization import batch_norm_by_batch, layer_norm
from .rule import Arguments, Grads, Needs, Rule, gradient_of


def _channels_last(data: Tensor) -> Tensor:
    return data.contiguous(memory_format=torch.channels_last) if data.dim() == 4 else data.contiguous()


def _batch_norm_kernels(arguments: Arguments, other: Tensor | None) -> Any:
    """The kernels if they suit these arguments: channels have to be last in memory."""
    data, *vectors = arguments
    assert data is not None
    is_last = data.is_contiguous(memory_format=torch.channels_last) if data.dim() == 4 else data.is_contiguous()
    if not is_last or data.dim() not in (2, 4) or data.dtype is not torch.float32 or not data.is_cpu or 0 in data.shape:
        return None
    if other is not None and (other.shape != data.shape or other.dtype is not data.dtype):
        return None
    if any(vector is None or vector.shape != data.shape[1:2] for vector in vectors):
        return None
    return kernels_for(*vectors)


def batch_norm_forward(
    arguments: Arguments, other: Tensor | None, activated: bool, params: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Result and new averages, as operators return them, and what the gradient needs."""
    data, gamma, beta, mean, var = arguments
    assert data is not None
    ours = _batch_norm_kernels(arguments, other)
    if ours is None:
        (result, updates), saved = batch_norm_by_batch(*arguments, **params)  # type: ignore[arg-type]
        if activated:
            result = (result if other is None else result.add_(other)).relu_()
        return (result, updates), (saved, result, None)
    scale = None if params.get("fix_gamma", True) else gamma
    eps, momentum = params.get("eps", 0.0010000000474974513), params.get("momentum", 0.9)
    second = None if other is None else _channels_last(other)
    result, centre, inverse, *updates = ours.batch_norm(data, second, scale, beta, mean, var, eps, momentum, activated)
    return (result, tuple(updates)), ((data, scale, beta, centre, inverse), result, ours)


def batch_norm_backward(saved: Any, grad: Tensor, has_other: bool, activated: bool, needs: Needs) -> Grads:
    """Of data, gamma and beta, of the averages, which have none, and of the other summand."""
    kept, result, ours = saved
    if ours is not None:
        data, scale, beta, centre, inverse = kept
        grad = _channels_last(grad)
        if has_other:
            upper, *found = ours.batch_norm_sum_backward(grad, data, result, scale, centre, inverse)
        else:
            upper, found = None, ours.batch_norm_backward(grad, data, scale, beta, centre, inverse, activated)
        wanted = (needs[0], needs[1] and scale is not None, needs[2])
    else:
        data, gamma, centre, inverse, eps, fixed = kept
        upper = torch.ops.aten.threshold_backward(grad, result, 0) if activated else grad
        wanted = (needs[0], needs[1] and not fixed, needs[2])
        if data.numel() == 0:  # torch divides by their number
            found = torch.zeros_like(data), torch.zeros_like(gamma), torch.zeros_like(gamma)
        else:
            found = torch.ops.aten.native_batch_norm_backward(
                upper, data, gamma, None, None, centre, inverse, True, eps, wanted
            )
    grads = [each if want else None for each, want in zip(found, wanted, strict=True)]
    return *grads, None, None, upper if has_other and needs[5] else None


@gradient_of("BatchNorm")
class BatchNorm(Rule):
    """In training, by the statistics of the batch; channels are axis 1."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        is_usual = params["axis"] == 1 and not params["output_mean_var"]
        return is_usual and bool(params.get("training")) and not params["use_global_stats"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return batch_norm_forward(arguments, None, False, params)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return batch_norm_backward(saved, grads[0], False, False, needs)


def check_layer_norm(data: Tensor, gamma: Tensor | None, beta: Tensor | None) -> None:
    """Refuses what does not fit, and says why."""
    length = data.shape[-1:]
    is_ordinary = data.dim() > 0 and all(
        each is not None and each.shape == length and each.dtype is data.dtype for each in (gamma, beta)
    )
    if not is_ordinary:
        layer_norm(data, gamma, beta)  # says what is wrong


def layer_norm_forward(data: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> tuple[Tensor, Any]:
    """The result, and what the gradient needs."""
    ours = kernels_for(data, gamma, beta)
    if ours is not None:
        result, mean, inverse = ours.layer_norm(data, gamma, beta, eps)
    else:
        result, mean, inverse = torch.native_layer_norm(data, data.shape[-1:], gamma, beta, eps)
    return result, (data, mean, inverse, gamma, beta, ours)


def layer_norm_backward(saved: Any, grad: Tensor, needs: Needs) -> tuple[Tensor | None, ...]:
    """Of the data, gamma and beta; a fourth for a bias in the data, if one is asked for."""
    data, mean, inverse, gamma, beta, ours = saved
    wants_bias = len(needs) > 3 and needs[3]
    if ours is not None:
        found = ours.layer_norm_backward(grad.contiguous(), data, mean, inverse, gamma)
    else:
        found = torch.ops.aten.native_layer_norm_backward(
            grad, data, data.shape[-1:], mean, inverse, gamma, beta, (needs[0] or wants_bias, *needs[1:3])
        )
        if wants_bias:
            found = (*found, found[0].reshape(-1, data.shape[-1]).sum(0))
    return tuple([each if needed else None for each, needed in zip(found, needs, strict=False)])


@gradient_of("LayerNorm")
class LayerNorm(Rule):
    """Along the last axis."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["axis"] == -1 and not params["output_mean_var"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, gamma, beta = arguments
        assert data is not None
        check_layer_norm(data, gamma, beta)
        return layer_norm_forward(data, gamma, beta, params.get("eps", 1e-5))  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return layer_norm_backward(saved, grads[0], needs)  # type: ignore[arg-type]
