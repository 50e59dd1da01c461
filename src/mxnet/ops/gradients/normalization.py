"""Gradients of normalizations."""

from collections.abc import Mapping
from typing import Any

import torch

from ..normalization import batch_norm_by_batch, layer_norm
from .rule import Arguments, Grads, Needs, Rule, gradient_of


@gradient_of("BatchNorm")
class BatchNorm(Rule):
    """In training, by the statistics of the batch; channels are axis 1."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        is_usual = params["axis"] == 1 and not params["output_mean_var"]
        return is_usual and bool(params.get("training")) and not params["use_global_stats"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return batch_norm_by_batch(*arguments, **params)  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, gamma, mean, inverse, eps, fixed = saved
        wanted = (needs[0], needs[1] and not fixed, needs[2])
        found = torch.ops.aten.native_batch_norm_backward(
            grads[0], data, gamma, None, None, mean, inverse, True, eps, wanted
        )
        return *(each if want else None for each, want in zip(found, wanted, strict=True)), None, None


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
        length = data.shape[-1:]
        is_ordinary = data.dim() > 0 and all(
            each is not None and each.shape == length and each.dtype is data.dtype for each in (gamma, beta)
        )
        if not is_ordinary:
            layer_norm(*arguments, **params)  # says what is wrong
        result, mean, inverse = torch.native_layer_norm(data, length, gamma, beta, params.get("eps", 1e-5))
        return result, (data, length, mean, inverse, gamma, beta)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, length, mean, inverse, gamma, beta = saved
        found: Grads = torch.ops.aten.native_layer_norm_backward(
            grads[0], data, length, mean, inverse, gamma, beta, needs
        )
        return found
