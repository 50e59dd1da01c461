"""Reductions and statistics of mx.np.

Unlike those of `nd`, a reduction of all axes has no axes left, and `axis=()` reduces none.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import cast, expect_shape, grad_needed, normal_axis, prod, reaching, same_dtype
from ..dtype_rules import BOOLS, INDICES, DtypeRule, counted, fractions, unless_given
from ..integer_gradients import applied, with_gradient_of
from ..params import DType, Shape
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, axis_from_front
from ..tensor.reduction import Extreme, product, reduced_axes
from .series import refuse_bool


def _axes_of(data: Tensor, axis: Shape | None) -> Shape:
    """The axes to reduce: all for None; a single number may be reduced along axis 0, which it does not have."""
    if axis == () or (data.dim() == 0 and axis in ((0,), (-1,))):
        return ()
    return reduced_axes(data.dim(), axis)


def with_axes(data: Tensor, axis: Shape | None) -> tuple[Tensor, Shape, bool]:
    """The data, its axes to reduce, and whether these may be kept; never no axes, which torch reads as all."""
    axes = _axes_of(data, axis)
    return (data, axes, True) if axes else (data.unsqueeze(-1), (data.dim(),), False)


def _refuse_initial(initial: float | None) -> None:
    if initial is not None:
        raise OpParamError(f"initial={initial:g} is not supported; combine the result with it instead")


def empty_result(data: Tensor, axes: Shape, keepdims: bool, dtype: torch.dtype) -> Tensor:
    """Zeros in the shape of a reduction."""
    lengths = [1 if axis in axes else n for axis, n in enumerate(data.shape) if keepdims or axis not in axes]
    return torch.zeros(lengths, dtype=dtype, device=data.device)


# Sums and products. Numbers are added in the wider of two dtypes, and the result is converted.


def _target_of(data: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """The dtype of a sum or product: bools are counted in int64."""
    if data.dtype is not torch.bool:
        return dtype or data.dtype
    if dtype not in (None, torch.int32, torch.int64, torch.float32, torch.float64):
        raise OpTypeError(f"dtype={NAME_OF_TORCH[dtype]} for a bool array; expected int32, int64, float32 or float64")
    return dtype or torch.int64


def _of_flat(data: Tensor, result: Tensor) -> Tensor:
    """A result that has no gradient if the data are bools or integers."""
    return result if data.is_floating_point() else reaching(result, data)


@operator("_np_sum", dtypes=DtypeRule(outputs=unless_given(counted)))
def np_sum(
    a: Tensor,
    *,
    axis: Shape | None = None,
    dtype: DType | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The sum over axes.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        dtype: dtype of the result; that of the array if there is none, and int64 for bools.
        keepdims: keep the reduced axes with length 1.
        initial: not supported, as in MXNet.
    """
    _refuse_initial(initial)
    target = _target_of(a, dtype)
    data, axes, keepable = with_axes(a, axis)
    work = torch.promote_types(a.dtype, target)
    return _of_flat(a, cast(torch.sum(data, axes, keepdim=keepdims and keepable, dtype=work), target))


@operator("_np_prod", "_np_product", dtypes=DtypeRule(outputs=unless_given(counted)))
def np_prod(
    a: Tensor,
    *,
    axis: Shape | None = None,
    dtype: DType | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The product over axes, and 0 of nothing, as in MXNet; the arguments are those of `np.sum`."""
    _refuse_initial(initial)
    target = _target_of(a, dtype)
    data, axes, keepable = with_axes(a, axis)
    if data.numel() == 0:
        return empty_result(data, axes, keepdims and keepable, target)
    values = data.to(torch.promote_types(a.dtype, target))
    return _of_flat(a, cast(product(values, axes, keepdims and keepable), target))


def _mean_of_whole(data: Tensor, axes: Shape, keepdims: bool, target: torch.dtype) -> Tensor:
    """The mean as integers, which hold the sum too; its gradient is that of the mean."""
    count = prod(data.shape[axis] for axis in axes)
    work = torch.promote_types(data.dtype, target)
    total = cast(torch.sum(data.detach(), axes, keepdim=keepdims, dtype=work), target)
    value = torch.div(total, count, rounding_mode="trunc").to(target)
    if not grad_needed(data):
        return value
    return with_gradient_of(torch.sum(data, axes, keepdim=keepdims, dtype=torch.float64) / count, value)


@operator("_npi_mean", dtypes=DtypeRule(outputs=unless_given(fractions)))
def np_mean(
    a: Tensor,
    *,
    axis: Shape | None = None,
    dtype: DType | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The mean over axes, and 0 of nothing, as in MXNet; of integers and bools in float32.

    The arguments are those of `np.sum`. Where the result is of integers, they hold the sum too, as in NumPy.
    """
    _refuse_initial(initial)
    target = dtype or (a.dtype if a.is_floating_point() else torch.float32)
    data, axes, keepable = with_axes(a, axis)
    if data.numel() == 0:
        return empty_result(data, axes, keepdims and keepable, target)
    work = torch.promote_types(a.dtype, target)
    if not target.is_floating_point:
        return _of_flat(a, _mean_of_whole(data, axes, keepdims and keepable, target))
    return _of_flat(a, cast(torch.mean(data, axes, keepdim=keepdims and keepable, dtype=work), target))


# Spread. MXNet gives these no gradient.


def _variance(data: Tensor, axes: Shape, target: torch.dtype, ddof: int, keepdims: bool) -> Tensor:
    """The variance, in a floating dtype. The mean of integers is cut off to an integer first, as in MXNet."""
    count = prod(data.shape[axis] for axis in axes)
    freedom = max(count - ddof, 0)
    if data.is_floating_point():
        values = data.to(torch.promote_types(data.dtype, target))
        if freedom and values.numel():
            return torch.var(values, axes, correction=ddof, keepdim=keepdims)
        mean = values.sum(axes, keepdim=True) / max(count, 1)
        return torch.square(values - mean).sum(axes, keepdim=keepdims) / freedom
    values = data.to(torch.int64)
    mean = torch.div(values.sum(axes, keepdim=True), max(count, 1), rounding_mode="trunc")
    return torch.square(values - mean).sum(axes, keepdim=keepdims, dtype=torch.float64) / freedom


def _spread(root: bool, a: Tensor, axis: Shape | None, dtype: torch.dtype | None, ddof: int, keepdims: bool) -> Tensor:
    refuse_bool(a, "a")
    target = dtype or a.dtype
    if target is torch.bool:
        raise OpTypeError("dtype=bool; expected a dtype of numbers")
    data, axes, keepable = with_axes(a.detach(), axis)
    variance = _variance(data, axes, target, ddof, keepdims and keepable)
    return cast(torch.sqrt(variance) if root else variance, target)


@operator("_npi_std", zero_gradient=True, total_outputs=2, output_names=("std", "mean"))
def np_std(
    a: Tensor, *, axis: Shape | None = None, dtype: DType | None = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The standard deviation over axes, without gradient.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        dtype: dtype of the result; that of the array if there is none.
        ddof: what is subtracted from the number of elements before it divides the sum of squares.
        keepdims: keep the reduced axes with length 1.
    """
    return _spread(True, a, axis, dtype, ddof, keepdims)


@operator("_npi_var", zero_gradient=True, total_outputs=2, output_names=("var", "mean"))
def np_var(
    a: Tensor, *, axis: Shape | None = None, dtype: DType | None = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The variance over axes, without gradient; the arguments are those of `np.std`."""
    return _spread(False, a, axis, dtype, ddof, keepdims)


@operator(
    "_npi_average",
    outputs=lambda params: 2 if params["returned"] else 1,
    takes=lambda params: ("a", "weights") if params["weighted"] else ("a",),
    total_outputs=2,
)
def average(
    a: Tensor,
    weights: Tensor | None = None,
    *,
    axis: Shape | None = None,
    returned: bool = False,
    weighted: bool = True,
) -> Tensor | tuple[Tensor, Tensor]:
    """The mean over axes with weights; of integers, cut off.

    Args:
        a: the array.
        weights: as many as elements, or as many as the one axis is long.
        axis: the axes to reduce, one or several; all if there is none.
        returned: also return the sum of the weights.
        weighted: whether there are weights; they count as 1 otherwise.
    """
    refuse_bool(a, "a")
    data, axes, _ = with_axes(a, axis)
    work = a.dtype if a.is_floating_point() else torch.float64
    if not weighted:
        count = prod(data.shape[each] for each in axes)
        total = torch.full((), count, dtype=a.dtype, device=a.device)
        mean = cast(torch.sum(data, axes, dtype=work) / count, a.dtype)
        return (mean, total) if returned else mean
    if weights is None:
        raise OpShapeError("expected weights, got none; with weighted=False there are none")
    same_dtype(a=a, weights=weights)
    if weights.shape == a.shape:
        factors = weights.reshape(data.shape)
        total = torch.sum(factors, axes, dtype=work)
    else:
        factors = _along_axis(weights, a, axis)
        total = torch.sum(weights, dtype=work)
    mean = cast(torch.sum(data * factors, axes, dtype=work) / total, a.dtype)
    return (mean, cast(total.detach(), a.dtype)) if returned else mean


def _along_axis(weights: Tensor, a: Tensor, axis: Shape | None) -> Tensor:
    """A vector of weights, laid along the one axis it belongs to."""
    if axis is None or len(axis) != 1:
        raise OpParamError(
            f"axis={axis} with weights of shape {tuple(weights.shape)} for an array of shape {tuple(a.shape)}; "
            "expected the one axis that the weights belong to, or weights of the shape of the array"
        )
    place = normal_axis(axis[0], a.dim())
    expect_shape("weights", weights, (a.shape[place],))
    return weights.reshape([-1 if each == place else 1 for each in range(a.dim())])


# Extremes and truth.


def _largest_or_smallest(
    kernel: Callable[..., Tensor], a: Tensor, axis: Shape | None, keepdims: bool, initial: float | None
) -> Tensor:
    _refuse_initial(initial)
    if a.dim() == 0 and axis:
        normal_axis(axis[0], 0)
    data, axes, keepable = with_axes(a, axis)
    if 0 in (data.shape[each] for each in axes):
        raise OpShapeError(f"expected at least one element along axis={axis} to take the extreme of, got none")
    if grad_needed(data):
        return applied(Extreme, data, kernel, axes, keepdims and keepable)
    return kernel(data, axes, keepdim=keepdims and keepable)


@operator("_np_max", "_np_amax")
def np_max(a: Tensor, *, axis: Shape | None = None, keepdims: bool = False, initial: float | None = None) -> Tensor:
    """The largest element along axes; every one that ties gets the gradient.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        initial: not supported, as in MXNet.
    """
    return _largest_or_smallest(torch.amax, a, axis, keepdims, initial)


@operator("_np_min", "_np_amin")
def np_min(a: Tensor, *, axis: Shape | None = None, keepdims: bool = False, initial: float | None = None) -> Tensor:
    """The smallest element along axes; the arguments are those of `np.max`."""
    return _largest_or_smallest(torch.amin, a, axis, keepdims, initial)


@operator("_np_all", zero_gradient=True, dtypes=BOOLS)
def np_all(data: Tensor, *, axis: Shape | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along axes are true, that is, not 0."""
    truth, axes, keepable = with_axes(data.detach().to(torch.bool), axis)
    return torch.all(truth, axes, keepdim=keepdims and keepable)


@operator("_np_any", "_np_sometrue", zero_gradient=True, dtypes=BOOLS)
def np_any(data: Tensor, *, axis: Shape | None = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is true, that is, not 0."""
    truth, axes, keepable = with_axes(data.detach().to(torch.bool), axis)
    return torch.any(truth, axes, keepdim=keepdims and keepable)


def _position(find: Callable[..., Tensor], data: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    """Where an extreme stands; NaN is the most extreme, and the first of equals wins."""
    refuse_bool(data, "data")
    data = data.detach()
    if axis is not None:
        axis = normal_axis(axis, max(data.dim(), 1))
    if (data.numel() if axis is None else data.shape[axis] if data.dim() else 1) == 0:
        raise OpShapeError("expected at least one element to choose from, got none")
    if axis is not None:
        return find(data, axis, keepdim=keepdims)
    position = find(data.reshape(-1), 0)
    return position.reshape([1] * data.dim()) if keepdims else position


@operator("_npi_argmax", zero_gradient=True, dtypes=INDICES)
def np_argmax(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the largest element along an axis, or in the flattened array, as int64."""
    return _position(torch.argmax, data, axis, keepdims)


@operator("_npi_argmin", zero_gradient=True, dtypes=INDICES)
def np_argmin(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The position of the smallest element along an axis, or in the flattened array, as int64."""
    return _position(torch.argmin, data, axis, keepdims)


# Questions.


@operator(
    "_npx_constraint_check",
    zero_gradient=True,
    reads_values=True,
    dtypes=DtypeRule(outputs=(torch.bool,), takes={"input": torch.bool}),
)
def constraint_check(input: Tensor, *, msg: str = "Constraint violated.") -> Tensor:
    """True, if all elements of a bool array are; otherwise an error with the text of `msg`."""
    if input.dtype is not torch.bool:
        raise OpTypeError(f"expected a bool array, got {NAME_OF_TORCH[input.dtype]}; compare it with something")
    truth = torch.all(input)
    if truth.device.type != "meta" and not bool(truth):
        raise OpParamError(msg)
    return truth


@operator("_npi_share_memory", zero_gradient=True, dtypes=DtypeRule(free=("b",), outputs=(torch.bool,)))
def share_memory(a: Tensor, b: Tensor) -> Tensor:
    """Whether two arrays lie in the same memory, or in overlapping parts of one."""
    shared = False
    if a.device.type != "meta" and a.numel() and b.numel():
        (start_a, end_a), (start_b, end_b) = _extent(a), _extent(b)
        shared = a.device == b.device and start_a < end_b and start_b < end_a
    return torch.full((), shared, dtype=torch.bool, device=a.device)


def _extent(tensor: Tensor) -> tuple[int, int]:
    """The addresses between which the elements lie."""
    last = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride(), strict=True))
    start: int = tensor.data_ptr()
    return start, start + (last + 1) * tensor.element_size()


@shape_of("_np_sum", "_npi_mean", "_np_max", "_np_min")
def _np_reduction_shape(specs: Specs, params: Params) -> Result:
    """A reduction of real numbers that leaves no axes if all are reduced."""
    if specs[0] is None or params.get("dtype") or params["initial"] is not None or not specs[0][1].is_floating_point:
        return None
    shape, dtype = specs[0]
    given = params["axis"] if params["axis"] is not None else tuple(range(len(shape)))
    axes = {axis % len(shape) for axis in given if shape}
    if len(axes) < len(given) or any(not -len(shape) <= axis < len(shape) for axis in given) or 0 in shape:
        return None
    return [(tuple(1 if i in axes else n for i, n in enumerate(shape) if params["keepdims"] or i not in axes), dtype)]


@shape_of("_npi_argmax", "_npi_argmin")
def _found_shape(specs: Specs, params: Params) -> Result:
    """The places of extremes."""
    if specs[0] is None or 0 in specs[0][0]:
        return None
    shape = specs[0][0]
    if params["axis"] is None:
        return None if params["keepdims"] else [((), torch.int64)]
    axis = axis_from_front(params["axis"], len(shape))
    if axis is None:
        return None
    kept = (1,) if params["keepdims"] else ()
    return [((*shape[:axis], *kept, *shape[axis + 1 :]), torch.int64)]
