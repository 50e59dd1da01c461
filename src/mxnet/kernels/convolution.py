"""Ways to compute a 2-D convolution and its gradients on a CPU; which is best depends on the shapes.

Data, results and gradients of data are in channels-last order in memory. Besides oneDNN's own kernels a convolution
is a matrix product: windows laid out as rows (`columns`) times filters. Rows in channels-last order are quick to lay
out, but filters must be brought into that order; rows in the filters' own order (`own`) spare that, which pays off
where filters are large and places are few. Kernels of our own (native/convolution.cpp) are one way more, where there
are any: they lay out nothing but filters, and skip what lies in the padding.
"""

import functools
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad as padded

import mxnet.kernels.winograd as winograd

from ..config import switches
from ..native import kernels
from .tuning import Candidates, run_best

_LAST = torch.channels_last
_MOST_RUNS = 16
_LEAST_SIDE, _LEAST_CHANNELS = 4, 8  # of what Winograd's method is tried on
Pair = tuple[int, int]


class Window(NamedTuple):
    """How the filters move over the data."""

    kernel: Pair
    stride: Pair
    pad: Pair
    dilate: Pair
    groups: int


def _padded(data: Tensor, window: Window) -> tuple[Tensor, Pair]:
    """The images, channels last, with their padding, and the height and width of the result."""
    images = data.permute(0, 2, 3, 1).contiguous()
    if any(window.pad):
        images = padded(images, (0, 0, window.pad[1], window.pad[1], window.pad[0], window.pad[0]))
    return images, places_of(tuple(data.shape), window)


def _rows(data: Tensor, window: Window, in_own_order: bool) -> Tensor:
    """Every window as a row: (batch * places, elements of a window)."""
    images, places = _padded(data, window)
    batch, _, _, channels = images.shape
    (kh, kw), (sh, sw), (dh, dw) = window.kernel, window.stride, window.dilate
    each, row, column, _ = images.stride()
    shape = (batch, *places, kh, kw, channels)
    strides = (each, row * sh, column * sw, row * dh, column * dw, 1)
    if in_own_order:
        shape, strides = (*shape[:3], channels, kh, kw), (*strides[:3], 1, *strides[3:5])
    return images.as_strided(shape, strides).reshape(batch * places[0] * places[1], kh * kw * channels)


def _lines(data: Tensor, window: Window) -> Tensor:
    """`_rows` turned around, (elements of a window, batch * places): quick to lay out where channels are few."""
    images, places = _padded(data, window)
    batch, _, _, channels = images.shape
    each, row, column, _ = images.stride()
    (kh, kw), (sh, sw), (dh, dw) = window.kernel, window.stride, window.dilate
    view = images.as_strided(
        (kh, kw, channels, batch, *places), (row * dh, column * dw, 1, each, row * sh, column * sw)
    )
    return view.reshape(kh * kw * channels, batch * places[0] * places[1])


def _matrix(weight: Tensor, in_own_order: bool) -> Tensor:
    """The filters as rows, in the order of `_rows`."""
    return (weight if in_own_order else weight.permute(0, 2, 3, 1)).reshape(weight.shape[0], -1)


def _flat(result: Tensor) -> Tensor:
    """A result or its gradient as (places, filters)."""
    return result.permute(0, 2, 3, 1).reshape(-1, result.shape[1])


def places_of(size: tuple[int, ...], window: Window) -> Pair:
    """Height and width of the result."""
    found = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size[2:], window.kernel, window.stride, window.pad, window.dilate, strict=True)
    ]
    return found[0], found[1]


# -- the convolution ------------------------------------------------------------------------------------------------


def _direct(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    geometry = (window.stride, window.pad, window.dilate, False, (0, 0), window.groups)
    # Data of one channel are in either order, and torch takes them for channels first.
    return torch.convolution(data, weight, bias, *geometry).contiguous(memory_format=_LAST)


def _packed(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    geometry = (window.pad, window.stride, window.dilate, window.groups)
    packed = torch.ops.mkldnn._reorder_convolution_weight(weight, *geometry, tuple(data.shape))
    result: Tensor = torch.ops.mkldnn._convolution_pointwise(data, packed, bias, *geometry, "none", [], "")
    return result


def _product(in_own_order: bool, data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    rows, matrix = _rows(data, window, in_own_order), _matrix(weight, in_own_order)
    flat = rows.mm(matrix.t()) if bias is None else torch.addmm(bias, rows, matrix.t())
    return flat.view(data.shape[0], *places_of(tuple(data.shape), window), weight.shape[0]).permute(0, 3, 1, 2)


def _by_winograd(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return winograd.convolve(data, winograd.filters_at_points(weight), bias, window.pad)


def _native(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    result: Tensor = torch.ops.regluon.convolution.default(data, weight, bias, window.stride, window.pad)
    return result


def _native_winograd(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return winograd.convolve_natively(data, weight, bias, window.pad)


# -- gradients ------------------------------------------------------------------------------------------------------


def _torch_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    found: tuple[Tensor, ...] = torch.ops.aten.convolution_backward(
        *(grad, data, weight, None, window.stride, window.pad, window.dilate, False, (0, 0), window.groups),
        (not of_weight, of_weight, False),
    )
    return found[1 if of_weight else 0]


def _derived(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    result = _torch_gradient(grad, data, weight, window, of_weight)
    return result.contiguous() if of_weight else result.contiguous(memory_format=_LAST)


def _derived_plainly(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    """By oneDNN's kernels for the usual order, which are quicker for some shapes."""
    return _derived(grad.contiguous(), data.contiguous(), weight, window, of_weight)


def _weight_product(in_own_order: bool, grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    filters, channels = weight.shape[:2]
    product = _flat(grad).t().mm(_rows(data, window, in_own_order))
    if in_own_order:
        return product.view(weight.shape)
    return product.view(filters, *window.kernel, channels).permute(0, 3, 1, 2).contiguous()


def _weight_lines(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    filters, channels = weight.shape[:2]
    product = _lines(data, window).mm(_flat(grad))
    return product.view(*window.kernel, channels, filters).permute(3, 2, 0, 1).contiguous()


def _data_runs(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """Adds up runs of neighbouring places instead of single ones, for windows that move by one place."""
    batch, channels, height, width = data.shape
    (kh, kw), (ph, pw) = window.kernel, window.pad
    down, across = grad.shape[2:]
    parts = _flat(grad).mm(_matrix(weight, False)).view(batch, down, across, kh, kw * channels)
    total = parts.new_zeros(batch, height + 2 * ph, (width + 2 * pw) * channels)
    for top in range(kh):
        for left in range(across):
            run = slice(left * channels, (left + kw) * channels)
            total[:, top : top + down, run].add_(parts[:, :, left, top])
    images = total.view(batch, height + 2 * ph, width + 2 * pw, channels)
    return images[:, ph : ph + height, pw : pw + width].permute(0, 3, 1, 2)


def _data_by_winograd(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """The gradient is a convolution itself: with the filters turned around, and so much padding that sizes fit."""
    turned = weight.transpose(0, 1).flip(2, 3)
    pad = (2 - window.pad[0], 2 - window.pad[1])
    return winograd.convolve(grad, winograd.filters_at_points(turned), None, pad)


def _data_product(in_own_order: bool, grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    batch, channels, height, width = data.shape
    (kh, kw), (sh, sw), (ph, pw), (dh, dw) = window.kernel, window.stride, window.pad, window.dilate
    places = grad.shape[2:]
    rows = _flat(grad).mm(_matrix(weight, in_own_order))
    if (kh, kw, sh, sw, ph, pw) == (1, 1, 1, 1, 0, 0):
        return rows.view(batch, height, width, channels).permute(0, 3, 1, 2)
    if in_own_order:
        parts = rows.view(batch, *places, channels, kh * kw).unbind(-1)
    else:
        parts = rows.view(batch, *places, kh * kw, channels).unbind(3)
    total = rows.new_zeros(batch, height + 2 * ph, width + 2 * pw, channels)
    for number, part in enumerate(parts):
        top, left = number // kw * dh, number % kw * dw
        bottom, right = top + (places[0] - 1) * sh + 1, left + (places[1] - 1) * sw + 1
        total[:, top:bottom:sh, left:right:sw].add_(part)
    return total[:, ph : ph + height, pw : pw + width].permute(0, 3, 1, 2)


def _native_weight(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    kernel = torch.ops.regluon.convolution_weight_gradient.default
    result: Tensor = kernel(grad, data, window.kernel, window.stride, window.pad)
    return result


def _native_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    kernel = torch.ops.regluon.convolution_data_gradient.default
    result: Tensor = kernel(grad, weight, data.shape[2:], window.stride, window.pad)
    return result


def _native_winograd_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    return winograd.data_gradient_natively(grad, weight, window.pad)


_FORWARD: Candidates = (
    ("direct", _direct),
    ("packed", _packed),
    ("columns", functools.partial(_product, False)),
    ("own", functools.partial(_product, True)),
)
_OF_WEIGHT: Candidates = (
    ("columns", functools.partial(_weight_product, False)),
    ("own", functools.partial(_weight_product, True)),
    ("lines", _weight_lines),
    ("direct", functools.partial(_derived, of_weight=True)),
    ("plain", functools.partial(_derived_plainly, of_weight=True)),
)
_OF_DATA: Candidates = (
    ("direct", functools.partial(_derived, of_weight=False)),
    ("columns", functools.partial(_data_product, False)),
    ("own", functools.partial(_data_product, True)),
    ("plain", functools.partial(_derived_plainly, of_weight=False)),
)
# For windows of 3 x 3 that move by one place.
_FORWARD_3X3: Candidates = (*_FORWARD, ("winograd", _by_winograd))
_OF_DATA_3X3: Candidates = (*_OF_DATA, ("winograd", _data_by_winograd))
_OF_DATA_BY_RUNS: Candidates = (*_OF_DATA, ("runs", _data_runs))
# Kernels of our own.
_NATIVE: Candidates = (("native", _native), ("native winograd", _native_winograd))
_NATIVE_WEIGHT: Candidates = (("native", _native_weight),)
_NATIVE_DATA: Candidates = (("native", _native_data), ("native winograd", _native_winograd_data))
_WITHOUT_LAYING_OUT = ("direct", "packed", "plain", "last")
_GROUPED: dict[str, Candidates] = {
    "forward": _FORWARD[:2],
    "weight": _OF_WEIGHT[3:],
    "data": (_OF_DATA[0], _OF_DATA[3]),
}


def _best(
    kind: str, ways: Candidates, ours: Candidates, data: Tensor, weight: Tensor, window: Window, *args: Any
) -> Any:
    """Does some work in the best of these ways and ours, which are for windows without gaps over all channels."""
    work: tuple[object, ...] = (kind, tuple(data.shape), weight.shape[0], tuple(window))
    if switches.autotune and window.groups == 1 and window.dilate == (1, 1) and kernels() is not None:
        work, ways = ("native", *work), _sparing(ways, ours)
    return run_best(work, ways, *args)


@functools.cache
def _sparing(ways: Candidates, ours: Candidates) -> Candidates:
    """Our ways and those of others that lay out no windows.

    That takes several times the memory of the data, if only while it is tried; beside ours it was never the quickest.
    """
    return (*(way for way in ways if way[0] in _WITHOUT_LAYING_OUT), *ours)


def _with_winograd(is_3x3: bool, weight: Tensor, ours: Candidates) -> Candidates:
    """Our own ways to something, with Winograd's method where it applies."""
    return ours if is_3x3 and winograd.native_kernels(weight) is not None else ours[:1]


def convolve(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    """The convolution of data in channels-last order; so is the result."""
    is_3x3 = _is_3x3(window, data)
    ordinary = _FORWARD_3X3 if is_3x3 else _FORWARD
    ways = ordinary if window.groups == 1 else _GROUPED["forward"]
    ours = _with_winograd(is_3x3, weight, _NATIVE)
    result: Tensor = _best("forward", ways, ours, data, weight, window, data, weight, bias, window)
    return result


def weight_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """The gradient of the filters, in their own order."""
    ways = _OF_WEIGHT if window.groups == 1 else _GROUPED["weight"]
    result: Tensor = _best("weight", ways, _NATIVE_WEIGHT, data, weight, window, grad, data, weight, window)
    return result


def bias_gradient(grad: Tensor) -> Tensor:
    """The gradient of the bias, from that of the result in channels-last order."""
    ours = kernels()
    return _flat(grad).sum(0) if ours is None else ours.convolution_bias_gradient(grad)


def data_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """The gradient of the data, in channels-last order."""
    ways = _ways_to_data(grad, window) if window.groups == 1 else _GROUPED["data"]
    ours = _with_winograd(_is_3x3(window, grad), weight, _NATIVE_DATA)
    result: Tensor = _best("data", ways, ours, data, weight, window, grad, data, weight, window)
    return result


def _ways_to_data(grad: Tensor, window: Window) -> Candidates:
    """Runs are for windows that move by one place, and few of them in a row: each is a call."""
    if _is_3x3(window, grad):
        return _OF_DATA_3X3
    by_ones = window.stride == (1, 1) and window.dilate == (1, 1)
    return _OF_DATA_BY_RUNS if by_ones and grad.shape[3] <= _MOST_RUNS and window.kernel[1] > 1 else _OF_DATA


# -- for convolutions outside of compiled networks, whose data and results have channels first -----------------------


def _data_through_last(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    grad, data = grad.contiguous(memory_format=_LAST), data.contiguous(memory_format=_LAST)
    return _torch_gradient(grad, data, weight, window, False).contiguous()


def _plain(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return torch.convolution(data, weight, bias, window.stride, window.pad, window.dilate, False, (0, 0), 1)


def _native_plain(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return _native(data, weight, bias, window).contiguous()


def _native_plain_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    return _native_data(grad, data, weight, window).contiguous()


_PLAIN: Candidates = (("plain", _plain),)
_NATIVE_PLAIN: Candidates = (("native", _native_plain),)
_NATIVE_PLAIN_DATA: Candidates = (("native", _native_plain_data),)
_OF_PLAIN_WEIGHT: Candidates = (
    ("plain", functools.partial(_torch_gradient, of_weight=True)),
    ("columns", functools.partial(_weight_product, False)),
    ("own", functools.partial(_weight_product, True)),
    ("lines", _weight_lines),
)
_OF_PLAIN_DATA: Candidates = (
    ("plain", functools.partial(_torch_gradient, of_weight=False)),
    ("last", _data_through_last),
)


class Recorded(torch.autograd.Function):
    """A convolution of one group, channels first, whose gradients are computed in the quickest way."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
        """The convolution."""
        ctx.save_for_backward(data, weight)
        ctx.window, ctx.sizes = window, None if bias is None else [weight.shape[0]]
        return _best("plain", _PLAIN, _NATIVE_PLAIN, data, weight, window, data, weight, bias, window)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """Those of the gradients that are wanted."""
        (data, weight), window, grad = ctx.saved_tensors, ctx.window, grads[0]
        of_data, of_weight, of_bias = ctx.needs_input_grad[:3]
        if torch.is_grad_enabled():  # it may be differentiated again
            geometry = (window.stride, window.pad, window.dilate, False, (0, 0), 1)
            wanted = (of_data, of_weight, of_bias)
            found = torch.ops.aten.convolution_backward(grad, data, weight, ctx.sizes, *geometry, wanted)
            return *found, None
        left = right = None
        if of_data:
            ways, ours = _OF_PLAIN_DATA, _NATIVE_PLAIN_DATA
            left = _best("plain data", ways, ours, data, weight, window, grad, data, weight, window)
        if of_weight:
            ways, ours = _OF_PLAIN_WEIGHT, _NATIVE_WEIGHT
            right = _best("plain weight", ways, ours, data, weight, window, grad, data, weight, window)
        return left, right, grad.sum((0, 2, 3)) if of_bias else None, None


def _is_3x3(window: Window, data: Tensor) -> bool:
    """Whether Winograd's method is worth trying: small images are mostly border to it."""
    by_ones = window.stride == (1, 1) and window.dilate == (1, 1) and max(window.pad) <= 2
    return (
        window.kernel == (3, 3) and by_ones and min(data.shape[2:]) >= _LEAST_SIDE and data.shape[1] >= _LEAST_CHANNELS
    )
