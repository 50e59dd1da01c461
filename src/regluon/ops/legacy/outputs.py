"""First versions of layers, kept for graphs that were saved long ago; their edges differ from those of today."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, grad_needed
from ..nn.checks import expect_window_fits, per_axis, weighted
from ..nn.convolution import Tuning, convolution
from ..nn.normalization import BATCH_NORM, STATISTICS, batch_norm
from ..params import Shape, Training
from ..registry import operator


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 3 if params["output_mean_var"] else 1


def _batch_norm_shapes(data: Shape, **_: Any) -> dict[str, Shape]:
    shape = (data[1],)
    return {"gamma": shape, "beta": shape, "moving_mean": shape, "moving_var": shape}


@operator(
    "BatchNorm_v1",
    outputs=_num_outputs,
    completes=_batch_norm_shapes,
    total_outputs=3,
    output_names=STATISTICS,
    **BATCH_NORM,
)
def batch_norm_v1(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    training: Training,
) -> Any:
    """Batch normalization of axis 1; new code uses `BatchNorm`.

    Args:
        data: (batch, channels, *sizes).
        gamma: (channels,).
        beta: (channels,).
        moving_mean: (channels,); average over past batches, updated in training.
        moving_var: (channels,); likewise.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        use_global_stats: whether to use the moving averages in training too, and leave them alone.
        output_mean_var: whether to return the mean and the variance of the channels as well.
        training: whether the batch counts.
    """
    outputs, updates = batch_norm(
        data,
        gamma,
        beta,
        moving_mean,
        moving_var,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
        output_mean_var=output_mean_var,
        training=training,
    )
    if not output_mean_var:
        return outputs, updates
    result, mean, inverse = outputs
    return (result, mean, inverse.pow(-2) - eps), updates


def _conv_shapes(
    data: Shape, *, kernel: Shape, num_filter: int, num_group: int, no_bias: bool, **_: Any
) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {"weight": (num_filter, data[1] // max(num_group, 1), *kernel)}
    return shapes if no_bias else {**shapes, "bias": (num_filter,)}


@operator("Convolution_v1", completes=_conv_shapes, takes=weighted("data"))
def convolution_v1(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Tuning | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None,
) -> Tensor:
    """Convolves a batch of images or volumes with learned filters; new code uses `Convolution`.

    Args:
        data: (batch, channels, *sizes).
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters along 2 or 3 spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: 'NCHW' or 'NCDHW'; the others are refused.
    """
    if len(kernel) not in (2, 3):
        raise OpParamError(f"kernel={kernel}; expected the sizes of 2 or 3 spatial axes")
    if layout in ("NHWC", "NDHWC"):
        raise OpParamError(f"layout={layout!r}; expected 'NCHW' or 'NCDHW'. Convolution knows the others")
    return convolution(
        data,
        weight,
        bias,
        kernel=kernel,
        stride=stride,
        dilate=dilate,
        pad=pad,
        num_filter=num_filter,
        num_group=num_group,
        no_bias=no_bias,
        layout=layout,
    )


def _num_windows(size: int, kernel: int, stride: int, pad: int, convention: str) -> int:
    free = size + 2 * pad - kernel
    if convention == "valid":
        return free // stride + 1
    return -(-free // stride) + 1


def _maxima(data: Tensor, kernel: Shape, stride: Shape) -> Tensor:
    """Maxima of windows. All elements that equal the maximum get its gradient, where today's `Pooling` picks one."""
    if not grad_needed(data):
        return functional.max_pool2d(data, kernel, stride)
    windows = data.unfold(2, kernel[0], stride[0]).unfold(3, kernel[1], stride[1])
    highest = windows.detach().amax((4, 5), keepdim=True)
    # A window beyond the data has nothing in it, and infinity less infinity is no number.
    zeros = torch.where((windows == highest) & highest.isfinite(), windows - highest, 0)
    return zeros.sum((4, 5)) + highest[..., 0, 0]


@operator("Pooling_v1")
def pooling_v1(
    data: Tensor,
    *,
    kernel: Shape = (),
    pool_type: Literal["avg", "max", "sum"] = "max",
    global_pool: bool = False,
    pooling_convention: Literal["full", "valid"] = "valid",
    stride: Shape = (),
    pad: Shape = (),
) -> Tensor:
    """Takes the maximum, mean or sum over windows of images; new code uses `Pooling`.

    Padding is zeros even for the maximum, and the mean of a window that reaches beyond the padded data still divides
    by the size of a whole window.

    Args:
        data: (batch, channels, height, width).
        kernel: size of the windows.
        pool_type: what is taken.
        global_pool: takes the whole data as one window.
        pooling_convention: 'valid' leaves out elements at the end that do not fill a window, 'full' keeps a partial
            window.
        stride: step of the windows, 1 if not given.
        pad: zeros on both sides of the data, none if not given.
    """
    expect_floating(data)
    if data.dim() != 4:
        raise OpShapeError(f"expected data of shape (batch, channels, height, width), got {tuple(data.shape)}")
    sizes: Shape = tuple(data.shape[2:])
    pads: Shape = (0, 0)
    if global_pool:
        kernel, stride = sizes, (1, 1)
    else:
        if len(kernel) != 2 or min(kernel) < 1:
            raise OpParamError(f"kernel={kernel}; expected 2 sizes for the spatial axes, none below 1")
        stride, pads = per_axis("stride", stride, 2, 1, 1), per_axis("pad", pad, 2, 0, 0)
        expect_window_fits(sizes, kernel, pads)
    if any(pads):
        data = functional.pad(data, (pads[1], pads[1], pads[0], pads[0]))
    beyond = []
    for n, k, s, p in zip(sizes, kernel, stride, pads, strict=True):
        windows = 1 if global_pool else _num_windows(n, k, s, p, pooling_convention)
        beyond.append(max((windows - 1) * s + k - n - 2 * p, 0))
    if any(beyond):
        filling = -math.inf if pool_type == "max" else 0.0
        data = functional.pad(data, (0, beyond[1], 0, beyond[0]), value=filling)
    if pool_type == "max":
        return _maxima(data, kernel, stride)
    return functional.avg_pool2d(data, kernel, stride, divisor_override=1 if pool_type == "sum" else None)
