"""Arithmetic and comparisons of arrays with arrays and scalars: `a + b`, `nd.add(a, b)` and their kin.

This is the hot path of eager programs, so arrays on one context go straight to the operator's function; everything
else takes the general way through `invoke`.
"""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from ..autograd.recording import Tape, constant, plain, recorded_input, state
from ..base import numeric_types
from ..config import process
from ..ops.registry import Operator, explained, find
from ..ops.tensor.arithmetic import KERNELS
from ..runtime.foreign import wrapping
from ..runtime.handle import Composable, Handle, SparseOperand
from ..runtime.invoke import check_writable, invoke, recorded_result, write
from ..runtime.repeated import repeatable
from .expressions import Value

if TYPE_CHECKING:
    from .dense import NDArray

Binary = Callable[[Any, Any], Any]

_BOOL = torch.bool


def _refused(name: str, operand: Any) -> TypeError:
    return TypeError(
        f"[{name}] received an operand of type {type(operand).__module__}.{type(operand).__name__}; expected an "
        f"NDArray or a number. Wrap it: {wrapping(operand, name.startswith('_np'))}."
    )


class Forms(NamedTuple):
    """The operators of one operation."""

    arrays: Operator  # of two arrays
    scalar: Operator  # of an array and a number
    reverse_scalar: Operator  # of a number and an array


# By the functions that `make_binary` made; abstract.py needs the operators, where there are no data to compute with.
FORMS: dict[Any, Forms] = {}
_renewals: list[Callable[[], None]] = []


def renew_kernels() -> None:
    """Sets what operations on two arrays call: kernels, in ranges of a profiler or not; see Operator.renew_eager."""
    for renew in _renewals:
        renew()


def make_binary(numbers: Binary, name: str, scalar_name: str, reverse_name: str | None = None) -> Binary:
    """The function of one operation.

    Args:
        numbers: what it means between two plain numbers.
        name: the broadcasting operator.
        scalar_name: the operator for array with scalar.
        reverse_name: the operator for scalar with array, where the order matters.
    """
    declared, with_scalar = find(name), find(scalar_name)
    reversed_scalar = find(reverse_name) if reverse_name else with_scalar
    usual = kernel = KERNELS.get(name, declared.function)

    def renew() -> None:
        nonlocal kernel
        kernel = usual if process.tracer is None else process.tracer.timed(declared, usual)

    _renewals.append(renew)

    def binary(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, Handle):
            if isinstance(rhs, Handle):
                context, tape = lhs._ctx, state.tape
                if context is not rhs._ctx:
                    return invoke(declared, (lhs, rhs), {})
                try:
                    if tape is None:
                        a, b = lhs._t, rhs._t
                    else:
                        a, b = _operands(lhs, rhs, tape)
                except SparseOperand:
                    return invoke(declared, (lhs, rhs), {})
                dtype = a.dtype
                try:
                    result = kernel(a, b) if dtype is b.dtype and dtype is not _BOOL else declared.eager(a, b)
                except Exception as error:
                    raise _explained(declared, a, b) from error
                if tape is not None:
                    return _entered(declared, lhs, result, (a, b), tape)
                if result.requires_grad:  # an operand was recorded, this is not
                    result = result.data
                return lhs._result_type(result, context)
            if isinstance(rhs, numeric_types):
                return _with_scalar(with_scalar, lhs, rhs)
            if isinstance(rhs, Composable):
                return rhs._invoke(declared, (lhs, rhs), {}, None)
            raise _refused(declared.name, rhs)
        if isinstance(rhs, Handle) and isinstance(lhs, numeric_types):
            return _with_scalar(reversed_scalar, rhs, lhs)
        if isinstance(lhs, numeric_types) and isinstance(rhs, numeric_types):
            return numbers(lhs, rhs)
        if isinstance(lhs, Composable):
            if isinstance(rhs, numeric_types):
                return lhs._invoke(with_scalar, (lhs,), {"scalar": rhs}, None)
            return lhs._invoke(declared, (lhs, rhs), {}, None)
        if isinstance(rhs, Composable) and isinstance(lhs, numeric_types):
            return rhs._invoke(reversed_scalar, (rhs,), {"scalar": lhs}, None)
        raise _refused(declared.name, rhs if isinstance(lhs, numeric_types) else lhs)

    quick = repeatable(binary)
    FORMS[quick] = Forms(declared, with_scalar, reversed_scalar)
    return quick


def _explained(declared: Operator, a: Tensor, b: Tensor) -> Exception:
    """The error to show: the one that the operator's own function raises."""
    try:
        declared.eager(a, b)
    except Exception as error:
        return explained(declared, (a, b), error)
    raise AssertionError(f"{declared.name} and its kernel differ on {a.dtype} {tuple(a.shape)}, {tuple(b.shape)}")


def _operand(array: Any, tape: Tape | None) -> Tensor:
    """What to compute with: `recorded_input` or `plain`, their usual cases written out."""
    tensor = array._t
    if tape is None:
        return plain(array) if tensor.requires_grad else tensor
    node = array._node
    if node is None:
        return tensor
    return node if array._tape is None else recorded_input(array, tape)


def _operands(lhs: Any, rhs: Any, tape: Tape) -> tuple[Tensor, Tensor]:
    """What to compute with while recording: what a graph keeps of a constant is not the tensor that is written to."""
    a, b = _operand(lhs, tape), _operand(rhs, tape)
    if a.requires_grad:
        return (a, b) if b.requires_grad else (a, constant(b))
    return (constant(a), b) if b.requires_grad else (a, b)


def _with_scalar(scalar_operator: Operator, array: Handle, scalar: Any) -> Any:
    """Array with scalar: parameters need no parsing here, a number is a number."""
    if not isinstance(scalar, (int, float)):
        scalar = scalar.item()
    tape = state.tape
    try:
        operand = _operand(array, tape)
    except SparseOperand:
        return invoke(scalar_operator, (array,), {"scalar": scalar})
    try:
        tensor = scalar_operator.eager(operand, scalar=scalar)
    except Exception as error:
        raise explained(scalar_operator, (operand,), error) from error
    if tape is None:
        return array._result_type(tensor, array._ctx)
    return _entered(scalar_operator, array, tensor, (operand,), tape)


def _entered(declared: Operator, like: Handle, result: Tensor, tensors: tuple[Tensor, ...], tape: Tape) -> Handle:
    """The array of a recorded result, in its place in the graph."""
    if declared.zero_gradient or not result.requires_grad:
        return recorded_result(declared, result, like._result_type, like._ctx, tensors, tape)
    array = like._result_type(result, like._ctx)
    array._node, array._tape = result, tape
    return array


def _as_int(test: Callable[[Any, Any], bool]) -> Binary:
    """Comparisons give 0 or 1, between plain numbers too."""
    return lambda lhs, rhs: int(test(lhs, rhs))


_add = make_binary(operator.add, "broadcast_add", "_plus_scalar")
_subtract = make_binary(operator.sub, "broadcast_sub", "_minus_scalar", "_rminus_scalar")
_multiply = make_binary(operator.mul, "broadcast_mul", "_mul_scalar")
_divide = make_binary(operator.truediv, "broadcast_div", "_div_scalar", "_rdiv_scalar")
_modulo = make_binary(operator.mod, "broadcast_mod", "_mod_scalar", "_rmod_scalar")
_power = make_binary(operator.pow, "broadcast_power", "_power_scalar", "_rpower_scalar")
_maximum = make_binary(max, "broadcast_maximum", "_maximum_scalar")
_minimum = make_binary(min, "broadcast_minimum", "_minimum_scalar")
_equal = make_binary(_as_int(operator.eq), "broadcast_equal", "_equal_scalar")
_not_equal = make_binary(_as_int(operator.ne), "broadcast_not_equal", "_not_equal_scalar")
_greater = make_binary(_as_int(operator.gt), "broadcast_greater", "_greater_scalar", "_lesser_scalar")
_greater_equal = make_binary(
    _as_int(operator.ge), "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"
)
_lesser = make_binary(_as_int(operator.lt), "broadcast_lesser", "_lesser_scalar", "_greater_scalar")
_lesser_equal = make_binary(
    _as_int(operator.le), "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"
)
_logical_and = make_binary(_as_int(lambda a, b: bool(a) and bool(b)), "broadcast_logical_and", "_logical_and_scalar")
_logical_or = make_binary(_as_int(lambda a, b: bool(a) or bool(b)), "broadcast_logical_or", "_logical_or_scalar")
_logical_xor = make_binary(_as_int(lambda a, b: bool(a) != bool(b)), "broadcast_logical_xor", "_logical_xor_scalar")


def add(lhs: Value, rhs: Value) -> "NDArray":
    """lhs + rhs, element by element with broadcasting; either may be a number."""
    return _add(lhs, rhs)


def subtract(lhs: Value, rhs: Value) -> "NDArray":
    """lhs - rhs, element by element with broadcasting; either may be a number."""
    return _subtract(lhs, rhs)


def multiply(lhs: Value, rhs: Value) -> "NDArray":
    """lhs * rhs, element by element with broadcasting; either may be a number."""
    return _multiply(lhs, rhs)


def divide(lhs: Value, rhs: Value) -> "NDArray":
    """lhs / rhs; integers are cut off towards zero, element by element with broadcasting; either may be a number."""
    return _divide(lhs, rhs)


def modulo(lhs: Value, rhs: Value) -> "NDArray":
    """lhs % rhs, with the sign of rhs, element by element with broadcasting; either may be a number."""
    return _modulo(lhs, rhs)


def power(base: Value, exp: Value) -> "NDArray":
    """base ** exp, element by element with broadcasting; either may be a number.

    Example:
        >>> nd.power(nd.array([1, 2, 3]), 2).asnumpy()
        array([1., 4., 9.], dtype=float32)
    """
    return _power(base, exp)


def maximum(lhs: Value, rhs: Value) -> "NDArray":
    """The larger of the two, element by element with broadcasting; either may be a number.

    Example:
        >>> nd.maximum(nd.array([1, 5]), nd.array([4, 2])).asnumpy()
        array([4., 5.], dtype=float32)
    """
    return _maximum(lhs, rhs)


def minimum(lhs: Value, rhs: Value) -> "NDArray":
    """The smaller of the two, element by element with broadcasting; either may be a number."""
    return _minimum(lhs, rhs)


def equal(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs == rhs, else 0, element by element with broadcasting; either may be a number."""
    return _equal(lhs, rhs)


def not_equal(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs != rhs, else 0, element by element with broadcasting; either may be a number."""
    return _not_equal(lhs, rhs)


def greater(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs > rhs, else 0, element by element with broadcasting; either may be a number."""
    return _greater(lhs, rhs)


def greater_equal(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs >= rhs, else 0, element by element with broadcasting; either may be a number."""
    return _greater_equal(lhs, rhs)


def lesser(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs < rhs, else 0, element by element with broadcasting; either may be a number."""
    return _lesser(lhs, rhs)


def lesser_equal(lhs: Value, rhs: Value) -> "NDArray":
    """1 where lhs <= rhs, else 0, element by element with broadcasting; either may be a number."""
    return _lesser_equal(lhs, rhs)


def logical_and(lhs: Value, rhs: Value) -> "NDArray":
    """1 where both are non-zero, else 0, element by element with broadcasting; either may be a number."""
    return _logical_and(lhs, rhs)


def logical_or(lhs: Value, rhs: Value) -> "NDArray":
    """1 where any is non-zero, else 0, element by element with broadcasting; either may be a number."""
    return _logical_or(lhs, rhs)


def logical_xor(lhs: Value, rhs: Value) -> "NDArray":
    """1 where exactly one is non-zero, else 0, element by element with broadcasting; either may be a number."""
    return _logical_xor(lhs, rhs)


true_divide = divide


def in_place(function: Binary, symbol: str) -> Callable[[Any, Any], Any]:
    """The in-place form: the result is written to the memory of the left operand, which views of it see."""

    def method(self: Handle, other: Any) -> Any:
        check_writable(self, symbol)
        result = function(self, other)
        write(self, result._node if result._node is not None else result._t, state.tape, symbol)
        return self

    return method


def reflected(function: Binary) -> Binary:
    """The form that Python asks the right operand for."""

    def method(self: Any, other: Any) -> Any:
        return function(other, self)

    if function in FORMS:
        forms = FORMS[function]
        FORMS[method] = forms._replace(scalar=forms.reverse_scalar)
    return method


class Arithmetic:
    """The operators of Python expressions on arrays."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to checkers, those of Expressions
        __add__ = _add
        __sub__ = _subtract
        __mul__ = _multiply
        __truediv__ = __div__ = _divide
        __mod__ = _modulo
        __pow__ = _power
        __radd__ = reflected(_add)
        __rsub__ = reflected(_subtract)
        __rmul__ = reflected(_multiply)
        __rtruediv__ = __rdiv__ = reflected(_divide)
        __rmod__ = reflected(_modulo)
        __rpow__ = reflected(_power)
        __iadd__ = in_place(_add, "+=")
        __isub__ = in_place(_subtract, "-=")
        __imul__ = in_place(_multiply, "*=")
        __itruediv__ = __idiv__ = in_place(_divide, "/=")
        __imod__ = in_place(_modulo, "%=")
        __eq__ = _equal
        __ne__ = _not_equal
        __gt__ = _greater
        __ge__ = _greater_equal
        __lt__ = _lesser
        __le__ = _lesser_equal
        # Comparing gives arrays, so arrays are told apart by identity, as keys of a dict for example.
        __hash__ = object.__hash__

        def __neg__(self) -> Any:
            return _multiply(self, -1)

        def __abs__(self) -> Any:
            return invoke(find("abs"), (self,), {})
