"""Implement elementwise functions and scalar arithmetic of `mx.np`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpTypeError
from ..common import cast, reaching, same_dtype, same_shape
from ..dtype_rules import BOOLS, INTEGERS, SCALAR, DtypeRule, fractions
from ..precision import as_float, fitted, number
from ..registry import find, operator
from ..shape_rules import compared
from ..tensor.arithmetic import fit_scalar, modulo, power
from .arithmetic import copysign, expect_whole, ldexp

Kernel = Callable[[Tensor], Tensor]

_NAMESAKES = (
    *("sqrt", "cbrt", "square", "exp", "expm1", "log", "log10", "log1p", "log2", "negative", "reciprocal", "sign"),
    *("ceil", "floor", "trunc", "fix", "rint", "degrees", "radians"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
)


def _share(name: str, legacy: str, *aliases: str) -> None:
    """Declares an operator that computes what one of mx.nd does."""
    shared: Kernel = find(legacy).function

    def function(x: Tensor) -> Tensor:
        return shared(x)

    function.__doc__ = shared.__doc__
    operator(name, *aliases, alike=True)(function)


def _share_extension(name: str, legacy: str) -> None:
    """The same for mx.npx, where the array has another name."""
    shared: Kernel = find(legacy).function

    def function(data: Tensor) -> Tensor:
        return shared(data)

    function.__doc__ = shared.__doc__
    operator(name, alike=True)(function)


def _declare_test(name: str, kernel: Kernel, doc: str) -> None:
    def function(x: Tensor) -> Tensor:
        return kernel(x)

    function.__doc__ = doc
    operator(name, zero_gradient=True, dtypes=BOOLS, shape=compared)(function)


for _name in _NAMESAKES:
    _share(f"_npi_{_name}", _name)
_share("_npi_absolute", "abs", "_npi_abs")
_share_extension("_npx_relu", "relu")
_share_extension("_npx_sigmoid", "sigmoid")

_declare_test("_npi_logical_not", torch.logical_not, "Tests which elements are zero.")
_declare_test("_npi_isfinite", torch.isfinite, "Tests which elements are neither infinite nor NaN.")
_declare_test("_npi_isinf", torch.isinf, "Tests which elements are infinite.")
_declare_test("_npi_isnan", torch.isnan, "Tests which elements are NaN.")
_declare_test("_npi_isneginf", torch.isneginf, "Tests which elements are minus infinity.")
_declare_test("_npi_isposinf", torch.isposinf, "Tests which elements are plus infinity.")


@operator("_npi_bitwise_not", zero_gradient=True, dtypes=INTEGERS)
def bitwise_not(x: Tensor) -> Tensor:
    """Turns over every bit of integers, and every bool."""
    if x.is_floating_point():
        raise OpTypeError(f"expected integers or bools, got x of {NAME_OF_TORCH[x.dtype]}")
    return torch.bitwise_not(x)


@operator("_npi_around", alike=True)
def around(x: Tensor, *, decimals: int = 0) -> Tensor:
    """Rounds to so many decimals; halves go to the even neighbour.

    Args:
        x: the array. Integers are cut off towards zero instead.
        decimals: how many digits are left behind the point; below zero, before it.
    """
    if x.dtype in (torch.float16, torch.bool):
        raise OpTypeError(f"expected integers, float32 or float64, got {NAME_OF_TORCH[x.dtype]}")
    if x.is_floating_point():
        return torch.round(x, decimals=decimals)
    if decimals >= 0:
        return x.clone()
    unit = 10**-decimals
    if unit > torch.iinfo(x.dtype).max:
        return torch.zeros_like(x)
    return torch.div(x, unit, rounding_mode="trunc") * unit


@operator("_npi_nan_to_num", alike=True)
def nan_to_num(
    data: Tensor,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Puts numbers in the place of NaN and of the infinities; no gradient flows through those.

    Args:
        data: the array; one of integers stays as it is.
        copy: changes nothing: the result is always a new one, which `out` may put into the array.
        nan: what replaces NaN.
        posinf: what replaces plus infinity: by default the largest number of the dtype.
        neginf: what replaces minus infinity: by default the smallest number of the dtype.
    """
    return torch.nan_to_num(data, nan, posinf, neginf)


@operator("_npi_backward_nan_to_num", alike=True)
def backward_nan_to_num(ograd: Tensor, data: Tensor) -> Tensor:
    """The gradient of `_npi_nan_to_num`: none where the data is NaN or infinite."""
    same_dtype(ograd=ograd, data=data)
    same_shape(ograd, data)
    return torch.where(torch.isfinite(data), ograd, 0)


@operator("_np_copy", returns_view=True, alike=True)
def copy(a: Tensor) -> Tensor:
    """The same elements in a new array."""
    return a


ScalarKernel = Callable[[Tensor, Any], Tensor]


def _declare(name: str, kernel: ScalarKernel, doc: str, **traits: Any) -> None:
    """Declares arithmetic: the scalar and the array are brought to one dtype first."""

    def function(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
        if data.is_floating_point():
            return kernel(data, as_float(scalar, data.dtype))
        data, scalar = fit_scalar(data, scalar, is_int)
        return reaching(kernel(data, scalar), data)

    function.__doc__ = doc
    operator(name, alike=True, dtypes=SCALAR, **traits)(function)


def _declare_scalar_test(name: str, kernel: ScalarKernel, doc: str) -> None:
    """Declares a comparison; to bools every scalar but 0 is True."""

    def function(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
        if data.dtype is torch.bool:
            scalar = scalar != 0
        else:
            data, scalar = fit_scalar(data, scalar, is_int)
        return kernel(data, scalar)

    function.__doc__ = doc
    operator(name, zero_gradient=True, dtypes=BOOLS, shape=compared)(function)


def _declare_bits(name: str, kernel: ScalarKernel, doc: str) -> None:
    """Declares a function of bits: the scalar always takes the dtype of the array."""

    def function(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
        expect_whole(data, "data")
        return kernel(data, fitted(scalar, data.dtype))

    function.__doc__ = doc
    operator(name, zero_gradient=True, dtypes=INTEGERS)(function)


def _array(data: Tensor, scalar: float) -> Tensor:
    return number(scalar, data.dtype, data.device)


def _copysign_of_scalar(data: Tensor, scalar: float) -> Tensor:
    return copysign(_array(data, scalar), data.detach())


def _arctan2(data: Tensor, scalar: float) -> Tensor:
    return _angle(data, _array(data, scalar))


def _arctan2_of_scalar(data: Tensor, scalar: float) -> Tensor:
    return _angle(_array(data, scalar), data)


def _angle(height: Tensor, width: Tensor) -> Tensor:
    """The angle; of integers it is cut off."""
    if height.is_floating_point():
        return torch.arctan2(height, width)
    return cast(torch.arctan2(height.to(torch.float64), width.to(torch.float64)), height.dtype)


def _power_of_scalar(data: Tensor, scalar: float) -> Tensor:
    return torch.pow(scalar, data) if data.is_floating_point() else power(_array(data, scalar), data)


_declare("_npi_add_scalar", torch.add, "Adds a scalar to every element.")
_declare("_npi_subtract_scalar", torch.sub, "Subtracts a scalar from every element.")
_declare("_npi_rsubtract_scalar", torch.rsub, "Subtracts every element from a scalar.")
_declare("_npi_multiply_scalar", torch.mul, "Multiplies every element by a scalar.")
_declare("_npi_mod_scalar", modulo, "The remainder of every element by a scalar, with the sign of the scalar.")
_declare(
    "_npi_rmod_scalar",
    lambda data, scalar: modulo(_array(data, scalar), data),
    "The remainder of a scalar by every element, with the sign of the element.",
)
_declare("_npi_power_scalar", power, "Every element to the power of a scalar.")
_declare("_npi_rpower_scalar", _power_of_scalar, "A scalar to the power of every element.")
_declare("_npi_copysign_scalar", copysign, "The size of every element with the sign of a scalar.")
_declare(
    "_npi_rcopysign_scalar",
    _copysign_of_scalar,
    "The size of a scalar with the sign of every element.",
    zero_gradient=True,
)
_declare("_npi_arctan2_scalar", _arctan2, "The angle of the points with the elements as height and a scalar as width.")
_declare(
    "_npi_rarctan2_scalar",
    _arctan2_of_scalar,
    "The angle of the points with a scalar as height and the elements as width.",
)
_declare(
    "_npi_ldexp_scalar",
    lambda data, scalar: ldexp(data, _array(data, scalar)),
    "Every element times 2 to the power of a scalar.",
)
_declare(
    "_npi_rldexp_scalar",
    lambda data, scalar: ldexp(_array(data, scalar), data),
    "A scalar times 2 to the power of every element.",
)

_declare_scalar_test("_npi_equal_scalar", torch.eq, "Tests `data == scalar` for every element.")
_declare_scalar_test("_npi_not_equal_scalar", torch.ne, "Tests `data != scalar` for every element.")
_declare_scalar_test("_npi_greater_scalar", torch.gt, "Tests `data > scalar` for every element.")
_declare_scalar_test("_npi_greater_equal_scalar", torch.ge, "Tests `data >= scalar` for every element.")
_declare_scalar_test("_npi_less_scalar", torch.lt, "Tests `data < scalar` for every element.")
_declare_scalar_test("_npi_less_equal_scalar", torch.le, "Tests `data <= scalar` for every element.")

_declare_bits("_npi_bitwise_and_scalar", torch.bitwise_and, "The bits of every element that are set in a scalar too.")
_declare_bits("_npi_bitwise_or_scalar", torch.bitwise_or, "The bits that are set in an element or in a scalar.")
_declare_bits("_npi_bitwise_xor_scalar", torch.bitwise_xor, "The bits of every element that differ from a scalar's.")


@operator("_npi_lcm_scalar", zero_gradient=True, dtypes=INTEGERS)
def lcm_scalar(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
    """The least common multiple of every element and a scalar, which must count as whole."""
    expect_whole(data, "data")
    if data.dtype is torch.bool or not is_int:
        raise OpTypeError(
            f"expected whole numbers, got data of {NAME_OF_TORCH[data.dtype]} and scalar={scalar}, is_int={is_int}"
        )
    return torch.lcm(data, _array(data, scalar))


@operator("_npi_true_divide_scalar", alike=True, dtypes=DtypeRule(outputs=(fractions,)))
def true_divide_scalar(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
    """Divides every element by a scalar; integers and bools as float32."""
    dividend = data if data.is_floating_point() else cast(data, torch.float32)
    return torch.div(dividend, as_float(scalar, dividend.dtype))


@operator("_npi_rtrue_divide_scalar", alike=True, dtypes=DtypeRule(outputs=(fractions,)))
def rtrue_divide_scalar(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
    """Divides a scalar by every element; integers and bools as float32."""
    divisor = data if data.is_floating_point() else cast(data, torch.float32)
    return torch.div(_array(divisor, scalar), divisor)
