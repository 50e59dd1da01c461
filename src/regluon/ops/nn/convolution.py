"""Convolution, its transpose, and the unfolding of images into columns."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ...kernels.convolution import (
    Recorded,
    Window,
    bias_gradient,
    convolve,
    data_gradient,
    weight_gradient,
)
from ...kernels.eligibility import suits_kernels
from ...kernels.layout import to_channels_last
from ...kernels.prepacked_convolution import is_available
from ...torch_private import convolution_backward
from ..common import expect_floating, expect_shape, grad_needed, prod, reaching, remembered, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import from_results, row_by_row, rows_before, unknown
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
from .checks import expect_bias, expect_window_fits, explain_channels, is_channels_last, per_axis, weighted

Tuning = Literal["fastest", "limited_workspace", "off"]
Layout = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"]


class _Window(NamedTuple):
    """How the kernel moves over the data, one number per spatial axis."""

    stride: Shape
    dilate: Shape
    pad: Shape
    span: Shape  # the kernel's size with the gaps of its dilation
    channels_last: bool


def _window(kernel: Shape, stride: Shape, dilate: Shape, pad: Shape, layout: str | None) -> _Window:
    ndim = len(kernel)
    if not 1 <= ndim <= 3 or min(kernel) < 1:
        raise OpParamError(f"kernel={kernel}; expected the sizes of 1, 2 or 3 spatial axes, none below 1")
    steps = per_axis("stride", stride, ndim, 1, 1)
    dilates = per_axis("dilate", dilate, ndim, 1, 1)
    pads = per_axis("pad", pad, ndim, 0, 0)
    span = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilates, strict=True))
    return _Window(steps, dilates, pads, span, is_channels_last(layout, ndim))


def _channels(data: Shape, kernel: Shape, layout: str | None, num_filter: int, num_group: int) -> int:
    """The number of channels of the data; refuses data, filters and groups that do not go together."""
    ndim = len(kernel)
    if len(data) != ndim + 2:
        order = layout or ("NCW", "NCHW", "NCDHW")[ndim - 1]
        raise OpShapeError(f"kernel={kernel} needs data of {ndim + 2} dimensions ({order}), got {len(data)}")
    if num_filter < 1 or num_group < 1:
        raise OpParamError(f"num_filter={num_filter} and num_group={num_group}; expected numbers not below 1")
    channels = data[-1] if is_channels_last(layout, ndim) else data[1]
    if channels % num_group or num_filter % num_group:
        raise OpShapeError(f"num_group={num_group} divides the {channels} channels or num_filter={num_filter} unevenly")
    return channels


def _in_layout(weight: Shape, channels_last: bool) -> Shape:
    return (weight[0], *weight[2:], weight[1]) if channels_last else weight


def _conv_shapes(
    data: Shape, *, kernel: Shape, num_filter: int, num_group: int, no_bias: bool, layout: str | None, **_: Any
) -> dict[str, Shape]:
    channels = _channels(data, kernel, layout, num_filter, num_group)
    weight = (num_filter, channels // num_group, *kernel)
    shapes = {"weight": _in_layout(weight, is_channels_last(layout, len(kernel)))}
    return shapes if no_bias else {**shapes, "bias": (num_filter,)}


def _deconv_shapes(
    data: Shape, *, kernel: Shape, num_filter: int, num_group: int, no_bias: bool, layout: str | None, **_: Any
) -> dict[str, Shape]:
    channels = _channels(data, kernel, layout, num_filter, num_group)
    weight = (channels, num_filter // num_group, *kernel)
    shapes = {"weight": _in_layout(weight, is_channels_last(layout, len(kernel)))}
    return shapes if no_bias else {**shapes, "bias": (num_filter,)}


@remembered
def _plan(
    data: Shape,
    transposed: bool,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> tuple[_Window, Shape]:
    """The window and the weight's shape for data of this shape; kept, since small kernels take less time."""
    window = _window(kernel, stride, dilate, pad, layout)
    rule = _deconv_shapes if transposed else _conv_shapes
    shapes = rule(data, kernel=kernel, num_filter=num_filter, num_group=num_group, no_bias=True, layout=layout)
    if not transposed:
        expect_window_fits(data[1:-1] if window.channels_last else data[2:], window.span, window.pad)
    return window, shapes["weight"]


def _check_inputs(
    data: Tensor, weight: Tensor, bias: Tensor | None, no_bias: bool, shape: Shape, num_filter: int, last: bool
) -> None:
    if no_bias is not (bias is None):
        expect_bias(bias, no_bias)
    expect_floating(data)
    if weight.dtype is not data.dtype or (bias is not None and bias.dtype is not data.dtype):
        same_dtype(data=data, weight=weight, bias=bias)
    if weight.shape != shape:
        _refuse_weight(data, weight, shape, last)
    if bias is not None:
        expect_shape("bias", bias, (num_filter,))


def _refuse_weight(data: Tensor, weight: Tensor, shape: Shape, channels_last: bool) -> None:
    """Says that the weight does not fit; and, where the data's channels seem to lie elsewhere, so."""
    try:
        expect_shape("weight", weight, shape)
    except OpShapeError as error:
        channels = data.shape[-1] if channels_last else data.shape[1]
        # The axis of the weight that the data's channels decide about: the one that differs, by the number of groups.
        differing = [
            place for place in range(weight.dim()) if weight.dim() == len(shape) and weight.shape[place] != shape[place]
        ]
        if len(differing) != 1 or not shape[differing[0]]:
            raise
        groups = channels // shape[differing[0]]
        meant = weight.shape[differing[0]] * groups
        raise explain_channels(error, tuple(data.shape), meant, channels_last) from None


@operator("Convolution", "_npx_convolution", completes=_conv_shapes, takes=weighted("data"))
def convolution(
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
    layout: Layout | None = None,
) -> Tensor:
    """Convolves a batch of sequences, images or volumes with learned filters.

    Args:
        data: (batch, channels, *sizes), or (batch, *sizes, channels) in the layouts that end with C.
        weight: (num_filter, channels / num_group, *kernel); in the layouts that end with C,
            (num_filter, *kernel, channels / num_group).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; its length, 1 to 3, is the number of spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: order of the axes; channels first if not given.
    """
    shape = tuple(data.shape)
    window, expected = _plan(shape, False, kernel, stride, dilate, pad, num_filter, num_group, layout)
    _check_inputs(data, weight, bias, no_bias, expected, num_filter, window.channels_last)
    if window.channels_last:
        data, weight = data.movedim(-1, 1), weight.movedim(-1, 1)
    no_padding = (0,) * len(kernel)
    if grad_needed(data, weight, bias) and _has_recorded_form(data, num_group):
        geometry = Window(kernel, window.stride, window.pad, window.dilate, 1)  # type: ignore[arg-type]
        recorded: Tensor = Recorded.apply(data, weight, bias, geometry)
        return recorded.movedim(1, -1).contiguous() if window.channels_last else recorded
    result = torch.convolution(
        data, weight, bias, window.stride, window.pad, window.dilate, False, no_padding, num_group
    )
    return result.movedim(1, -1).contiguous() if window.channels_last else result


def _has_recorded_form(data: Tensor, groups: int) -> bool:
    """Whether gradients of the convolution can be computed in several ways."""
    is_usual = data.dim() == 4 and data.dtype is torch.float32 and data.device.type == "cpu"
    return is_usual and groups == 1 and data.numel() > 0


def window_of(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    no_bias: bool = False,
    layout: Layout | None = None,
    **_: Any,
) -> Window:
    """How the filters of a 2-D convolution move over the data; refuses inputs that do not go together."""
    window, expected = _plan(tuple(data.shape), False, kernel, stride, dilate, pad, num_filter, num_group, layout)
    _check_inputs(data, weight, bias, no_bias, expected, num_filter, window.channels_last)
    return Window(kernel, window.stride, window.pad, window.dilate, num_group)  # type: ignore[arg-type]


def _fit_target(sizes: Shape, window: _Window, target: Shape) -> tuple[Shape, Shape]:
    """Padding and adjustment under which a deconvolution gives the target shape."""
    pads, adjusts = [], []
    if len(target) != len(sizes) or min(target) < 1:
        raise OpParamError(f"target_shape={target}; expected {len(sizes)} sizes, none below 1")
    for size, step, span, wanted in zip(sizes, window.stride, window.span, target, strict=True):
        excess = step * (size - 1) + span - wanted
        if excess < 0:
            raise OpParamError(f"target_shape={target} is too large: the result without padding is smaller")
        pads.append((excess + 1) // 2)
        adjusts.append(excess % 2)
    return tuple(pads), tuple(adjusts)


@operator(
    "Deconvolution", "_npx_deconvolution", completes=_deconv_shapes, takes=weighted("data"), partial_shapes=row_by_row
)
def deconvolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    adj: Shape = (),
    target_shape: Shape = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: Tuning | None = None,
    cudnn_off: bool = False,
    layout: Layout | None = None,
) -> Tensor:
    """Applies the transpose of a convolution, which enlarges the data.

    Args:
        data: (batch, channels, *sizes), or (batch, *sizes, channels) in the layouts that end with C.
        weight: (channels, num_filter / num_group, *kernel); in the layouts that end with C,
            (channels, *kernel, num_filter / num_group).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; its length, 1 to 3, is the number of spatial axes.
        stride: step of the filters over the result, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: how much is cut off on both sides of the result, 0 if not given.
        adj: how much of that is kept at the end after all; less than the stride.
        target_shape: spatial size of the result; `pad` and `adj` follow from it.
        num_filter: number of output channels.
        num_group: number of groups of channels that are treated apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: order of the axes; channels first if not given.
    """
    shape = tuple(data.shape)
    window, expected = _plan(shape, True, kernel, stride, dilate, pad, num_filter, num_group, layout)
    _check_inputs(data, weight, bias, no_bias, expected, num_filter, window.channels_last)
    if window.channels_last:
        data, weight = data.movedim(-1, 1), weight.movedim(-1, 1)
    return _transposed(data, weight, bias, window, adj, target_shape, num_group)


def _transposed(
    data: Tensor, weight: Tensor, bias: Tensor | None, window: _Window, adj: Shape, target: Shape, num_group: int
) -> Tensor:
    sizes = tuple(data.shape[2:])
    if any(target):
        pad, adjust = _fit_target(sizes, window, target)
    else:
        pad, adjust = window.pad, per_axis("adj", adj, len(sizes), 0, 0)
    if any(a >= s for a, s in zip(adjust, window.stride, strict=True)):
        raise OpParamError(f"adj={adjust}; expected less than the stride {window.stride}")
    axes = zip(sizes, window.stride, window.span, pad, adjust, strict=True)
    enlarged = tuple(s * (n - 1) + span - 2 * p + a for n, s, span, p, a in axes)
    if any(size < 1 and (size < 0 or n) for n, size in zip(sizes, enlarged, strict=True)):
        raise OpShapeError(f"pad={pad} cuts off the whole result of data of size {sizes}")
    if 0 in data.shape[1:]:  # which torch does not take
        result = _transposed_empty(data, weight, bias, enlarged, num_group)
    else:
        result = torch.convolution(data, weight, bias, window.stride, pad, window.dilate, True, adjust, num_group)
    return result.movedim(1, -1).contiguous() if window.channels_last else result


def _transposed_empty(data: Tensor, weight: Tensor, bias: Tensor | None, sizes: Shape, num_group: int) -> Tensor:
    """The result for data without channels or without places: nothing is added up, so it is the bias."""
    if any(size and not n for n, size in zip(data.shape[2:], sizes, strict=True)):
        raise OpShapeError(
            f"data of size {tuple(data.shape[2:])} would give a result of size {sizes}; expected at least one element "
            "on every spatial axis"
        )
    zeros = data.new_zeros((data.shape[0], weight.shape[1] * num_group, *sizes))
    result = zeros if bias is None else zeros + bias.reshape(-1, *(1,) * len(sizes))
    return reaching(result, data, weight)


def _columns_window(kernel: Shape, stride: Shape, dilate: Shape, pad: Shape) -> tuple[Shape, _Window]:
    """Kernel and window for two spatial axes: a sequence counts as an image of height 1."""
    window = _window(kernel, stride, dilate, pad, None)
    if len(kernel) == 1:
        steps, dilates, pads, spans = (1, *window.stride), (1, *window.dilate), (0, *window.pad), (1, *window.span)
        return (1, *kernel), _Window(steps, dilates, pads, spans, False)
    if len(kernel) == 3:
        raise OpParamError(f"kernel={kernel}; expected the sizes of 1 or 2 spatial axes")
    return kernel, window


@operator("im2col")
def im2col(data: Tensor, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = ()) -> Tensor:
    """Lays out every window of a sliding kernel as a column.

    Args:
        data: (batch, channels, height, width), or (batch, channels, width).
        kernel: size of the windows.
        stride: distance between windows, 1 if not given.
        dilate: distance between the elements of a window, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.

    Returns:
        (batch, channels * elements of a window, number of windows).
    """
    extended, window = _columns_window(kernel, stride, dilate, pad)
    expect_floating(data)
    if data.dim() != len(kernel) + 2:
        raise OpShapeError(f"kernel={kernel} needs data of {len(kernel) + 2} dimensions, got {data.dim()}")
    image = data.unsqueeze(2) if data.dim() == 3 else data
    expect_window_fits(tuple(image.shape[2:]), window.span, window.pad)
    return torch.nn.functional.unfold(image, extended, window.dilate, window.pad, window.stride)


@operator("col2im")
def col2im(
    data: Tensor, *, output_size: Shape, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = ()
) -> Tensor:
    """Adds columns back into images: the transpose of `im2col`.

    Args:
        data: (batch, channels * elements of a window, number of windows).
        output_size: spatial size of the images.
        kernel: size of the windows.
        stride: distance between windows, 1 if not given.
        dilate: distance between the elements of a window, 1 if not given.
        pad: zeros that `im2col` added on both sides, 0 if not given.
    """
    extended, window = _columns_window(kernel, stride, dilate, pad)
    expect_floating(data)
    if not output_size:
        raise OpParamError("output_size is empty; expected one size per spatial axis")
    sizes = per_axis("output_size", output_size, len(kernel), 1, 1)
    size = (1, *sizes) if len(kernel) == 1 else sizes
    expect_window_fits(size, window.span, window.pad)
    axes = zip(size, window.span, window.pad, window.stride, strict=True)
    count = prod((n + 2 * p - span) // s + 1 for n, span, p, s in axes)
    elements = prod(kernel)
    if data.dim() != 3 or data.shape[1] % elements or data.shape[2] != count:
        raise OpShapeError(
            f"expected data of shape (batch, a multiple of {elements}, {count}) for output_size={output_size}, "
            f"got {tuple(data.shape)}"
        )
    image = torch.nn.functional.fold(data, size, extended, window.dilate, window.pad, window.stride)
    return image.squeeze(2) if len(kernel) == 1 else image


@shape_of("Convolution")
def _convolution_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C":
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    kernel, filters, groups = params["kernel"], params["num_filter"], params["num_group"]
    ndim = len(kernel)
    if len(data) != ndim + 2 or data[1] % groups or filters % groups or weight != (filters, data[1] // groups, *kernel):
        return None
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if biases != ([] if params["no_bias"] else [(filters,)]):
        return None
    window = [params[name] or (default,) * ndim for name, default in (("stride", 1), ("dilate", 1), ("pad", 0))]
    if any(len(numbers) != ndim for numbers in window) or min(window[0]) < 1 or min(window[1]) < 1:
        return None
    sizes = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in zip(data[2:], kernel, *window, strict=True)]
    return [((data[0], filters, *sizes), dtype)] if min(sizes) > 0 else None


@shape_of("Deconvolution")
def _deconvolution_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C" or any(params["target_shape"]):
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    kernel, filters, groups = params["kernel"], params["num_filter"], params["num_group"]
    ndim = len(kernel)
    if len(data) != ndim + 2 or data[1] % groups or filters % groups or weight != (data[1], filters // groups, *kernel):
        return None
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if biases != ([] if params["no_bias"] else [(filters,)]) or 0 in data:
        return None
    names = (("stride", 1), ("dilate", 1), ("pad", 0), ("adj", 0))
    window = [params[name] or (default,) * ndim for name, default in names]
    if any(len(numbers) != ndim for numbers in window) or min(window[0]) < 1 or min(window[1]) < 1:
        return None
    if any(a >= s for a, s in zip(window[3], window[0], strict=True)):
        return None
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 - 2 * p + a for n, k, s, d, p, a in zip(data[2:], kernel, *window, strict=True)
    ]
    return [((data[0], filters, *sizes), dtype)] if min(sizes) > 0 else None


def _has_kernels(data: Tensor) -> bool:
    """Whether the kernels that are chosen by timing are for these data."""
    return suits_kernels(data) and is_available()


@gradient_of("Convolution")
class Convolution(Rule):
    """Of two spatial axes, channels first; in memory, channels come last."""

    worth = 4

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return len(params["kernel"]) == 2 and params["layout"] in (None, "NCHW")

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, weight = arguments[0], arguments[1]
        bias = arguments[2] if len(arguments) > 2 else None
        assert data is not None
        assert weight is not None
        window = window_of(data, weight, bias, **params)
        if not _has_kernels(data):
            return convolution(data, weight, bias, **params), (data, weight, window)
        # What is kept is the data as they came: a gradient reads what stands in memory when backward() runs.
        return convolve(to_channels_last(data), weight, bias, window), (data, weight, window)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, weight, window), grad = saved, grads[0]
        assert grad is not None
        if not _has_kernels(data):
            return _by_torch(data, weight, window, grad, needs)
        grad, data = to_channels_last(grad), to_channels_last(data)
        found = [
            data_gradient(grad, data, weight, window) if needs[0] else None,
            weight_gradient(grad, data, weight, window) if needs[1] else None,
        ]
        if len(needs) > 2:
            found.append(bias_gradient(grad) if needs[2] else None)
        return found


def _by_torch(data: Tensor, weight: Tensor, window: Window, grad: Tensor, needs: Needs) -> Grads:
    wanted = (*needs, False)[:3]
    sizes = [weight.shape[0]] if wanted[2] else None
    found: tuple[Tensor, ...] = convolution_backward(
        *(grad, data, weight, sizes, window.stride, window.pad, window.dilate, False, (0, 0), window.groups), wanted
    )
    return found[: len(needs)]


@partial_shapes_of("Convolution")
@from_results
def _before_convolution(params: Params, data: Shape | None, result: Shape) -> Shape | None:
    """Windows that move by 1 lose as many places as they reach beyond the first one, less the padding."""
    ndim = len(params["kernel"])
    if not data or not len(data) == len(result) == ndim + 2:
        return rows_before(params, data, result)
    lengths = [result[0], *[unknown()] * (ndim + 1)]
    first = 1 if str(params["layout"]).endswith("C") else 2
    steps, dilates = params["stride"] or (1,) * ndim, params["dilate"] or (1,) * ndim
    windows = zip(params["kernel"], steps, dilates, params["pad"] or (0,) * ndim, strict=True)
    for axis, (size, step, dilate, pad) in enumerate(windows, start=first):
        if step == 1 and result[axis] != unknown():
            lengths[axis] = result[axis] + dilate * (size - 1) - 2 * pad
    return tuple(lengths)
