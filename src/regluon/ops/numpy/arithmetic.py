"""Arithmetic, comparisons and choices of mx.np between arrays whose shapes can be stretched to fit.

Unlike their namesakes of mx.nd, some take operands of two dtypes, division is real, and comparisons answer with bools.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ..common import cast, expect_floating, reaching, same_dtype
from ..dtype_rules import BOOLS, CHOICE, INTEGERS, MIXED, DtypeRule, fractions, widest
from ..gradient import recomputed
from ..precision import number
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, broadcast, compared, one_float_dtype, stretched
from ..tensor.arithmetic import explained_pair, modulo, power

Kernel = Callable[[Tensor, Tensor], Tensor]
Fit = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def _any_dtypes(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """Both operands in the wider dtype: the one with fractions, or with more bits."""
    if lhs.dtype is rhs.dtype:
        return lhs, rhs
    dtype = torch.promote_types(lhs.dtype, rhs.dtype)
    if dtype not in (lhs.dtype, rhs.dtype):  # neither of int8 and uint8 holds the other
        same_dtype(lhs=lhs, rhs=rhs)
    return _widened(lhs, dtype), _widened(rhs, dtype)


def _widened(data: Tensor, dtype: torch.dtype) -> Tensor:
    """An operand in the dtype of the other; beside real numbers integers have no gradient, as in MXNet."""
    if data.is_floating_point() or not dtype.is_floating_point:
        return cast(data, dtype)
    return reaching(data.detach().to(dtype), data)


def _one_float(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """Operands of two dtypes if one is floating-point; two of bool have no numbers."""
    if not (lhs.is_floating_point() or rhs.is_floating_point()):
        _numbers(lhs, rhs)
    return _any_dtypes(lhs, rhs)


def _for_division(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """One operand may lack fractions and takes the dtype of the other; two of one such dtype become float32."""
    if lhs.is_floating_point() is rhs.is_floating_point():
        same_dtype(lhs=lhs, rhs=rhs)
        return cast(lhs, torch.float32), cast(rhs, torch.float32)
    return _any_dtypes(lhs, rhs)


def _numbers(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """Refuses operands of two dtypes, and bools."""
    same_dtype(lhs=lhs, rhs=rhs)
    if lhs.dtype is torch.bool:
        raise OpTypeError("expected numbers, got bool arrays; convert them with astype('int32')")
    return lhs, rhs


def _one_dtype(lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    same_dtype(lhs=lhs, rhs=rhs)
    return lhs, rhs


def expect_whole(data: Tensor, name: str) -> None:
    """Refuses floating-point numbers."""
    if data.is_floating_point():
        raise OpTypeError(f"expected integers or bools, got {name} of {NAME_OF_TORCH[data.dtype]}")


def _of_whole(kernel: Kernel) -> Kernel:
    """A function of whole numbers alone."""

    def function(lhs: Tensor, rhs: Tensor) -> Tensor:
        expect_whole(lhs, "lhs")
        return kernel(lhs, rhs)

    return function


def copysign(lhs: Tensor, rhs: Any) -> Tensor:
    """The size of `lhs` with the sign of `rhs`; a zero counts as positive, whatever its sign."""
    same = ((lhs >= 0) & (rhs >= 0)) | ((lhs < 0) & (rhs < 0))
    result = torch.where(same, lhs, torch.neg(lhs))
    return reaching(result, rhs) if isinstance(rhs, Tensor) else result


def ldexp(lhs: Tensor, rhs: Tensor) -> Tensor:
    """`lhs` times 2 to the power `rhs`, which need not be whole; of integers the product is cut off."""
    if lhs.is_floating_point():
        return recomputed(torch.ldexp, lhs, rhs)
    return cast(torch.ldexp(lhs.to(torch.float64), rhs.to(torch.float64)), lhs.dtype)


def _lcm(lhs: Tensor, rhs: Tensor) -> Tensor:
    return lhs & rhs if lhs.dtype is torch.bool else torch.lcm(lhs, rhs)


def _declare(name: str, kernel: Kernel, fit: Fit, verb: str, **traits: Any) -> None:
    """Declares an operator of two operands: `fit` makes their dtypes one, or refuses them."""

    def function(lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.dtype is not rhs.dtype or not lhs.is_floating_point():
            lhs, rhs = fit(lhs, rhs)
        try:
            return kernel(lhs, rhs) if lhs.is_floating_point() else reaching(kernel(lhs, rhs), lhs, rhs)
        except RuntimeError as error:
            raise explained_pair(lhs, rhs, error) from error

    function.__doc__ = f"{verb} two arrays element by element; axes of length 1 are stretched to fit."
    operator(name, **traits)(function)


_declare("_npi_add", torch.add, _any_dtypes, "Adds", broadcasts=True, dtypes=MIXED)
_declare("_npi_subtract", torch.sub, _one_float, "Subtracts", broadcasts=True, dtypes=MIXED)
_declare("_npi_multiply", torch.mul, _any_dtypes, "Multiplies", broadcasts=True, dtypes=MIXED)
_declare("_npi_true_divide", torch.div, _for_division, "Divides", dtypes=DtypeRule(mixed=widest, outputs=(fractions,)))
_declare(
    "_npi_mod", modulo, _one_float, "Takes the remainder, with the sign of `rhs`, of", broadcasts=True, dtypes=MIXED
)
_declare("_npi_power", power, _any_dtypes, "Raises to a power", broadcasts=True, dtypes=MIXED)
_declare("_npi_copysign", copysign, _numbers, "Takes the size of `lhs` and the sign of `rhs` of", broadcasts=True)
_declare("_npi_ldexp", ldexp, _numbers, "Multiplies by a power of two", broadcasts=True)
_OF_WHOLE: dict[str, tuple[Kernel, str]] = {
    "lcm": (_lcm, "Takes the least common multiple of"),
    "bitwise_and": (torch.bitwise_and, "Takes the bits that are set in both of"),
    "bitwise_or": (torch.bitwise_or, "Takes the bits that are set in any of"),
    "bitwise_xor": (torch.bitwise_xor, "Takes the bits that differ between"),
}
_TESTS: dict[str, tuple[Kernel, str]] = {
    "equal": (torch.eq, "Tests equality of"),
    "not_equal": (torch.ne, "Tests inequality of"),
    "greater": (torch.gt, "Tests `lhs > rhs` for"),
    "greater_equal": (torch.ge, "Tests `lhs >= rhs` for"),
    "less": (torch.lt, "Tests `lhs < rhs` for"),
    "less_equal": (torch.le, "Tests `lhs <= rhs` for"),
}
for _name, (_kernel, _verb) in _OF_WHOLE.items():
    _declare(f"_npi_{_name}", _of_whole(_kernel), _one_dtype, _verb, zero_gradient=True, dtypes=INTEGERS)
for _name, (_kernel, _verb) in _TESTS.items():
    _declare(f"_npi_{_name}", _kernel, _one_dtype, _verb, zero_gradient=True, dtypes=BOOLS, shape=compared)


@operator("_npi_arctan2")
def arctan2(x1: Tensor, x2: Tensor) -> Tensor:
    """The angle of the point with height `x1` and width `x2`, seen from the origin; broadcasts."""
    return _of_floats(torch.arctan2, x1, x2)


@operator("_npi_hypot")
def hypot(x1: Tensor, x2: Tensor) -> Tensor:
    """The hypotenuse over two legs; broadcasts."""
    return _of_floats(lambda lhs, rhs: recomputed(torch.hypot, lhs, rhs), x1, x2)


def _of_floats(kernel: Kernel, x1: Tensor, x2: Tensor) -> Tensor:
    if x1.dtype is not x2.dtype or not x1.is_floating_point():
        same_dtype(x1=x1, x2=x2)
        expect_floating(x1, "x1")
    try:
        return kernel(x1, x2)
    except RuntimeError as error:
        raise explained_pair(x1, x2, error) from error


def _chosen(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    truth = condition if condition.dtype is torch.bool else condition != 0
    try:
        return torch.where(truth, x, y)
    except RuntimeError as error:
        shapes = [tuple(each.shape) for each in (condition, x, y) if each.dim()]
        raise OpShapeError(
            "expected shapes whose axes, counted from the last, have equal length or length 1, got "
            + " and ".join(map(str, shapes))
        ) from error


def _like(data: Tensor, scalar: float) -> Tensor:
    return number(scalar, data.dtype, data.device)


@operator("_npi_where", zero_inputs=("condition",), dtypes=CHOICE)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Takes elements of `x` where the condition is not zero and of `y` elsewhere; all three broadcast."""
    if x.dtype is not y.dtype:
        same_dtype(x=x, y=y)
    return _chosen(condition, x, y)


@operator("_npi_where_lscalar", zero_inputs=("condition",), dtypes=CHOICE)
def where_lscalar(condition: Tensor, x: Tensor, *, scalar: float = 0.0) -> Tensor:
    """Takes the scalar where the condition is not zero and elements of `x` elsewhere; both arrays broadcast."""
    return _chosen(condition, _like(x, scalar), x)


@operator("_npi_where_rscalar", zero_inputs=("condition",), dtypes=CHOICE)
def where_rscalar(condition: Tensor, y: Tensor, *, scalar: float = 0.0) -> Tensor:
    """Takes elements of `y` where the condition is not zero and the scalar elsewhere; both arrays broadcast."""
    return _chosen(condition, y, _like(y, scalar))


@operator("_npi_where_scalar2", zero_gradient=True, dtypes=DtypeRule(outputs=(torch.float32,)))
def where_scalar2(condition: Tensor, *, x: float = 0.0, y: float = 0.0) -> Tensor:
    """Takes the number `x` where the condition is not zero and `y` elsewhere, as float32."""
    truth = condition != 0
    return torch.where(truth, number(x, torch.float32, truth.device), number(y, torch.float32, truth.device))


@shape_of("_npi_true_divide", "_npi_arctan2", "_npi_hypot")
def _broadcast_floats_shape(specs: Specs, params: Params) -> Result:
    """Two operands of one floating dtype, where others become floating."""
    return broadcast(specs) if one_float_dtype(specs) else None


@shape_of("_npi_where", "_npi_where_lscalar", "_npi_where_rscalar")
def _np_chosen_shape(specs: Specs, params: Params) -> Result:
    """Elements of two arrays of one dtype, or of an array and a number, chosen by a condition."""
    condition, *arrays = (spec for spec in specs if spec is not None)
    if len({dtype for _, dtype in arrays}) != 1:
        return None
    shape: tuple[int, ...] | None = condition[0]
    for other, _ in arrays:
        shape = None if shape is None else stretched(shape, other)
    return None if shape is None else [(shape, arrays[0][1])]
