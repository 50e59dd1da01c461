"""2-D convolutions and their gradients on a CPU: torch's kernels and ours; which is best depends on the shapes.

Data, results and gradients of data are in channels-last order in memory. Ours (native/convolution.cpp, winograd.cpp)
are for windows without gaps over all channels. They lay out nothing but filters, and skip what lies in the padding.
"""

import functools
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..native import kernels
from ..torch_private import convolution_backward, convolve_packed, has_packed_convolutions, pack_filters
from .layout import to_channels_first, to_channels_last
from .tuning import Candidates, run_best
from .winograd import convolve_natively, data_gradient_natively, native_kernels

_LEAST_SIDE, _LEAST_CHANNELS = 4, 8  # of what Winograd's method is tried on
Pair = tuple[int, int]


class Window(NamedTuple):
    """How the filters move over the data."""

    kernel: Pair
    stride: Pair
    pad: Pair
    dilate: Pair
    groups: int


# -- the convolution ------------------------------------------------------------------------------------------------


def _direct(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    geometry = (window.stride, window.pad, window.dilate, False, (0, 0), window.groups)
    # Data of one channel are in either order, and torch takes them for channels first.
    return to_channels_last(torch.convolution(data, weight, bias, *geometry))


def _packed(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    geometry = (window.pad, window.stride, window.dilate, window.groups)
    packed = pack_filters(weight, *geometry, tuple(data.shape))
    result: Tensor = convolve_packed(data, packed, bias, *geometry, "none", [], "")
    return result


def _native(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    result: Tensor = torch.ops.regluon.convolution.default(data, weight, bias, window.stride, window.pad)
    return result


def _native_winograd(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return convolve_natively(data, weight, bias, window.pad)


# -- gradients ------------------------------------------------------------------------------------------------------


def _torch_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    found: tuple[Tensor, ...] = convolution_backward(
        *(grad, data, weight, None, window.stride, window.pad, window.dilate, False, (0, 0), window.groups),
        (not of_weight, of_weight, False),
    )
    return found[1 if of_weight else 0]


def _derived(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    result = _torch_gradient(grad, data, weight, window, of_weight)
    return result.contiguous() if of_weight else to_channels_last(result)


def _derived_plainly(grad: Tensor, data: Tensor, weight: Tensor, window: Window, of_weight: bool) -> Tensor:
    """By oneDNN's kernels for the usual order, which are quicker for some shapes."""
    return _derived(grad.contiguous(), data.contiguous(), weight, window, of_weight)


def _native_weight(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    kernel = torch.ops.regluon.convolution_weight_gradient.default
    result: Tensor = kernel(grad, data, window.kernel, window.stride, window.pad)
    return result


def _native_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    kernel = torch.ops.regluon.convolution_data_gradient.default
    result: Tensor = kernel(grad, weight, data.shape[2:], window.stride, window.pad)
    return result


def _native_winograd_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    return data_gradient_natively(grad, weight, window.pad)


_FORWARD: Candidates = (("direct", _direct), ("packed", _packed))[: 2 if has_packed_convolutions else 1]
_OF_WEIGHT: Candidates = (
    ("direct", functools.partial(_derived, of_weight=True)),
    ("plain", functools.partial(_derived_plainly, of_weight=True)),
)
_OF_DATA: Candidates = (
    ("direct", functools.partial(_derived, of_weight=False)),
    ("plain", functools.partial(_derived_plainly, of_weight=False)),
)
# Kernels of our own; Winograd's method comes last.
_NATIVE: Candidates = (("native", _native), ("native winograd", _native_winograd))
_NATIVE_WEIGHT: Candidates = (("native", _native_weight),)
_NATIVE_DATA: Candidates = (("native", _native_data), ("native winograd", _native_winograd_data))


def _best(
    kind: str, torchs: Candidates, ours: Candidates, data: Tensor, weight: Tensor, window: Window, *args: Any
) -> Any:
    """Does some work by the best of torch's kernels and ours."""
    work: tuple[object, ...] = (kind, tuple(data.shape), weight.shape[0], tuple(window))
    if window.groups == 1 and window.dilate == (1, 1) and kernels() is not None:
        work, torchs = ("native", *work), _joined(torchs, ours)
    return run_best(work, torchs, *args)


@functools.cache
def _joined(torchs: Candidates, ours: Candidates) -> Candidates:
    return (*torchs, *ours)


def _with_winograd(window: Window, data: Tensor, weight: Tensor, ours: Candidates) -> Candidates:
    """Our kernels for something, with Winograd's method where it is worth trying: small images are mostly border."""
    by_ones = window.stride == (1, 1) and window.dilate == (1, 1) and max(window.pad) <= 2
    is_large = min(data.shape[2:]) >= _LEAST_SIDE and data.shape[1] >= _LEAST_CHANNELS
    suits = window.kernel == (3, 3) and by_ones and is_large and native_kernels(weight) is not None
    return ours if suits else ours[:1]


def convolve(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    """The convolution of data in channels-last order; so is the result."""
    ours = _with_winograd(window, data, weight, _NATIVE)
    result: Tensor = _best("forward", _FORWARD, ours, data, weight, window, data, weight, bias, window)
    return result


def weight_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """The gradient of the filters, in their own order."""
    result: Tensor = _best("weight", _OF_WEIGHT, _NATIVE_WEIGHT, data, weight, window, grad, data, weight, window)
    return result


def bias_gradient(grad: Tensor) -> Tensor:
    """The gradient of the bias, from that of the result in channels-last order."""
    ours = kernels()
    return grad.sum((0, 2, 3)) if ours is None else ours.convolution_bias_gradient(grad)


def data_gradient(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    """The gradient of the data, in channels-last order."""
    ours = _with_winograd(window, grad, weight, _NATIVE_DATA)
    result: Tensor = _best("data", _OF_DATA, ours, data, weight, window, grad, data, weight, window)
    return result


# -- for convolutions outside of compiled networks, whose data and results have channels first -----------------------


def _data_through_last(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    found = _torch_gradient(to_channels_last(grad), to_channels_last(data), weight, window, False)
    return to_channels_first(found)


def _plain(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return torch.convolution(data, weight, bias, window.stride, window.pad, window.dilate, False, (0, 0), 1)


def _native_plain(data: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> Tensor:
    return to_channels_first(_native(data, weight, bias, window))


def _native_plain_data(grad: Tensor, data: Tensor, weight: Tensor, window: Window) -> Tensor:
    return to_channels_first(_native_data(grad, data, weight, window))


_PLAIN: Candidates = (("plain", _plain),)
_NATIVE_PLAIN: Candidates = (("native", _native_plain),)
_NATIVE_PLAIN_DATA: Candidates = (("native", _native_plain_data),)
_OF_PLAIN_WEIGHT: Candidates = (("plain", functools.partial(_torch_gradient, of_weight=True)),)
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
            found = convolution_backward(grad, data, weight, ctx.sizes, *geometry, wanted)
            return *found, None
        left = right = None
        if of_data:
            ways, ours = _OF_PLAIN_DATA, _NATIVE_PLAIN_DATA
            left = _best("plain data", ways, ours, data, weight, window, grad, data, weight, window)
        if of_weight:
            ways, ours = _OF_PLAIN_WEIGHT, _NATIVE_WEIGHT
            right = _best("plain weight", ways, ours, data, weight, window, grad, data, weight, window)
        return left, right, grad.sum((0, 2, 3)) if of_bias else None, None
