"""Convolutions with what follows them."""

from typing import Any, Literal

import torch
from torch import Tensor

from ...kernels.convolution import Window, bias_gradient
from ...kernels.prepacked_convolution import Filters, Form, Unary
from ...kernels.tuning import Candidates, run_best
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.convolution import Convolution, convolution
from ...ops.nn.inputs import optional, weighted
from ...ops.nn.pooling import Pooling, pooling
from ...ops.params import Floats, Shape
from .table import fused

_LAST = torch.channels_last

_LARGEST = 1 << 19  # numbers in all filters: each thread collects their gradients in memory of its own


class ConvolutionPooled(Rule):
    """Of two spatial axes, channels first; the result of the convolution itself is not kept."""

    worth = 4

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        pooling = {"kernel": params["pool_kernel"], "pooling_convention": params.get("pooling_convention", "valid")}
        pooling |= {name: params[f"pool_{name}"] for name in ("stride", "pad") if f"pool_{name}" in params}
        known = ("kernel", "stride", "pad", "num_filter", "no_bias")
        own = {name: params[name] for name in known if name in params}
        result, of_convolution = Convolution.forward(arguments, own, needs)
        pooled, of_pooling = Pooling.forward((result,), pooling, (True,))
        return pooled, (of_convolution, of_pooling)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        ((data, weight, window), (_, geometry, _)), grad = saved, grads[0]
        assert grad is not None
        if len(geometry or ()) != 3 or weight.numel() > _LARGEST:
            return _through_the_result(grad, saved, needs)
        work = ("pooled", tuple(data.shape), tuple(weight.shape), window, geometry, needs[:2])
        found: Grads = run_best(work, _WAYS, grad.contiguous(memory_format=_LAST), saved, needs)
        return found


def _through_the_result(grad: Tensor, saved: Any, needs: Needs) -> Grads:
    """By the gradient of the convolution's result, which is mostly zeros."""
    of_convolution, of_pooling = saved
    return Convolution.backward(of_convolution, Pooling.backward(of_pooling, (grad,), (True,)), needs)


def _past_the_result(grad: Tensor, saved: Any, needs: Needs) -> Grads:
    """From what was chosen to where it came from."""
    (data, weight, window), (_, geometry, taps) = saved
    assert isinstance(window, Window)
    ours, moves = torch.ops.regluon, (window.stride, window.pad, *geometry)
    of_data = ours.pooled_data_gradient.default(grad, taps, weight, data.shape[2:], *moves) if needs[0] else None
    of_weight = ours.pooled_weight_gradient.default(grad, taps, data, window.kernel, *moves) if needs[1] else None
    return (of_data, of_weight, bias_gradient(grad) if len(needs) > 2 and needs[2] else None)[: len(needs)]


_WAYS: Candidates = (("dense", _through_the_result), ("sparse", _past_the_result))


@fused("_convolution_pooled", takes=weighted("data"), gradient=ConvolutionPooled)
def convolution_pooled(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    pad: Shape = (),
    num_filter: int,
    no_bias: bool = False,
    pool_kernel: Shape,
    pool_stride: Shape = (),
    pool_pad: Shape = (),
    pooling_convention: Literal["valid", "full"] = "valid",
) -> Tensor:
    """A convolution of images and the maxima over windows of its result.

    Args:
        data: (batch, channels, height, width).
        weight: (num_filter, channels, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; see Convolution for this and what follows.
        stride: step of the filters.
        pad: zeros around the data.
        num_filter: number of filters.
        no_bias: whether there is no bias.
        pool_kernel: size of the windows; see Pooling for this and what follows.
        pool_stride: step of the windows.
        pool_pad: how far windows reach beyond the result.
        pooling_convention: what happens to elements at the end that do not fill a window.
    """
    result = convolution(
        data, weight, bias, kernel=kernel, stride=stride, pad=pad, num_filter=num_filter, no_bias=no_bias
    )
    return pooling(result, kernel=pool_kernel, stride=pool_stride, pad=pool_pad, pooling_convention=pooling_convention)


@fused("_packed_weight")
def packed_weight(
    weight: Tensor,
    *,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_group: int,
    size: Shape = (),
    unary: Unary = "none",
    limits: Floats = (),
    is_tuned: bool = True,
) -> Any:
    """The weight of a 2-D convolution for `_fused_convolution`.

    Args:
        weight: (filters, channels of a group, height, width).
        stride: step of the filters.
        dilate: distance between the elements of a filter.
        pad: zeros added on both sides of the data.
        num_group: number of groups of channels.
        size: the shape of the data, if it is known.
        unary: the activation that follows.
        limits: the bounds of 'hardtanh'.
        is_tuned: whether to find the quickest kernel, or take the usual one.
    """
    return Filters(weight, Form(stride, dilate, pad, num_group, unary, limits, size), is_tuned)


@fused("_fused_convolution", takes=optional("data", "weight", bias="with_bias", addend="with_addend"))
def fused_convolution(
    data: Tensor,
    weight: Any,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """A 2-D convolution, the sum with another array, and an activation.

    Args:
        data: (batch, channels, height, width).
        weight: made by `_packed_weight`.
        bias: (filters,).
        addend: added to the result before the activation.
        with_bias: whether there is a bias.
        with_addend: whether there is an addend.
    """
    result: Tensor = weight.kernel(data, bias, addend)
    return result
