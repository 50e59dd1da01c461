"""Layers in 8 bits with what follows them."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...kernels.quantized import Kernel, Outcome, Window, convolution, dense
from ...ops.nn.checks import optional
from ...ops.params import Shape
from .table import fused

_DTYPES = {"int8": torch.int8, "uint8": torch.uint8, "float32": torch.float32}


def _packed_names(params: Mapping[str, Any]) -> tuple[str, ...]:
    bias = ("bias", "min_bias", "max_bias") if params["with_bias"] else ()
    norm = ("gamma", "beta", "mean", "var") if params["with_norm"] else ()
    return ("weight", "min_weight", "max_weight", *bias, *norm)


class Layer:
    """A layer that is ready to run, and the limits of its results."""

    __slots__ = ("dtype", "kernel", "limits", "shape")

    def __init__(self, kernel: Kernel, limits: tuple[Tensor, Tensor], weight: Tensor) -> None:
        self.kernel, self.limits, self.dtype, self.shape = kernel, limits, weight.dtype, weight.shape


def _magnitude(low: Any, high: Any) -> Tensor:
    return torch.maximum(low.abs(), high.abs())


@fused("_packed_quantized_layer", takes=_packed_names)
def packed_quantized_layer(
    weight: Tensor,
    min_weight: Tensor,
    max_weight: Tensor,
    bias: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    gamma: Tensor | None = None,
    beta: Tensor | None = None,
    mean: Tensor | None = None,
    var: Tensor | None = None,
    *,
    kind: Literal["convolution", "dense"],
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_group: int = 1,
    with_bias: bool,
    data_real: float,
    data_levels: float,
    zero_point: int,
    real: float,
    levels: int,
    with_norm: bool = False,
    norm_real: float = 0.0,
    eps: float = 0.0,
    gain: float = 1.0,
    addend_gain: float = 0.0,
    is_activated: bool = False,
    dtype: Literal["float32", "uint8", "int8"],
    low: float,
    high: float,
) -> Any:
    """The weight of a layer in 8 bits, for `_quantized_layer`.

    Args:
        weight: int8, (filters, ...).
        min_weight: its limits.
        max_weight: likewise.
        bias: int8, (filters,).
        min_bias: its limits.
        max_bias: likewise.
        gamma: of a batch normalization behind the layer, as are the next three.
        beta: as above.
        mean: as above.
        var: as above.
        kind: which layer.
        stride: step of the filters.
        dilate: distance between the elements of a filter.
        pad: zeros added on both sides of the data.
        num_group: number of groups of channels.
        with_bias: whether there is a bias.
        data_real: the largest magnitude of the data.
        data_levels: how many levels that is, as dense layers count them.
        zero_point: 128 for data in int8 that may be negative, else 0.
        real: the largest magnitude of the layer's results.
        levels: how many levels that is.
        with_norm: whether a batch normalization follows.
        norm_real: the largest magnitude of its results.
        eps: added to its variance.
        gain: what levels are multiplied by after all that.
        addend_gain: what the levels of an addend are multiplied by.
        is_activated: whether numbers below 0 become 0.
        dtype: of the result.
        low: the limits of the result.
        high: likewise.
    """
    is_dense = kind == "dense"
    weight_real = _magnitude(min_weight, max_weight)
    unit = (data_real / 127) * (weight_real / (255 if is_dense and data_levels > 200 else 127))
    factor = (unit * (levels / real)).expand(len(weight))
    offset = torch.zeros_like(factor)
    if bias is not None:
        scale: Tensor | float = 1.0
        if is_dense:
            bias_real = _magnitude(min_bias, max_bias)
            scale = (data_levels / data_real) * (127.5 / weight_real) * bias_real / 127.5
        offset = (bias.to(torch.float32) * scale).trunc() * factor
    if gamma is not None and beta is not None and mean is not None and var is not None:
        slope = gamma * torch.rsqrt(var + eps)
        own = slope * (real / norm_real) / (1 + eps) ** 0.5
        factor, offset = factor * own, offset * own + (beta - mean * slope) * (127.5 / norm_real)
    bound = levels * gain
    factor, offset = (factor * gain).contiguous(), (offset * gain).contiguous()
    result = Outcome(factor, offset, addend_gain, is_activated, _DTYPES[dtype], bound)
    limits = torch.full((1,), low, device=weight.device), torch.full((1,), high, device=weight.device)
    if is_dense:
        return Layer(dense(weight, result, zero_point), limits, weight)
    return Layer(convolution(weight, Window(stride, pad, dilate, num_group), result, zero_point), limits, weight)


@fused("_quantized_layer", outputs=3, returns_view=True, takes=optional("data", "layer", addend="with_addend"))
def quantized_layer(
    data: Tensor, layer: Any, addend: Tensor | None = None, *, with_addend: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """A layer in 8 bits, the sum with another array, and an activation.

    Args:
        data: int8 or uint8.
        layer: made by `_packed_quantized_layer`.
        addend: int8, added to the result before the activation.
        with_addend: whether there is an addend.

    Returns:
        The result and its limits.
    """
    return layer.kernel(data, addend), *layer.limits


@fused("_quantized_layer_to_real")
def quantized_layer_to_real(data: Tensor, layer: Any) -> Tensor:
    """A layer in 8 bits with a result in real numbers.

    Args:
        data: int8 or uint8.
        layer: made by `_packed_quantized_layer`.
    """
    result: Tensor = layer.kernel(data, None)
    return result


@fused("_quantized_rows", returns_view=True)
def quantized_rows(data: Tensor) -> Tensor:
    """The data of a dense layer: all axes but the first joined."""
    return data.reshape(len(data), -1)
