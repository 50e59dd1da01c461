"""Operators that reduce axes: sums, products, extremes, norms, and where the extremes stand."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import cast, grad_needed, normal_axis, one_element, prod
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..integer_gradients import applied
from ..params import DType, Shape
from ..registry import find, operator, shape_of
from ..shape_rules import Params, Result, Specs, along

Kernel = Callable[[Tensor, Shape, bool], Tensor]


def reduced_axes(ndim: int, axis: Shape | None, exclude: bool = False) -> Shape:
    """The axes to reduce, counted from the front and in order: all when none is named, the others with `exclude`."""
    if not axis:
        return tuple(range(ndim))
    axes = sorted(normal_axis(each, ndim) for each in axis)
    if len(set(axes)) < len(axes):
        raise OpParamError(f"axis={axis} names an axis twice")
    return tuple(each for each in range(ndim) if each not in axes) if exclude else tuple(axes)


def _sum(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    return torch.sum(data, axes, keepdim=keepdims, dtype=data.dtype)


def _mean(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    if data.is_floating_point():
        return torch.mean(data, axes, keepdim=keepdims)
    total = _sum(data, axes, keepdims)
    return torch.div(total, max(1, data.numel() // max(1, total.numel())), rounding_mode="trunc")


def _multiply_all(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    if not axes:
        return data
    if len(axes) == 1:
        return torch.prod(data, axes[0], keepdim=keepdims, dtype=data.dtype)
    # Torch takes one axis at a time: as one, factors keep their order, and 0 * 1e30 * 1e30 is not 0 * inf.
    kept = [axis for axis in range(data.dim()) if axis not in axes]
    shape = [data.shape[axis] for axis in kept]
    rows = data.permute(*kept, *axes).reshape(*shape, prod(data.shape[axis] for axis in axes))
    result = torch.prod(rows, -1, dtype=data.dtype)
    return result.reshape([1 if axis in axes else n for axis, n in enumerate(data.shape)]) if keepdims else result


class _Product(torch.autograd.Function):
    """The product whose gradient is found by dividing it by each factor: NaN where one is 0, as in MXNet."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
        result = _multiply_all(data, axes, keepdims)
        ctx.save_for_backward(data, result)
        ctx.shape = tuple(1 if axis in axes else length for axis, length in enumerate(data.shape))
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        data, result = ctx.saved_tensors
        return gradients[0].reshape(ctx.shape) * (result.reshape(ctx.shape) / data), None, None


def product(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    """The product over axes, with MXNet's gradient."""
    return applied(_Product, data, axes, keepdims) if grad_needed(data) else _multiply_all(data, axes, keepdims)


def _nansum(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    return _sum(_replace_nan(data, 0), axes, keepdims)


def _nanprod(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    return product(_replace_nan(data, 1), axes, keepdims)


def _replace_nan(data: Tensor, value: int) -> Tensor:
    return data.masked_fill(torch.isnan(data), value) if data.is_floating_point() else data


def _square_sum(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
    return _sum(torch.square(data), axes, keepdims)


class Extreme(torch.autograd.Function):
    """amax or amin whose gradient goes undivided to every element that ties, as MXNet's does.

    Data and result are compared in `backward`, in which both may have been written.
    """

    @staticmethod
    def forward(ctx: Any, data: Tensor, kernel: Any, axes: Shape, keepdims: bool) -> Tensor:
        """The largest or smallest elements along axes."""
        result = kernel(data, axes, keepdim=True)
        ctx.save_for_backward(data, result)
        ctx.shape = result.shape
        return result if keepdims else result.squeeze(axes)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradient goes to every element that ties."""
        data, result = ctx.saved_tensors
        return gradients[0].reshape(ctx.shape) * (data == result.reshape(ctx.shape)), None, None, None


def _extreme(kernel: Any) -> Kernel:
    def reduce(data: Tensor, axes: Shape, keepdims: bool) -> Tensor:
        if data.numel() == 0:
            raise OpShapeError("expected at least one element to take the extreme of, got none")
        if grad_needed(data):
            return applied(Extreme, data, kernel, axes, keepdims)
        return kernel(data, axes, keepdim=keepdims)

    return reduce


def _reduction(name: str, aliases: tuple[str, ...], kernel: Kernel, of_bools: Any, doc: str) -> None:
    """Declares one reduction; a bool array stays bool, so `of_bools` (any or all) does its work."""

    def function(data: Tensor, *, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False) -> Tensor:
        axes = reduced_axes(data.dim(), axis, exclude)
        if not axes:  # torch would read this as "all axes": reduce one that was not there
            data, axes, keepdims = data.unsqueeze(-1), (data.dim(),), False
        if data.dtype is torch.bool:
            result = of_bools(data, axes, keepdim=keepdims)
        else:
            result = kernel(data, axes, keepdims)
        return result if result.dim() else one_element(result)

    function.__doc__ = (
        f"{doc}\n\nArgs:\n"
        "    data: the array.\n"
        "    axis: the axes to reduce, one or several; all if there is none.\n"
        "    keepdims: keep the reduced axes with length 1.\n"
        "    exclude: reduce all axes but those named."
    )
    operator(name, *aliases)(function)


_reduction("sum", ("_sparse_sum", "sum_axis"), _sum, torch.any, "The sum over axes.")
_reduction("mean", ("_sparse_mean",), _mean, torch.any, "The mean over axes; of integers, cut off towards zero.")
_reduction("prod", (), product, torch.all, "The product over axes.")
_reduction("nansum", (), _nansum, torch.any, "The sum over axes, NaN counting as 0.")
_reduction("nanprod", (), _nanprod, torch.all, "The product over axes, NaN counting as 1.")
_reduction("max", ("max_axis",), _extreme(torch.amax), torch.any, "The largest element along axes.")
_reduction("min", ("min_axis",), _extreme(torch.amin), torch.all, "The smallest element along axes.")
_reduction("_square_sum", (), _square_sum, torch.any, "The sum of squares over axes.")


class Length(torch.autograd.Function):
    """The Euclidean norm; its gradient at 0 is NaN, as in MXNet, where torch has 0."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, axes: Shape) -> Tensor:
        """The norm along axes, which are kept."""
        result = torch.linalg.vector_norm(data, 2, axes, keepdim=True)
        ctx.save_for_backward(data, result)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The direction of the vector times the gradient."""
        data, result = ctx.saved_tensors
        return gradients[0] * (data / result), None


def _norm(data: Tensor, order: int, axes: Shape, keepdims: bool) -> Tensor:
    if order == 2 and grad_needed(data):
        result = Length.apply(data, axes)
        return result if keepdims else result.squeeze(axes)
    return torch.linalg.vector_norm(data, order, axes, keepdim=keepdims)


@operator("norm", "_sparse_norm")
def norm(
    data: Tensor,
    *,
    ord: int = 2,
    axis: Shape | None = None,
    out_dtype: DType | None = None,
    keepdims: bool = False,
) -> Tensor:
    """The norm over axes.

    Args:
        data: the array.
        ord: 1 sums absolute values, 2 takes the root of the sum of squares.
        axis: the axes to reduce, one or several; all if there is none.
        out_dtype: dtype of the result, and of the sum; that of the array if there is none.
        keepdims: keep the reduced axes with length 1.
    """
    if ord not in (1, 2):
        raise OpParamError(f"ord={ord}; expected 1 or 2")
    axes = reduced_axes(data.dim(), axis)
    target = out_dtype or data.dtype
    work = target if target.is_floating_point else torch.float64
    result = cast(_norm(data.to(work), ord, axes, keepdims), target)
    return result if result.dim() else one_element(result)


def _position(data: Tensor, axis: int | None, keepdims: bool, find: Callable[..., Tensor]) -> Tensor:
    """Where an extreme stands, in the dtype of the data; NaN is the most extreme, and the first of equals wins."""
    if data.dtype is torch.bool:
        raise OpTypeError("expected numbers, got a bool array; convert it with astype('int32')")
    if axis is not None:
        axis = normal_axis(axis, data.dim())
    if (data.numel() if axis is None else data.shape[axis]) == 0:
        raise OpShapeError("expected at least one element to choose from, got none")
    if axis is not None:
        result = find(data, axis, keepdim=keepdims)
    else:
        result = find(data.reshape(-1), 0)
        if keepdims:
            result = result.reshape([1] * data.dim())
    return (result if result.dim() else one_element(result)).to(data.dtype)


@operator("argmax", zero_gradient=True)
def argmax(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the largest element along an axis, or in the flattened array.

    Args:
        data: the array.
        axis: the axis; None takes the array as one line.
        keepdims: keep the reduced axes with length 1.
    """
    return _position(data, axis, keepdims, torch.argmax)


@operator("argmin", zero_gradient=True)
def argmin(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the smallest element along an axis, or in the flattened array.

    Args:
        data: the array.
        axis: the axis; None takes the array as one line.
        keepdims: keep the reduced axes with length 1.
    """
    return _position(data, axis, keepdims, torch.argmin)


@operator("argmax_channel", zero_gradient=True)
def argmax_channel(data: Tensor) -> Tensor:
    """The position of the largest element along axis 1."""
    return _position(data, 1, False, torch.argmax)


@operator("moments", outputs=2, names_input=True)
def moments(data: Tensor, *, axes: Shape | None = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The mean and the variance over axes, which have to be named.

    Args:
        data: the array.
        axes: the axes to reduce.
        keepdims: keep the reduced axes with length 1.
    """
    if not axes:
        raise OpParamError(f"axes={axes}; expected the axes to reduce, such as axes=(0,)")
    if data.dtype is torch.bool:
        raise OpTypeError("expected numbers, got a bool array; convert it with astype('float32')")
    reduced = reduced_axes(data.dim(), axes)
    values = data if data.is_floating_point() else data.to(torch.float64)
    mean = values.mean(reduced, keepdim=True)
    variance = torch.square(values - mean).mean(reduced, keepdim=keepdims)
    if not keepdims:
        mean = mean.squeeze(reduced)
    if not mean.dim():
        mean, variance = one_element(mean), one_element(variance)
    return cast(mean, data.dtype), cast(variance, data.dtype)


@operator("_np_cumsum", "cumsum", names_input=True)
def cumsum(a: Tensor, *, axis: int | None = None, dtype: DType | None = None) -> Tensor:
    """Running sums along an axis, or over the flattened array, in `dtype` if it is given.

    Args:
        a: the array.
        axis: the axis; None takes the array as one line.
        dtype: of the sums; that of the array if there is none, int64 for bools.
    """
    if axis is None:
        a, axis = a.reshape(-1), 0
    target = dtype or (torch.int64 if a.dtype is torch.bool else a.dtype)
    return torch.cumsum(cast(a, target), normal_axis(axis, a.dim()), dtype=target)


@shape_of("sum", "mean", "max", "min")
def _reduction_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None:
        return None
    shape, dtype = specs[0]
    axes = set(range(len(shape))) if not params["axis"] else {a % len(shape) for a in params["axis"] if shape}
    if params["exclude"]:
        axes = set(range(len(shape))) - axes
    if any(not -len(shape) <= axis < len(shape) for axis in params["axis"] or ()) or 0 in shape or not shape:
        return None
    kept = [1 if axis in axes else n for axis, n in enumerate(shape) if params["keepdims"] or axis not in axes]
    return [(tuple(kept) or (1,), dtype)]


def _reduced(name: str) -> None:
    function = find(name).function

    class Reduced(Rule):
        """Sums and means over axes."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            result = function(data, **params)
            axes = reduced_axes(data.dim(), params.get("axis"), bool(params.get("exclude")))
            kept = [1 if axis in axes else length for axis, length in enumerate(data.shape)]
            count = data.numel() // max(result.numel(), 1) if name == "mean" else 1
            return result, (kept, data.shape, count)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (kept, shape, count), grad = saved, grads[0]
            assert grad is not None
            spread = grad.reshape(kept)
            return ((spread if count == 1 else spread / count).expand(shape),)

    gradient_of(name)(Reduced)


for _name in ("mean", "sum"):
    _reduced(_name)


@shape_of("argmax", "argmin")
def _extreme_places_shape(specs: Specs, params: Params) -> Result:
    found = along(specs, params)
    if found is None or len(found[0]) < 2:
        return None  # what has no axes left depends on whether there are arrays without any
    shape, axis, dtype = found
    return [((*shape[:axis], *((1,) if params["keepdims"] else ()), *shape[axis + 1 :]), dtype)]


@shape_of("argmax_channel")
def _extreme_channels_shape(specs: Specs, params: Params) -> Result:
    return _extreme_places_shape(specs, {"axis": 1, "keepdims": False})


@shape_of("norm", "prod", "nansum", "nanprod")
def _reduced_shape(specs: Specs, params: Params) -> Result:
    """Over some axes or all; what has no axes left is an array of one element."""
    if specs[0] is None or params.get("out_dtype") or params.get("ord", 2) not in (1, 2):
        return None
    shape, dtype = specs[0]
    given = params["axis"] or tuple(range(len(shape)))
    axes = {axis % len(shape) for axis in given if -len(shape) <= axis < len(shape)}
    if params.get("exclude") or len(axes) < len(given) or 0 in shape or not dtype.is_floating_point:
        return None
    kept = [1 if axis in axes else n for axis, n in enumerate(shape) if params["keepdims"] or axis not in axes]
    return [(tuple(kept) or (1,), dtype)]
