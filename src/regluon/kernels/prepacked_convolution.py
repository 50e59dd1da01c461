"""Convolutions of compiled networks on a CPU: filters packed beforehand, and what follows done on the way.

Results are in channels-last order in memory, which the next convolution reads fastest. There are several kernels, and
which is quickest depends on the shapes: see tuning.py.
"""

import functools
import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from ..native import kernels
from ..torch_private import convolve_packed, convolve_packed_and_add, has_packed_convolutions, pack_filters
from .layout import to_channels_last
from .tuning import tuner
from .winograd import native_kernels

Unary = Literal["none", "relu", "hardtanh"]
Kernel = Callable[[Tensor, Tensor | None, Tensor | None], Tensor]  # from data, bias and addend to the result

_LEAST_CHANNELS = 16  # fewer do not pay for Winograd's transforms


def is_available() -> bool:
    """Whether this build of torch has the kernels."""
    return has_packed_convolutions and bool(torch.backends.mkldnn.is_available())


class Form(NamedTuple):
    """What a convolution does with its data.

    Attributes:
        stride: step of the filters.
        dilate: distance between the elements of a filter.
        pad: zeros added on both sides of the data.
        groups: number of groups of channels.
        unary: the activation that follows.
        limits: the bounds of 'hardtanh'.
        size: the shape of the data; empty if it is not known.
        adds: whether another array is added before the activation.
    """

    stride: tuple[int, ...]
    dilate: tuple[int, ...]
    pad: tuple[int, ...]
    groups: int
    unary: str
    limits: tuple[float, ...]
    size: tuple[int, ...]
    adds: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Those that the activation keeps results within."""
        if self.unary == "relu":
            return 0.0, math.inf
        return (self.limits[0], self.limits[1]) if self.unary == "hardtanh" else (-math.inf, math.inf)

    def activated(self, result: Tensor) -> Tensor:
        """The activation, written over its input."""
        if self.unary == "relu":
            return result.relu_()
        return result.clamp_(*self.limits) if self.unary == "hardtanh" else result


def _packed(weight: Tensor, form: Form) -> Kernel:
    """Filters in the order that oneDNN reads them.

    The activation is a pass of its own: oneDNN's turn what is not a number into one. That takes 2 to 8% of the time of
    ResNet's layers.
    """
    window = (form.pad, form.stride, form.dilate, form.groups)
    packed = pack_filters(weight, *window, form.size or None)
    activated = form.activated

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        data = to_channels_last(data)
        if addend is None:
            return activated(convolve_packed(data, packed, bias, *window, "none", [], ""))
        addend = to_channels_last(addend)
        return activated(convolve_packed_and_add(data, addend, packed, bias, *window, "add", 1.0, None, [], ""))

    return kernel


def _plain(weight: Tensor, form: Form) -> Kernel:
    """Filters as they are: not every processor packs those of low precision."""

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        bias = None if bias is None else bias.to(weight.dtype)
        result = torch.conv2d(data, weight, bias, form.stride, form.pad, form.dilate, form.groups)
        return form.activated(result if addend is None else result.add_(addend))

    return kernel


def _rows(data: Tensor) -> Tensor:
    """Places as rows of channels; a view where channels are last."""
    return data.permute(0, 2, 3, 1).reshape(-1, data.shape[1])


def _images(rows: Tensor, like: Tensor) -> Tensor:
    batch, _, height, width = like.shape
    return rows.view(batch, height, width, rows.shape[1]).permute(0, 3, 1, 2)


def _product(weight: Tensor, form: Form) -> Kernel:
    """Filters of one element: a matrix product."""
    matrix = weight.reshape(weight.shape[0], -1).t()
    (down, across), activated = form.stride, form.activated
    is_dense = (down, across) == (1, 1)

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        data = data if is_dense else data[:, :, ::down, ::across]
        rows = _rows(data)
        if addend is None:
            found = rows.mm(matrix) if bias is None else torch.addmm(bias, rows, matrix)
        elif bias is None:
            found = torch.addmm(_rows(addend), rows, matrix)
        else:
            found = torch.addmm(bias, rows, matrix).add_(_rows(addend))
        return _images(activated(found), data)

    return kernel


def _native_winograd(weight: Tensor, form: Form) -> Kernel:
    weight = weight.contiguous()
    packed, count = torch.ops.regluon.winograd_pack.default(weight), weight.shape[0]
    convolve = torch.ops.regluon.winograd_fused.default
    pad, bounds = form.pad, form.bounds

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        data = to_channels_last(data)
        addend = None if addend is None else to_channels_last(addend)
        result: Tensor = convolve(data, packed, count, bias, addend, pad, *bounds)
        return result

    return kernel


def _native_pointwise(weight: Tensor, form: Form) -> Kernel:
    count = weight.shape[0]
    packed = torch.ops.regluon.pointwise_pack.default(weight.reshape(weight.shape[:2]).contiguous())
    convolve = torch.ops.regluon.pointwise_fused.default
    (down, across), bounds = form.stride, form.bounds

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        addend = None if addend is None else to_channels_last(addend)
        result: Tensor = convolve(data[:, :, ::down, ::across], packed, count, bias, addend, *bounds)
        return result

    return kernel


def _native_depthwise(weight: Tensor, form: Form) -> Kernel:
    taps = weight.squeeze(1).permute(1, 2, 0).contiguous()
    convolve = torch.ops.regluon.depthwise_fused.default
    stride, pad, bounds = form.stride, form.pad, form.bounds

    def kernel(data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        addend = None if addend is None else to_channels_last(addend)
        result: Tensor = convolve(data, taps, bias, addend, stride, pad, *bounds)
        return result

    return kernel


_MAKERS = {
    "packed": _packed,
    "plain": _plain,
    "product": _product,
    "native winograd": _native_winograd,
    "native pointwise": _native_pointwise,
    "native depthwise": _native_depthwise,
}


def _fitting(weight: Tensor, form: Form) -> list[str]:
    """The names of the kernels that can do it, the usual one first."""
    if weight.dtype in (torch.float16, torch.bfloat16):
        return ["plain"]
    names = ["packed"]
    kernel = tuple(weight.shape[2:])
    has_native = kernels() is not None
    if form.dilate != (1, 1):
        return names
    if form.groups == weight.shape[0] > 1 and weight.shape[1] == 1 and has_native:
        return [*names, "native depthwise"]
    if form.groups != 1:
        return names
    if kernel == (1, 1) and form.pad == (0, 0):
        names += ["product", "native pointwise"] if has_native else ["product"]
    is_wide = min(weight.shape[:2]) >= _LEAST_CHANNELS
    if kernel == (3, 3) and form.stride == (1, 1) and is_wide and native_kernels(weight) is not None:
        names.append("native winograd")
    return names


class Filters:
    """The weight of a 2-D convolution, in the order in which each kernel reads it.

    Where it is known which kernel is the quickest, there is its order only, and the weight itself is let go of at once.
    Else orders are made when a kernel is first used, and dropped when another one was found to be the quickest.

    Args:
        weight: (filters, channels of a group, height, width).
        form: what is done with it.
        is_tuned: whether to find the quickest kernel, or take the usual one.
    """

    __slots__ = ("_form", "_made", "_names", "_weight", "dtype", "kernel", "shape")

    def __init__(self, weight: Tensor, form: Form, is_tuned: bool) -> None:
        names = _fitting(weight, form)[: None if is_tuned else 1]
        self._weight, self._form, self._names = weight, form, names
        self._made: dict[str, Kernel] = {}
        self.shape, self.dtype = weight.shape, weight.dtype  # for messages
        self.kernel: Kernel = self._trying
        number = 0 if len(names) == 1 else tuner.choice(self._work(form.size), names) if form.size else None
        if number is not None:
            self._choose(names[number])

    def _work(self, size: tuple[int, ...]) -> tuple[object, ...]:
        """What is chosen for, with data of a size."""
        return ("fused", tuple(self._names), size, tuple(self.shape), *self._form[:5], self._form.adds)

    def _choose(self, name: str) -> None:
        self.kernel = self._kernel(name)
        self._made = {}
        self._weight = self._weight.new_empty(0)

    def _kernel(self, name: str) -> Kernel:
        if name not in self._made:
            self._made[name] = _MAKERS[name](self._weight, self._form)
        return self._made[name]

    def _trying(self, data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        work, names = self._work(tuple(data.shape)), self._names
        number = tuner.choice(work, names)
        if number is not None:
            self._choose(names[number])
            return self.kernel(data, bias, addend)
        candidates = tuple((name, functools.partial(self._run, name)) for name in names)
        result: Tensor = tuner.run(work, candidates, data, bias, addend)
        return result

    def _run(self, name: str, data: Tensor, bias: Tensor | None, addend: Tensor | None) -> Tensor:
        return self._kernel(name)(data, bias, addend)
