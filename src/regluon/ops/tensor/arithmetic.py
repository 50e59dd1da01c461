"""Operators of two operands: arithmetic, comparisons and logic, between arrays and with a scalar.

MXNet has up to four forms of each: elementwise (equal shapes), broadcasting, array with scalar, and scalar with array.
All are made from one kernel here.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...base import MXNetError
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import cast, grad_needed, in_float, same_dtype, same_shape
from ..dtype_rules import SCALAR
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of, recomputed
from ..integer_gradients import applied
from ..precision import as_float, as_integer, fitted
from ..registry import find, in_place_of, operator

Kernel = Callable[[Any, Any], Tensor]


def _divide(lhs: Tensor, rhs: Any) -> Tensor:
    """The quotient, of integers cut off towards zero."""
    if lhs.is_floating_point():
        return torch.div(lhs, rhs)
    # The smallest integer divided by -1 does not fit, and the processor would end the program: negating wraps around.
    if not isinstance(rhs, Tensor):
        return torch.neg(lhs) if rhs == -1 else torch.div(lhs, rhs, rounding_mode="trunc")
    negated = rhs == -1
    return torch.where(negated, torch.neg(lhs), torch.div(lhs, rhs.masked_fill(negated, 1), rounding_mode="trunc"))


def _divide_scalar(scalar: Tensor, data: Tensor) -> Tensor:
    """A scalar by an array: of integers as real numbers, so that a zero among them is no error."""
    if data.is_floating_point():
        return torch.div(scalar, data)
    return cast(torch.div(scalar.to(torch.float64), data), data.dtype)


class _Instead(torch.autograd.Function):
    """Another value with the gradient of the first one."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, value: Tensor) -> Tensor:
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], None


def modulo(lhs: Tensor, rhs: Any) -> Tensor:
    """The remainder with the sign of `rhs`; modulo 0 it is 0, even of NaN, and its gradient as if it were not."""
    if not isinstance(rhs, Tensor):
        if rhs:
            return torch.remainder(lhs, rhs) + 0  # adding 0 removes the sign of -0
        return applied(_Instead, lhs, torch.zeros_like(lhs)) if grad_needed(lhs) else torch.zeros_like(lhs)
    zero = rhs == 0
    if not lhs.is_floating_point():
        return torch.remainder(lhs, rhs.masked_fill(zero, 1))
    result = torch.remainder(lhs, rhs) + 0
    value = result.detach().masked_fill(zero, 0)
    return applied(_Instead, result, value) if grad_needed(lhs, rhs) else value


def power(lhs: Tensor, rhs: Any) -> Tensor:
    """`lhs` to the power `rhs`; of integers it is cut off."""
    if lhs.is_floating_point():
        return torch.pow(lhs, rhs)
    exponent = rhs.to(torch.float64) if isinstance(rhs, Tensor) else rhs
    return in_float(lambda base: torch.pow(base, exponent), lhs)


# At ties MXNet gives the gradient to lhs. torch.maximum halves it, torch.clamp keeps or drops it, depending on its
# version. NaN is both the largest and the smallest number.


def _are_recorded(lhs: Tensor, rhs: Any) -> bool:
    return grad_needed(lhs, rhs if isinstance(rhs, Tensor) else None)


def _maximum(lhs: Tensor, rhs: Any) -> Tensor:
    if not _are_recorded(lhs, rhs):
        return torch.maximum(lhs, rhs) if isinstance(rhs, Tensor) else torch.clamp(lhs, min=rhs)
    return torch.where((lhs >= rhs) | torch.isnan(lhs), lhs, rhs)


def _minimum(lhs: Tensor, rhs: Any) -> Tensor:
    if not _are_recorded(lhs, rhs):
        return torch.minimum(lhs, rhs) if isinstance(rhs, Tensor) else torch.clamp(lhs, max=rhs)
    return torch.where((lhs <= rhs) | torch.isnan(lhs), lhs, rhs)


def _hypot(lhs: Tensor, rhs: Any) -> Tensor:
    other = rhs if isinstance(rhs, Tensor) else lhs.new_full((), rhs)
    if lhs.is_floating_point():
        return recomputed(torch.hypot, lhs, other)
    return in_float(lambda data: torch.hypot(data, other.to(torch.float64)), lhs)


def _compared(kernel: Kernel) -> Kernel:
    """A comparison whose result has the dtype of its operands, as MXNet's have."""
    return lambda lhs, rhs: kernel(lhs, rhs).to(lhs.dtype)


def _truth(operand: Any) -> Any:
    return operand != 0


_equal = _compared(torch.eq)
_not_equal = _compared(torch.ne)
_greater = _compared(torch.gt)
_greater_equal = _compared(torch.ge)
_lesser = _compared(torch.lt)
_lesser_equal = _compared(torch.le)
_logical_and = _compared(lambda lhs, rhs: _truth(lhs) & _truth(rhs))
_logical_or = _compared(lambda lhs, rhs: _truth(lhs) | _truth(rhs))
_logical_xor = _compared(lambda lhs, rhs: _truth(lhs) ^ _truth(rhs))


def fit_scalar(data: Tensor, scalar: float, is_int: bool = True) -> tuple[Tensor, float]:
    """Gives a scalar the dtype of the array it meets, as MXNet does: 1.5 is 1 to an int32 array.

    A bool array becomes int64. Where the scalar counts as real (`is_int` False), arrays without fractions become
    float64 instead.
    """
    if data.is_floating_point():
        return data, as_float(scalar, data.dtype)
    if not is_int:
        return cast(data, torch.float64), scalar
    if data.dtype is torch.bool:
        data = cast(data, torch.int64)
    return data, as_integer(scalar, data.dtype)


# Comparisons and logic: flat almost everywhere, so their gradient is zero, yet `backward` reaches what they read.
_TESTS = frozenset(
    (
        *(_equal, _not_equal, _greater, _greater_equal, _lesser, _lesser_equal),
        *(_logical_and, _logical_or, _logical_xor),
    )
)


def _elementwise(name: str, aliases: tuple[str, ...], kernel: Kernel, verb: str, **traits: Any) -> None:
    def function(lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.dtype is not rhs.dtype or lhs.dtype is torch.bool:
            _check_operands(lhs, rhs)
        same_shape(lhs, rhs)
        try:
            return kernel(lhs, rhs)
        except RuntimeError as error:
            raise explained_pair(lhs, rhs, error) from error

    function.__doc__ = f"{verb} two arrays of the same shape, element by element."
    operator(name, *aliases, alike=True, zero_gradient=kernel in _TESTS, **traits)(function)


def _check_operands(lhs: Tensor, rhs: Tensor) -> None:
    same_dtype(lhs=lhs, rhs=rhs)
    if lhs.dtype is torch.bool:
        raise OpTypeError("expected numbers, got bool arrays; convert them with astype('int32')")


def explained_pair(lhs: Tensor, rhs: Any, error: RuntimeError) -> Exception:
    """What torch's error means. Looked at only after it has come: checks before each call would slow it down."""
    if isinstance(error, MXNetError):
        return error
    if "ZeroDivision" in str(error):
        return OpParamError("integers cannot be divided by zero; convert them with astype('float32') to get inf")
    pairs = zip(lhs.shape[::-1], getattr(rhs, "shape", ())[::-1], strict=False)
    if any(left != right and left != 1 and right != 1 for left, right in pairs):
        return OpShapeError(
            f"expected shapes whose axes, counted from the last, have equal length or length 1, got {tuple(lhs.shape)} "
            f"and {tuple(rhs.shape)}"
        )
    return error


# What broadcasting operators do with operands of one dtype other than bool, by the operators' names: for callers who
# have looked at the dtypes themselves.
KERNELS: dict[str, Kernel] = {}


def _broadcast(name: str, aliases: tuple[str, ...], kernel: Kernel, verb: str) -> None:
    def function(lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.dtype is not rhs.dtype or lhs.dtype is torch.bool:
            _check_operands(lhs, rhs)
        try:
            return kernel(lhs, rhs)
        except RuntimeError as error:
            raise explained_pair(lhs, rhs, error) from error

    function.__doc__ = f"{verb} two arrays element by element; axes of length 1 are stretched to fit."
    operator(name, *aliases, broadcasts=True, zero_gradient=kernel in _TESTS)(function)
    KERNELS[name] = kernel


def _scalar(
    name: str, aliases: tuple[str, ...], kernel: Kernel, verb: str, *, reverse: bool = False, **traits: Any
) -> None:
    if reverse:

        def function(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
            data, value = fit_scalar(data, scalar, is_int)
            return kernel(data.new_full((), value), data)

        function.__doc__ = f"{verb} a scalar and an array, element by element."
    else:

        def function(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
            data, value = fit_scalar(data, scalar, is_int)
            try:
                return kernel(data, value)
            except RuntimeError as error:
                raise explained_pair(data, value, error) from error

        function.__doc__ = f"{verb} an array and a scalar, element by element."
    operator(name, *aliases, alike=True, zero_gradient=kernel in _TESTS, dtypes=SCALAR, **traits)(function)


_elementwise(
    "elemwise_add",
    ("_Plus", "_add", "_plus", "_sparse_elemwise_add"),
    torch.add,
    "Adds",
    forwards_gradient=True,
    keeps_integers=True,
)
_elementwise(
    "elemwise_sub", ("_Minus", "_minus", "_sparse_elemwise_sub", "_sub"), torch.sub, "Subtracts", keeps_integers=True
)
_elementwise("elemwise_mul", ("_Mul", "_mul", "_sparse_elemwise_mul"), torch.mul, "Multiplies", keeps_integers=True)
_elementwise("elemwise_div", ("_Div", "_div", "_sparse_elemwise_div"), _divide, "Divides")
_elementwise("_grad_add", (), torch.add, "Adds")
_elementwise("_scatter_elemwise_div", (), _divide, "Divides")
_elementwise("_mod", ("_Mod",), modulo, "Takes the remainder of")
_elementwise("_power", ("_Power",), power, "Raises to a power")
_elementwise("_maximum", ("_Maximum",), _maximum, "Takes the larger of")
_elementwise("_minimum", ("_Minimum",), _minimum, "Takes the smaller of")
_elementwise("_hypot", ("_Hypot",), _hypot, "Takes the hypotenuse over")
_elementwise("_equal", ("_Equal",), _equal, "Tests equality of")
_elementwise("_not_equal", ("_Not_Equal",), _not_equal, "Tests inequality of")
_elementwise("_greater", ("_Greater",), _greater, "Tests `lhs > rhs` for")
_elementwise("_greater_equal", ("_Greater_Equal",), _greater_equal, "Tests `lhs >= rhs` for")
_elementwise("_lesser", ("_Lesser",), _lesser, "Tests `lhs < rhs` for")
_elementwise("_lesser_equal", ("_Lesser_Equal",), _lesser_equal, "Tests `lhs <= rhs` for")
_elementwise("_logical_and", ("_Logical_And",), _logical_and, "Tests whether both are non-zero of")
_elementwise("_logical_or", ("_Logical_Or",), _logical_or, "Tests whether any is non-zero of")
_elementwise("_logical_xor", ("_Logical_Xor",), _logical_xor, "Tests whether exactly one is non-zero of")

_broadcast("broadcast_add", ("_sparse_broadcast_add", "_sparse_broadcast_plus", "broadcast_plus"), torch.add, "Adds")
_broadcast(
    "broadcast_sub", ("_sparse_broadcast_minus", "_sparse_broadcast_sub", "broadcast_minus"), torch.sub, "Subtracts"
)
_broadcast("broadcast_mul", ("_sparse_broadcast_mul",), torch.mul, "Multiplies")
_broadcast("broadcast_div", ("_sparse_broadcast_div",), _divide, "Divides")
_broadcast("broadcast_mod", (), modulo, "Takes the remainder of")
_broadcast("broadcast_power", (), power, "Raises to a power")
_broadcast("broadcast_maximum", ("_npi_maximum",), _maximum, "Takes the larger of")
_broadcast("broadcast_minimum", ("_npi_minimum",), _minimum, "Takes the smaller of")
_broadcast("broadcast_hypot", (), _hypot, "Takes the hypotenuse over")
_broadcast("broadcast_equal", (), _equal, "Tests equality of")
_broadcast("broadcast_not_equal", (), _not_equal, "Tests inequality of")
_broadcast("broadcast_greater", (), _greater, "Tests `lhs > rhs` for")
_broadcast("broadcast_greater_equal", (), _greater_equal, "Tests `lhs >= rhs` for")
_broadcast("broadcast_lesser", (), _lesser, "Tests `lhs < rhs` for")
_broadcast("broadcast_lesser_equal", (), _lesser_equal, "Tests `lhs <= rhs` for")
_broadcast("broadcast_logical_and", (), _logical_and, "Tests whether both are non-zero of")
_broadcast("broadcast_logical_or", (), _logical_or, "Tests whether any is non-zero of")
_broadcast("broadcast_logical_xor", (), _logical_xor, "Tests whether exactly one is non-zero of")

_scalar("_plus_scalar", ("_PlusScalar",), torch.add, "Adds", forwards_gradient=True, keeps_integers=True)
_scalar("_scatter_plus_scalar", (), torch.add, "Adds")
_scalar("_minus_scalar", ("_MinusScalar",), torch.sub, "Subtracts", forwards_gradient=True, keeps_integers=True)
_scalar("_scatter_minus_scalar", (), torch.sub, "Subtracts")
_scalar("_rminus_scalar", ("_RMinusScalar",), torch.sub, "Subtracts", reverse=True, keeps_integers=True)
_scalar("_mul_scalar", ("_MulScalar",), torch.mul, "Multiplies", keeps_integers=True)
_scalar("_div_scalar", ("_DivScalar",), _divide, "Divides")
_scalar("_rdiv_scalar", ("_RDivScalar",), _divide_scalar, "Divides", reverse=True)
_scalar("_mod_scalar", ("_ModScalar",), modulo, "Takes the remainder of")
_scalar("_rmod_scalar", ("_RModScalar",), modulo, "Takes the remainder of", reverse=True)
_scalar("_power_scalar", ("_PowerScalar",), power, "Raises to a power")
_scalar("_rpower_scalar", ("_RPowerScalar",), power, "Raises to a power", reverse=True)
_scalar(
    "_maximum_scalar", ("_MaximumScalar", "_npi_maximum_scalar"), _maximum, "Takes the larger of", keeps_integers=True
)
_scalar(
    "_minimum_scalar", ("_MinimumScalar", "_npi_minimum_scalar"), _minimum, "Takes the smaller of", keeps_integers=True
)
_scalar("_hypot_scalar", ("_HypotScalar", "_npi_hypot_scalar"), _hypot, "Takes the hypotenuse over")
_scalar("_equal_scalar", ("_EqualScalar",), _equal, "Tests equality of")
_scalar("_not_equal_scalar", ("_NotEqualScalar",), _not_equal, "Tests inequality of")
_scalar("_greater_scalar", ("_GreaterScalar",), _greater, "Tests `data > scalar` for")
_scalar("_greater_equal_scalar", ("_GreaterEqualScalar",), _greater_equal, "Tests `data >= scalar` for")
_scalar("_lesser_scalar", ("_LesserScalar",), _lesser, "Tests `data < scalar` for")
_scalar("_lesser_equal_scalar", ("_LesserEqualScalar",), _lesser_equal, "Tests `data <= scalar` for")
_scalar(
    "_logical_and_scalar",
    ("_LogicalAndScalar",),
    _logical_and,
    "Tests whether both are non-zero of",
)
_scalar("_logical_or_scalar", ("_LogicalOrScalar",), _logical_or, "Tests whether any is non-zero of")
_scalar(
    "_logical_xor_scalar",
    ("_LogicalXorScalar",),
    _logical_xor,
    "Tests whether exactly one is non-zero of",
)


def _summed(grad: Tensor, shape: torch.Size) -> Tensor:
    """The gradient of an operand that was stretched to the shape of the result."""
    return grad if grad.shape == shape else grad.sum_to_size(shape)


def _sum(name: str, sign: int) -> None:
    function = find(name).function

    class Sum(Rule):
        """A sum or difference."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            lhs, rhs = arguments
            assert lhs is not None
            assert rhs is not None
            return function(lhs, rhs), (lhs.shape, rhs.shape)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (left, right), grad = saved, grads[0]
            assert grad is not None
            rhs = grad if sign > 0 else -grad
            return _summed(grad, left) if needs[0] else None, _summed(rhs, right) if needs[1] else None

    gradient_of(name)(Sum)


for _name, _sign in (("elemwise_add", 1), ("broadcast_add", 1), ("elemwise_sub", -1), ("broadcast_sub", -1)):
    _sum(_name, _sign)


def _of_two(name: str, derive: Callable[[Tensor, Tensor, Tensor, Needs], Grads]) -> None:
    """Declares a gradient that follows from the operands: `derive` takes the result's gradient, both, and `needs`."""
    function = find(name).function

    class OfTwo(Rule):
        """A function of two arrays."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            return function(*arguments), arguments

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (lhs, rhs), grad = saved, grads[0]
            assert grad is not None
            return derive(grad, lhs, rhs, needs)

    gradient_of(name)(OfTwo)


def _product_gradients(grad: Tensor, lhs: Tensor, rhs: Tensor, needs: Needs) -> Grads:
    left = _summed(grad * rhs, lhs.shape) if needs[0] else None
    return left, _summed(grad * lhs, rhs.shape) if needs[1] else None


def _quotient_gradients(grad: Tensor, lhs: Tensor, rhs: Tensor, needs: Needs) -> Grads:
    left = grad / rhs
    right = _summed(-left * (lhs / rhs), rhs.shape) if needs[1] else None
    return _summed(left, lhs.shape) if needs[0] else None, right


for _name in ("elemwise_mul", "broadcast_mul"):
    _of_two(_name, _product_gradients)
for _name in ("elemwise_div", "broadcast_div"):
    _of_two(_name, _quotient_gradients)


def _with_number(name: str, derive: Callable[[Tensor, float], Tensor]) -> None:
    function = find(name).function

    class WithNumber(Rule):
        """An array and a number."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            return function(data, **params), fitted(params.get("scalar", 1.0), data.dtype)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            grad = grads[0]
            assert grad is not None
            return (derive(grad, saved),)

    gradient_of(name)(WithNumber)


_with_number("_mul_scalar", lambda grad, scalar: grad * scalar)
_with_number("_div_scalar", lambda grad, scalar: grad / scalar)
_with_number("_plus_scalar", lambda grad, scalar: grad)
_with_number("_minus_scalar", lambda grad, scalar: grad)
_with_number("_rminus_scalar", lambda grad, scalar: -grad)


@in_place_of("elemwise_add")
def _add_in_place(lhs: Tensor, rhs: Tensor) -> Tensor:
    if lhs.shape != rhs.shape or lhs.dtype is not rhs.dtype:
        return find("elemwise_add").function(lhs, rhs)  # which refuses, and says why
    return lhs.add_(rhs)
