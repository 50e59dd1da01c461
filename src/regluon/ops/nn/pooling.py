"""Pooling: one number for every window that slides over the data."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ...kernels.eligibility import suits_kernels
from ...kernels.layout import to_channels_first, to_channels_last
from ...kernels.tuning import run_best
from ...kernels.vjp import differentiable, vjp
from ...native import kernels
from ...torch_private import max_pool2d_with_indices, max_pool2d_with_indices_backward
from ..common import expect_floating, grad_needed, remembered
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import row_by_row
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
from .checks import expect_window_fits, is_channels_last, per_axis

PoolType = Literal["avg", "lp", "max", "sum"]
Convention = Literal["full", "same", "valid"]
Layout = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"]

_MAX_POOL: dict[int, Any] = {1: torch.max_pool1d, 2: torch.max_pool2d, 3: torch.max_pool3d}
_GLOBAL_MAX: dict[int, Any] = {
    1: functional.adaptive_max_pool1d,
    2: functional.adaptive_max_pool2d,
    3: functional.adaptive_max_pool3d,
}


class _Plan(NamedTuple):
    """How torch pools as asked.

    Torch takes padding of at most half the kernel, and leaves out windows that start beyond the data. Where that is not
    what was asked, `border` holds what to add to the data beforehand: two numbers per axis, last axis first.
    """

    kernel: Shape
    stride: Shape
    pad: Shape
    outputs: Shape
    rounds_up: bool
    border: Shape


@remembered
def _plan(sizes: Shape, kernel: Shape, stride: Shape, pad: Shape, convention: str) -> _Plan:
    ndim = len(sizes)
    if len(kernel) != ndim or min(kernel) < 1:
        raise OpParamError(f"kernel={kernel}; expected {ndim} sizes for the spatial axes, none below 1")
    stride = per_axis("stride", stride, ndim, 1, 1)
    if convention == "same":
        if ndim != 1 or any(pad):
            raise OpParamError("pooling_convention='same' is for one spatial axis, without pad")
        pad = ()
    pad = per_axis("pad", pad, ndim, 0, 0)
    expect_window_fits(sizes, kernel, pad)
    axes = list(zip(sizes, kernel, stride, pad, strict=True))
    if convention == "same":
        outputs = tuple(-(-n // s) for n, _, s, _ in axes)
    elif convention == "full":
        outputs = tuple(-(-(n + 2 * p - k) // s) + 1 for n, k, s, p in axes)
    else:
        outputs = tuple((n + 2 * p - k) // s + 1 for n, k, s, p in axes)
    as_torch = convention != "same" and all(
        p <= k // 2 and (o - 1) * s < n + p for (n, k, s, p), o in zip(axes, outputs, strict=True)
    )
    if as_torch:
        return _Plan(kernel, stride, pad, outputs, convention == "full", ())
    border: list[int] = []
    for (n, k, s, p), o in zip(axes, outputs, strict=True):
        border[:0] = [p, (o - 1) * s + k - n - p]
    return _Plan(kernel, stride, (0,) * ndim, outputs, False, tuple(border))


def torch_plan(data: Tensor, params: Mapping[str, Any]) -> _Plan | None:
    """How torch takes the maxima of images, if it can do so without a border around the data."""
    if data.dim() != 4:
        raise OpShapeError(f"kernel={params['kernel']} needs data of 4 dimensions, got {data.dim()}")
    window = (params["kernel"], params.get("stride", ()), params.get("pad", ()))
    plan = _plan(tuple(data.shape[2:]), *window, params.get("pooling_convention", "valid"))
    return None if plan.border else plan


def _maxima(data: Tensor, plan: _Plan) -> Tensor:
    if plan.border:
        data = functional.pad(data, plan.border, value=torch.finfo(data.dtype).min)
    if not grad_needed(data) and has_kernel(data, plan.kernel):
        result: Tensor = torch.ops.regluon.max_pool.default(data, plan.outputs, plan.kernel, plan.stride, plan.pad)[0]
        return result
    if suits_kernels(data) and data.dim() == 4 and data.is_contiguous() and data.numel() >= _LARGE:
        return run_best(("maxima", tuple(data.shape), plan), _WAYS_TO_MAXIMA, data, plan)
    return _directly(data, plan)


def has_kernel(data: Tensor, kernel: tuple[int, ...]) -> bool:
    """Whether there is a kernel of our own for these images: single precision, channels last in memory."""
    is_usual = suits_kernels(data) and data.dim() == 4 and kernel[0] * kernel[1] <= 256
    return is_usual and data.is_contiguous(memory_format=torch.channels_last) and kernels() is not None


def _directly(data: Tensor, plan: _Plan) -> Tensor:
    return _MAX_POOL[data.dim() - 2](data, plan.kernel, plan.stride, plan.pad, 1, plan.rounds_up)


def _through_last(data: Tensor, plan: _Plan) -> Tensor:
    """With channels last in memory, where torch takes several channels at a time."""
    if grad_needed(data):
        result: Tensor = _ThroughLast.apply(data, plan)
        return result
    return to_channels_first(_directly(to_channels_last(data), plan))


class _ThroughLast(torch.autograd.Function):
    """The same for data that a gradient is wanted of: it is computed with channels first, as all that surrounds it."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, plan: _Plan) -> Tensor:
        ctx.window = (plan.kernel, plan.stride, plan.pad, (1, 1), plan.rounds_up)
        result, places = max_pool2d_with_indices(to_channels_last(data), *ctx.window)
        ctx.save_for_backward(data, places.contiguous())
        return to_channels_first(result)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        data, places = ctx.saved_tensors
        return max_pool2d_with_indices_backward(grads[0], data, *ctx.window, places), None


_LARGE = 1 << 14  # elements
_WAYS_TO_MAXIMA = (("directly", _directly), ("through last", _through_last))


def _sums(data: Tensor, plan: _Plan) -> Tensor:
    if plan.border:
        data = functional.pad(data, plan.border)
    kernel, stride, pad, up = plan.kernel, plan.stride, plan.pad, plan.rounds_up
    if data.dim() == 5:
        return functional.avg_pool3d(data, kernel, stride, pad, up, True, 1)
    if data.dim() == 4:
        return functional.avg_pool2d(data, kernel, stride, pad, up, True, 1)
    image = data.unsqueeze(2)
    return functional.avg_pool2d(image, (1, *kernel), (1, *stride), (0, *pad), up, True, 1).squeeze(2)


def _means(data: Tensor, plan: _Plan, include_pad: bool) -> Tensor:
    kernel, stride, pad, up = plan.kernel, plan.stride, plan.pad, plan.rounds_up
    if plan.border:
        sums = _sums(data, plan)
        return sums / _counts(tuple(data.shape[2:]), plan, include_pad, sums)
    if data.dim() == 5:
        return functional.avg_pool3d(data, kernel, stride, pad, up, include_pad)
    if data.dim() == 4:
        return functional.avg_pool2d(data, kernel, stride, pad, up, include_pad)
    return functional.avg_pool1d(data, kernel, stride, pad, up, include_pad)


def _counts(sizes: Shape, plan: _Plan, include_pad: bool, like: Tensor) -> Tensor:
    """How many elements the mean of each window is taken over: padding counts, what lies beyond it does not."""
    total = torch.ones((), dtype=like.dtype, device=like.device)
    lefts = plan.border[::2][::-1]
    for n, k, s, p, outputs in zip(sizes, plan.kernel, plan.stride, lefts, plan.outputs, strict=True):
        first = torch.arange(outputs, device=like.device) * s - p
        last = first + k
        count = last.clamp(max=n + p) - first if include_pad else last.clamp(max=n) - first.clamp(min=0)
        total = total.unsqueeze(-1) * count.clamp(min=1)  # an empty window sums up to 0
    return total


def _root(sums: Tensor, power: int) -> Tensor:
    """The p-th root with the sign of the sum, and with gradient 0 at 0."""
    if power == 1:
        return sums
    is_zero = sums == 0
    safe = torch.where(is_zero, 1, sums)
    root = safe.sqrt() if power == 2 else safe.sign() * safe.abs().pow(1 / power)
    return torch.where(is_zero, 0, root)


def _pool_all(data: Tensor, pool_type: str, power: int) -> Tensor:
    axes = tuple(range(2, data.dim()))
    if pool_type == "max":
        return _GLOBAL_MAX[len(axes)](data, (1,) * len(axes))
    if pool_type == "avg":
        return data.mean(axes, keepdim=True)
    return _root(data.pow(power).sum(axes, keepdim=True), power)


def _num_total_outputs(params: Params) -> int:
    """The places of the maxima are kept for the gradient."""
    channels_last = (params["layout"] or "").endswith("C")
    return 2 if params["pool_type"] == "max" and params["kernel"] and not channels_last else 1


@operator(
    "Pooling",
    "_npx_pooling",
    total_outputs=_num_total_outputs,
    output_names=("output", "workspace"),
    names_input=True,
    partial_shapes=row_by_row,
)
def pooling(
    data: Tensor,
    *,
    kernel: Shape = (),
    pool_type: PoolType = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Convention = "valid",
    stride: Shape = (),
    pad: Shape = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Layout | None = None,
) -> Tensor:
    """Takes the maximum, mean, sum or p-norm over windows of the data.

    Args:
        data: (batch, channels, *sizes) with 1 to 3 spatial axes, or (batch, *sizes, channels) in the layouts that end
            with C.
        kernel: size of the windows.
        pool_type: what is taken. 'lp' is the p-th root of the sum of p-th powers, signs kept.
        global_pool: takes the whole data as one window.
        cudnn_off: has no effect.
        pooling_convention: 'valid' leaves out elements at the end that do not fill a window, 'full' keeps a partial
            window, 'same' starts a window at every step of the data.
        stride: step of the windows, 1 if not given.
        pad: padding on both sides of the data, 0 if not given.
        p_value: the p of 'lp': 1, 2 or 3.
        count_include_pad: whether padding counts in the mean; it does if not given.
        layout: order of the axes; channels first if not given.
    """
    expect_floating(data)
    ndim = data.dim() - 2
    if not 1 <= ndim <= 3:
        raise OpShapeError(f"expected data of 3, 4 or 5 dimensions (batch, channels, sizes), got {data.dim()}")
    if pool_type == "lp" and p_value not in (1, 2, 3):
        raise OpParamError(f"pool_type='lp' needs p_value=1, 2 or 3, got {p_value}")
    power = p_value if pool_type == "lp" and p_value else 1
    channels_last = is_channels_last(layout, ndim)
    if channels_last:
        data = data.movedim(-1, 1)
    if global_pool:
        result = _pool_all(data, pool_type, power)
    else:
        plan = _plan(tuple(data.shape[2:]), kernel, stride, pad, pooling_convention)
        if data.numel() == 0 and 0 in data.shape[:2]:  # torch asks for channels
            result = data.reshape(-1).reshape(*data.shape[:2], *plan.outputs)
        elif pool_type == "max":
            result = _maxima(data, plan)
        elif pool_type == "avg":
            result = _means(data, plan, count_include_pad is not False)
        else:
            result = _root(_sums(data if power == 1 else data.pow(power), plan), power)
    return result.movedim(1, -1).contiguous() if channels_last else result


@shape_of("Pooling")
def _pooling_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C":
        return None
    data, dtype = specs[0]  # type: ignore[misc]
    ndim = len(data) - 2
    if not 1 <= ndim <= 3:
        return None
    if params["global_pool"]:
        return [((*data[:2], *(1,) * ndim), dtype)]
    kernel, stride, pad = params["kernel"], params["stride"] or (1,) * ndim, params["pad"] or (0,) * ndim
    if not len(kernel) == len(stride) == len(pad) == ndim or params["pooling_convention"] == "same" or min(stride) < 1:
        return None
    spans = [(n + 2 * p - k, s) for n, k, s, p in zip(data[2:], kernel, stride, pad, strict=True)]
    if min(span for span, _ in spans) < 0:
        return None
    up = params["pooling_convention"] == "full"
    return [((*data[:2], *(-(-span // s) + 1 if up else span // s + 1 for span, s in spans)), dtype)]


@gradient_of("Pooling")
class Pooling(Rule):
    """Maxima over windows of images, and means over whole images.

    What is kept: the shape of the data for means; the height and width, a geometry of three parts and the places of
    the maxima by our own kernel; otherwise the data with a window of five parts, or with torch's own graph.
    """

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        if params["layout"] not in (None, "NCHW") or params["p_value"] is not None:
            return False
        if params["global_pool"]:
            return params["pool_type"] == "avg"
        return params["pool_type"] == "max" and len(params["kernel"]) == 2 and params["pooling_convention"] != "same"

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        if params.get("global_pool"):
            return pooling(data, **params), (data.shape, None, None)
        expect_floating(data)
        plan = torch_plan(data, params)
        if plan is None:  # torch needs the border written out: it finds the gradient as well
            with differentiable():
                leaf = data.detach().requires_grad_()
                result = pooling(leaf, **params)
            return result.detach(), (leaf, None, result)
        window = (plan.kernel, plan.stride, plan.pad, (1, 1), plan.rounds_up)
        if has_kernel(data, plan.kernel):
            geometry = (plan.kernel, plan.stride, plan.pad)
            result, taps = torch.ops.regluon.max_pool.default(data, plan.outputs, *geometry)
            return result, (data.shape[2:], geometry, taps)
        result, places = max_pool2d_with_indices(data, *window)
        return result, (data, window, places)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, window, places), grad = saved, grads[0]
        assert grad is not None
        if window is None and isinstance(data, torch.Size):
            count = data.numel() // max(grad.numel(), 1)
            return ((grad / count).expand(data),)
        if len(window or ()) == 3:
            return (torch.ops.regluon.max_pool_gradient.default(grad, places, data, *window),)
        if window is None:
            return vjp([places], [data], [grad], retain_graph=True)
        return (max_pool2d_with_indices_backward(grad, data, *window, places),)
