"""Operators that work element by element: roots, logarithms, trigonometry, rounding, and conversions of the dtype."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError, OpTypeError
from ...torch_private import foreach
from ..common import cast, grad_needed, in_float, same_dtype, same_shape
from ..dtype_rules import INDICES
from ..gradient import recomputed
from ..params import Ctx, DType
from ..precision import fitted, single
from ..registry import operator
from .unary_kernels import cbrt, erfinv, expm1, gamma_function, log_gamma, rcbrt, reciprocal, rsqrt

Kernel = Callable[[Tensor], Tensor]

# MXNet holds these in single precision, for float64 arrays too.
_DEGREES = 57.295776367187500
_RADIANS = 0.01745329238474369


def _only_numbers(data: Tensor) -> None:
    if data.dtype is torch.bool:
        raise OpTypeError("expected numbers, got a bool array; convert it with astype('float32')")


def _only_floats(data: Tensor) -> None:
    if not data.is_floating_point():
        raise OpTypeError("expected a floating-point array; convert it with astype('float32')")


def _real(name: str, aliases: tuple[str, ...], kernel: Kernel, doc: str) -> None:
    """Declares a function of real numbers; integers are computed as such and the result is cut off."""

    def function(data: Tensor) -> Tensor:
        if data.is_floating_point():
            return kernel(data)
        _only_numbers(data)
        return in_float(kernel, data)

    function.__doc__ = doc
    operator(name, *aliases, alike=True)(function)


def _any_number(name: str, aliases: tuple[str, ...], kernel: Kernel, doc: str, **traits: Any) -> None:
    """Declares a function that torch computes in any dtype of numbers."""

    def function(data: Tensor) -> Tensor:
        if data.dtype is torch.bool:
            _only_numbers(data)
        return kernel(data)

    function.__doc__ = doc
    operator(name, *aliases, alike=True, **traits)(function)


def _round(data: Tensor) -> Tensor:
    """Halves go away from zero; torch.round sends them to the even neighbour."""
    if not data.is_floating_point():
        return data.clone()
    whole = torch.trunc(data)
    return torch.where(torch.abs(data - whole) >= 0.5, whole + torch.sign(data), whole)


def _rint(data: Tensor) -> Tensor:
    """Halves go down."""
    if not data.is_floating_point():
        return data.clone()
    below, above = torch.floor(data), torch.ceil(data)
    return torch.where(data - below <= above - data, below, above)


class _Softsign(torch.autograd.Function):
    """x / (1 + |x|), whose gradient is 0 at infinity."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        ctx.save_for_backward(data)
        return data / (1 + torch.abs(data))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] / torch.square(1 + torch.abs(ctx.saved_tensors[0]))


def softsign(data: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return _Softsign.apply(data) if grad_needed(data) else data / (1 + torch.abs(data))


def _degrees(data: Tensor) -> Tensor:
    return data * _DEGREES


def _radians(data: Tensor) -> Tensor:
    return data * _RADIANS


def _logical_not(data: Tensor) -> Tensor:
    return (data == 0).to(data.dtype)


_any_number("abs", ("_sparse_abs",), torch.abs, "The absolute value.")
_any_number("sign", ("_sparse_sign",), torch.sign, "-1, 0 or 1, the sign; 0 for NaN.")
_any_number("round", ("_sparse_round",), _round, "The nearest whole number; halves go away from zero.")
_any_number("rint", ("_sparse_rint",), _rint, "The nearest whole number; halves go down.")
_any_number("ceil", ("_sparse_ceil",), torch.ceil, "The nearest whole number above.")
_any_number("floor", ("_sparse_floor",), torch.floor, "The nearest whole number below.")
_any_number("trunc", ("_sparse_trunc",), torch.trunc, "The whole number that is left when the fraction is cut off.")
_any_number("fix", ("_sparse_fix",), torch.trunc, "The nearest whole number towards zero.")
_any_number("square", ("_sparse_square",), torch.square, "The square of every element.")
_any_number("negative", ("_sparse_negative",), torch.neg, "The number with the other sign.")
_any_number("relu", ("_sparse_relu",), torch.relu, "The number, or 0 if it is negative; the gradient at 0 is 0.")
_any_number("logical_not", (), _logical_not, "1 where the number is 0, and 0 elsewhere.", zero_gradient=True)

_real("sqrt", ("_sparse_sqrt",), torch.sqrt, "The square root.")
_real("rsqrt", ("_sparse_rsqrt",), rsqrt, "One divided by the square root.")
_real("cbrt", ("_sparse_cbrt",), cbrt, "The cube root.")
_real("rcbrt", (), rcbrt, "One divided by the cube root.")
_real("exp", ("_sparse_exp",), torch.exp, "The exponential of every element.")
_real("log", ("_sparse_log",), torch.log, "The natural logarithm.")
_real("log10", ("_sparse_log10",), torch.log10, "The logarithm to base 10.")
_real("log2", ("_sparse_log2",), torch.log2, "The logarithm to base 2.")
_real("log1p", ("_sparse_log1p",), torch.log1p, "log(1 + x), precise for small x.")
_real("expm1", ("_sparse_expm1",), expm1, "exp(x) - 1, precise for small x.")
_real("sin", ("_sparse_sin",), torch.sin, "The sine of an angle in radians.")
_real("cos", ("_sparse_cos",), torch.cos, "The cosine of an angle in radians.")
_real("tan", ("_sparse_tan",), torch.tan, "The tangent of an angle in radians.")
_real("arcsin", ("_sparse_arcsin",), torch.arcsin, "The angle whose sine this is.")
_real("arccos", ("_sparse_arccos",), torch.arccos, "The angle whose cosine this is.")
_real("arctan", ("_sparse_arctan",), torch.arctan, "The angle whose tangent this is.")
_real("degrees", ("_sparse_degrees",), _degrees, "An angle converted from radians to degrees.")
_real("radians", ("_sparse_radians",), _radians, "An angle converted from degrees to radians.")
_real("sinh", ("_sparse_sinh",), torch.sinh, "The hyperbolic sine.")
_real("cosh", ("_sparse_cosh",), torch.cosh, "The hyperbolic cosine.")
_real("tanh", ("_sparse_tanh",), torch.tanh, "The hyperbolic tangent.")
_real("arcsinh", ("_sparse_arcsinh",), torch.arcsinh, "The inverse of the hyperbolic sine.")
_real("arccosh", ("_sparse_arccosh",), torch.arccosh, "The inverse of the hyperbolic cosine.")
_real("arctanh", ("_sparse_arctanh",), torch.arctanh, "The inverse of the hyperbolic tangent.")
_real("gammaln", ("_npx_gammaln", "_sparse_gammaln"), log_gamma, "The logarithm of the gamma function's size.")
_real("erf", ("_npx_erf",), torch.erf, "The error function.")
_real("erfinv", ("_npx_erfinv",), erfinv, "The inverse of the error function.")
_real("reciprocal", (), reciprocal, "One divided by the number.")
_real("sigmoid", ("_sparse_sigmoid",), torch.sigmoid, "1 / (1 + exp(-x)).")
_real("softsign", (), softsign, "x / (1 + |x|).")


@operator("gamma", "_npx_gamma", "_sparse_gamma", alike=True)
def gamma(data: Tensor) -> Tensor:
    """The gamma function, (x - 1)! for a whole number x."""
    if data.is_floating_point():
        return recomputed(gamma_function, data)
    _only_numbers(data)
    # A factorial is whole: cutting off would turn 23.999... into 23.
    return in_float(lambda values: torch.round(gamma_function(values)), data)


@operator("hard_sigmoid", alike=True)
def hard_sigmoid(data: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    """alpha * x + beta, limited to [0, 1]; the gradient at both limits is 0.

    Args:
        data: the array.
        alpha: the slope.
        beta: the result at 0.
    """
    _only_floats(data)

    def limited(values: Tensor) -> Tensor:
        line = values * alpha + beta
        result = line.clamp(0, 1)
        if not grad_needed(values):
            return result
        return torch.where((line > 0) & (line < 1), line, result.detach())

    return recomputed(limited, data)


def _beyond(data: Tensor, low: float, high: float) -> tuple[Tensor, Tensor]:
    """Where elements are above and below. Half precision is compared with limits that it need not hold."""
    values = data.to(torch.float32) if data.dtype in (torch.float16, torch.bfloat16) else data
    return values > high, values < low


def _clipped(data: Tensor, low: float, high: float) -> Tensor:
    bottom, top = fitted(low, data.dtype), fitted(high, data.dtype)
    if low <= high and (data.is_floating_point() or (abs(low - bottom) < 1 and abs(high - top) < 1)):
        return data.clamp(bottom, top)
    # An interval turned around, or an end that is no number of this dtype: MXNet looks at the upper end first.
    above, below = _beyond(data if data.is_floating_point() else data.to(torch.float64), low, high)
    return data.masked_fill(below, bottom).masked_fill_(above, top)


@operator("clip", "_npi_clip", "_sparse_clip", alike=True)
def clip(data: Tensor, *, a_min: float, a_max: float) -> Tensor:
    """Limits every element to the interval [a_min, a_max], whose ends have single precision.

    The gradient passes wherever an element was not replaced: at both ends and of NaN too.

    Args:
        data: the array.
        a_min: what smaller elements become.
        a_max: what larger elements become.
    """
    _only_numbers(data)
    low, high = single(a_min), single(a_max)
    if not grad_needed(data):
        return _clipped(data, low, high)
    values = data.detach()  # of NaN, which is not replaced, the gradient of torch's clamp is 0
    above, below = _beyond(values, low, high)
    return torch.where(above.logical_or_(below), _clipped(values, low, high), data)


@operator("smooth_l1", "_npx_smooth_l1", alike=True)
def smooth_l1(data: Tensor, *, scalar: float = 1.0) -> Tensor:
    """The absolute value with its corner rounded off: quadratic where |x| < 1 / scalar**2.

    Args:
        data: the array.
        scalar: how sharp the corner is.
    """
    _only_numbers(data)
    scalar = fitted(scalar, data.dtype)
    square = scalar * scalar
    corner = 1 / square if square else math.inf

    def loss(values: Tensor) -> Tensor:
        size = torch.abs(values)
        is_far = size > corner
        near = values.masked_fill(is_far, 0)  # the square of infinity would leave no gradient
        return torch.where(is_far, size - 0.5 * corner, 0.5 * square * near * near)

    return recomputed(loss, data) if data.is_floating_point() else cast(loss(data.to(torch.float32)), data.dtype)


@operator("Cast", "cast", "_npi_cast", "_npx_cast", returns_view=True, alike=True)
def cast_(data: Tensor, *, dtype: DType) -> Tensor:
    """Converts the elements to another dtype.

    Args:
        data: the array.
        dtype: the new dtype.
    """
    return cast(data, dtype)


@operator("amp_cast", returns_view=True, alike=True)
def amp_cast(data: Tensor, *, dtype: DType) -> Tensor:
    """Converts floating-point elements to another dtype and leaves others alone, for mixed precision.

    Args:
        data: the array.
        dtype: the new dtype.
    """
    return cast(data, dtype) if data.is_floating_point() else data


@operator("_copy", "identity", returns_view=True, alike=True, forwards_gradient=True, keeps_integers=True)
def copy(data: Tensor) -> Tensor:
    """The same elements in a new array."""
    return data


@operator("_CrossDeviceCopy", returns_view=True, alike=True)
def cross_device_copy(data: Tensor, *, to: Ctx | None = None) -> Tensor:
    """The same elements on another context: what graphs contain where groups of nodes are on several.

    Args:
        data: the array.
        to: the context; where the array is, by default.
    """
    return data if to is None else data.to(to.device)


@operator(
    "BlockGrad",
    "stop_gradient",
    "_sparse_stop_gradient",
    returns_view=True,
    zero_gradient=True,
    alike=True,
    keeps_integers=True,
)
def block_grad(data: Tensor) -> Tensor:
    """The same elements; no gradient flows back through it."""
    return data.detach()


class _LossHead(torch.autograd.Function):
    """The identity whose gradient is 1, whatever arrives from above."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        return data.view_as(data)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.ones_like(gradients[0])


@operator("make_loss", "_sparse_make_loss", returns_view=True, alike=True, output_names=("loss",))
def make_loss(data: Tensor) -> Tensor:
    """Marks the elements as a loss: their gradient is 1, whatever is computed from them."""
    return _LossHead.apply(data)


@operator("_identity_with_attr_like_rhs", returns_view=True, zero_inputs=("rhs",), alike=True)
def identity_with_attr_like_rhs(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The elements of `lhs`; `rhs` only says which shape and dtype they must have."""
    same_dtype(lhs=lhs, rhs=rhs)
    same_shape(lhs, rhs)
    return lhs


@operator("zeros_like", "_sparse_zeros_like", zero_gradient=True, alike=True, keeps_integers=True)
def zeros_like(data: Tensor) -> Tensor:
    """Zeros in the shape and dtype of an array."""
    return torch.zeros_like(data)


@operator("ones_like", zero_gradient=True, alike=True, keeps_integers=True)
def ones_like(data: Tensor) -> Tensor:
    """Ones in the shape and dtype of an array."""
    return torch.ones_like(data)


@operator("shape_array", "_npx_shape_array", zero_gradient=True, dtypes=INDICES)
def shape_array(data: Tensor) -> Tensor:
    """The shape, as an int64 array."""
    return torch.tensor(data.shape, dtype=torch.int64, device=data.device)


@operator("size_array", zero_gradient=True, dtypes=INDICES)
def size_array(data: Tensor) -> Tensor:
    """The number of elements, as an int64 array."""
    return torch.full((1,), data.numel(), dtype=torch.int64, device=data.device)


def _expect_count(data: Sequence[Tensor], expected: int, param: str) -> None:
    if len(data) != expected:
        raise OpParamError(f"{param}={expected}, but {len(data)} array(s) were given")


def _one_dtype(data: Sequence[Tensor]) -> None:
    same_dtype(**{f"data[{i}]": each for i, each in enumerate(data)})


@operator(
    "add_n",
    "ElementWiseSum",
    "_sparse_ElementWiseSum",
    "_sparse_add_n",
    returns_view=True,
    alike=True,
    count_param="num_args",
)
def add_n(*args: Tensor) -> Tensor:
    """The sum of any number of arrays of the same shape.

    Args:
        args: the arrays.
    """
    first = args[0]
    _only_numbers(first)
    total = first
    for position, each in enumerate(args[1:], 1):
        if each.dtype is not first.dtype:
            _one_dtype(args)
        if each.shape != first.shape:
            raise OpShapeError(
                f"expected arrays of one shape, got {tuple(first.shape)} for args[0] and {tuple(each.shape)} for "
                f"args[{position}]"
            )
        total = total + each
    return total


@operator("amp_multicast", returns_view=True, outputs=lambda params: params["num_outputs"], count_param=None)
def amp_multicast(*data: Tensor, num_outputs: int, cast_narrow: bool = False) -> tuple[Tensor, ...]:
    """Converts floating-point arrays to the widest dtype among them, or the narrowest; others are left alone.

    Args:
        data: the arrays.
        num_outputs: how many arrays there are.
        cast_narrow: take the narrowest dtype instead of the widest.
    """
    _expect_count(data, num_outputs, "num_outputs")
    floats = [each.dtype for each in data if each.is_floating_point()]
    if not floats:
        return data
    target = (min if cast_narrow else max)(floats, key=lambda dtype: dtype.itemsize)
    return tuple(cast(each, target) if each.is_floating_point() else each for each in data)


def _finite(data: Tensor) -> Tensor:
    _only_floats(data)
    return torch.isfinite(data).all()


@operator("all_finite", has_gradient=False)
def all_finite(data: Tensor, *, init_output: bool = True) -> Tensor:
    """1 if no element is infinite or NaN, else 0. `init_output` changes nothing: the result is always a new one."""
    return _finite(data).reshape(1).to(torch.float32)


@operator("multi_all_finite", has_gradient=False, count_param=None)
def multi_all_finite(*data: Tensor, num_arrays: int = 1, init_output: bool = True) -> Tensor:
    """1 if no element of any of the arrays is infinite or NaN, else 0.

    Args:
        data: the arrays.
        num_arrays: how many there are.
        init_output: changes nothing: the result is always a new one.
    """
    _expect_count(data, num_arrays, "num_arrays")
    _one_dtype(data)
    return torch.stack([_finite(each) for each in data]).all().reshape(1).to(torch.float32)


@operator("multi_sum_sq", count_param=None)
def multi_sum_sq(*data: Tensor, num_arrays: int) -> Tensor:
    """The sum of squares of each array, in one float32 array."""
    _expect_count(data, num_arrays, "num_arrays")
    _one_dtype(data)
    _only_floats(data[0])
    wide = torch.float64 if data[0].dtype is torch.float64 else torch.float32
    norms = foreach.norm([each.to(wide) for each in data])
    return torch.stack(norms).square().to(torch.float32)


@operator("reset_arrays", outputs=0, count_param=None)
def reset_arrays(*data: Tensor, num_arrays: int) -> tuple[Tensor, ...]:
    """Fills the arrays with zeros; the only operator that writes to its inputs and has no output."""
    _expect_count(data, num_arrays, "num_arrays")
    for each in data:
        each.detach().zero_()
    return ()
