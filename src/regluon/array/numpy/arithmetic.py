"""Arithmetic, comparisons and bits of `mx.np`: functions of two operands, and the operators of expressions.

Either operand may be a number; two numbers give NumPy's own result. Dtypes are mixed as MXNet's NumPy interface does.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as onp

from ...autograd.recording import state
from ...runtime.handle import Handle
from ...runtime.invoke import write
from ..arithmetic import in_place, make_binary, reflected
from ..expressions import Number, NumpyExpressions
from .dispatch import Options, call, check_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "add",
    "arctan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "copysign",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "hypot",
    "lcm",
    "ldexp",
    "less",
    "less_equal",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "not_equal",
    "power",
    "remainder",
    "subtract",
    "true_divide",
]


class Binary(Protocol):
    """A function of two arrays, or of an array and a number, element by element with broadcasting."""

    @overload
    def __call__(self, x1: Number, x2: Number, out: None = None, **kwargs: "Unpack[Options]") -> float: ...
    @overload
    def __call__(self, x1: Any, x2: Any, out: Any = None, **kwargs: "Unpack[Options]") -> "ndarray": ...
    def __call__(self, x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any: ...


class BinaryWithoutOptions(Protocol):
    """A function of two operands that takes none of the options of NumPy's universal functions."""

    @overload
    def __call__(self, x1: Number, x2: Number, out: None = None) -> float: ...
    @overload
    def __call__(self, x1: Any, x2: Any, out: Any = None) -> "ndarray": ...
    def __call__(self, x1: Any, x2: Any, out: Any = None) -> Any: ...


def _written(result: Any, out: Any, who: str) -> Any:
    """The result, in the array that was given for it."""
    if not isinstance(result, Handle):
        raise TypeError(f"[{who}] out: received an array for the result of two numbers; expected operands with axes.")
    write(out, result._node if result._node is not None else result._t, state.tape, who)
    return out


def _function(name: str, compute: Callable[[Any, Any], Any], meaning: str) -> Binary:
    def function(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        if kwargs:
            check_options(name, kwargs)
        result = compute(x1, x2)
        return result if out is None else _written(result, out, name)

    return _named(function, name, f"{meaning}, element by element; either may be a number.")


def _without_options(name: str, compute: Callable[[Any, Any], Any], meaning: str) -> BinaryWithoutOptions:
    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        result = compute(x1, x2)
        return result if out is None else _written(result, out, name)

    return _named(function, name, f"{meaning}, element by element; either may be a number.")


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "mxnet.numpy"
    function.__doc__ = doc
    return function


_add = make_binary(onp.add, "_npi_add", "_npi_add_scalar")
_subtract = make_binary(onp.subtract, "_npi_subtract", "_npi_subtract_scalar", "_npi_rsubtract_scalar")
_multiply = make_binary(onp.multiply, "_npi_multiply", "_npi_multiply_scalar")
_divide = make_binary(onp.divide, "_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")
_mod = make_binary(onp.mod, "_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar")
_power = make_binary(onp.power, "_npi_power", "_npi_power_scalar", "_npi_rpower_scalar")
_equal = make_binary(onp.equal, "_npi_equal", "_npi_equal_scalar")
_not_equal = make_binary(onp.not_equal, "_npi_not_equal", "_npi_not_equal_scalar")
_greater = make_binary(onp.greater, "_npi_greater", "_npi_greater_scalar", "_npi_less_scalar")
_greater_equal = make_binary(
    onp.greater_equal, "_npi_greater_equal", "_npi_greater_equal_scalar", "_npi_less_equal_scalar"
)
_less = make_binary(onp.less, "_npi_less", "_npi_less_scalar", "_npi_greater_scalar")
_less_equal = make_binary(onp.less_equal, "_npi_less_equal", "_npi_less_equal_scalar", "_npi_greater_equal_scalar")
_bitwise_and = make_binary(onp.bitwise_and, "_npi_bitwise_and", "_npi_bitwise_and_scalar")
_bitwise_or = make_binary(onp.bitwise_or, "_npi_bitwise_or", "_npi_bitwise_or_scalar")
_bitwise_xor = make_binary(onp.bitwise_xor, "_npi_bitwise_xor", "_npi_bitwise_xor_scalar")

add: Binary = _function("add", _add, "x1 + x2")
subtract: Binary = _function("subtract", _subtract, "x1 - x2")
multiply: Binary = _function("multiply", _multiply, "x1 * x2")
divide: Binary = _function("divide", _divide, "x1 / x2, also of integers")
true_divide: BinaryWithoutOptions = _without_options("true_divide", _divide, "x1 / x2, also of integers")
mod: Binary = _function("mod", _mod, "The remainder of x1 / x2, with the sign of x2")
remainder: Binary = _function("remainder", _mod, "The remainder of x1 / x2, with the sign of x2")
power: Binary = _function("power", _power, "x1 to the power of x2")
maximum: Binary = _function(
    "maximum", make_binary(onp.maximum, "_npi_maximum", "_npi_maximum_scalar"), "The larger of x1 and x2"
)
minimum: Binary = _function(
    "minimum", make_binary(onp.minimum, "_npi_minimum", "_npi_minimum_scalar"), "The smaller of x1 and x2"
)
lcm: Binary = _function("lcm", make_binary(onp.lcm, "_npi_lcm", "_npi_lcm_scalar"), "The least common multiple")
hypot: Binary = _function(
    "hypot", make_binary(onp.hypot, "_npi_hypot", "_npi_hypot_scalar"), "The hypotenuse over two sides"
)
arctan2: Binary = _function(
    "arctan2",
    make_binary(onp.arctan2, "_npi_arctan2", "_npi_arctan2_scalar", "_npi_rarctan2_scalar"),
    "The angle of the point (x2, x1), in radians",
)
copysign: Binary = _function(
    "copysign",
    make_binary(onp.copysign, "_npi_copysign", "_npi_copysign_scalar", "_npi_rcopysign_scalar"),
    "x1 with the sign of x2",
)
ldexp: Binary = _function(
    "ldexp",
    make_binary(onp.ldexp, "_npi_ldexp", "_npi_ldexp_scalar", "_npi_rldexp_scalar"),
    "x1 times two to the power of x2",
)
bitwise_and: Binary = _function("bitwise_and", _bitwise_and, "The bits that x1 and x2 share")
bitwise_or: Binary = _function("bitwise_or", _bitwise_or, "The bits of x1 and of x2")
bitwise_xor: Binary = _function("bitwise_xor", _bitwise_xor, "The bits in which x1 and x2 differ")
equal: BinaryWithoutOptions = _without_options("equal", _equal, "True where x1 == x2")
not_equal: BinaryWithoutOptions = _without_options("not_equal", _not_equal, "True where x1 != x2")
greater: BinaryWithoutOptions = _without_options("greater", _greater, "True where x1 > x2")
greater_equal: BinaryWithoutOptions = _without_options("greater_equal", _greater_equal, "True where x1 >= x2")
less: BinaryWithoutOptions = _without_options("less", _less, "True where x1 < x2")
less_equal: BinaryWithoutOptions = _without_options("less_equal", _less_equal, "True where x1 <= x2")


def matmul(a: Any, b: Any, out: "ndarray | None" = None, **kwargs: "Unpack[Options]") -> "ndarray":
    """The matrix product; further axes in front are batches that broadcast."""
    if kwargs:
        check_options("matmul", kwargs)
    return call("_npi_matmul", (a, b), out=out)


class NumpyArithmetic(NumpyExpressions):
    """The operators of Python expressions on `mx.np` arrays."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to checkers, those of NumpyExpressions
        __add__ = _add
        __sub__ = _subtract
        __mul__ = _multiply
        __truediv__ = __div__ = _divide
        __mod__ = _mod
        __pow__ = _power
        __radd__ = reflected(_add)
        __rsub__ = reflected(_subtract)
        __rmul__ = reflected(_multiply)
        __rtruediv__ = __rdiv__ = reflected(_divide)
        __rmod__ = reflected(_mod)
        __rpow__ = reflected(_power)
        __iadd__ = in_place(_add, "+=")
        __isub__ = in_place(_subtract, "-=")
        __imul__ = in_place(_multiply, "*=")
        __itruediv__ = __idiv__ = in_place(_divide, "/=")
        __imod__ = in_place(_mod, "%=")
        __and__ = _bitwise_and
        __or__ = _bitwise_or
        __xor__ = _bitwise_xor
        __iand__ = in_place(_bitwise_and, "&=")
        __ior__ = in_place(_bitwise_or, "|=")
        __ixor__ = in_place(_bitwise_xor, "^=")
        __matmul__ = matmul
        __rmatmul__ = reflected(matmul)
        __imatmul__ = in_place(matmul, "@=")
        __eq__ = _equal
        __ne__ = _not_equal
        __gt__ = _greater
        __ge__ = _greater_equal
        __lt__ = _less
        __le__ = _less_equal
        # Comparing gives arrays, so arrays are told apart by identity, as keys of a dict for example.
        __hash__ = object.__hash__

        def __neg__(self) -> Any:
            return _multiply(self, -1)

        def __abs__(self) -> Any:
            return call("_npi_absolute", (self,))

        def __invert__(self) -> Any:
            return call("_npi_bitwise_not", (self,))

        def __round__(self, n: int = 0) -> Any:
            return call("_npi_around", (self,), {"decimals": n})

        def __ceil__(self) -> Any:
            return call("_npi_ceil", (self,))

        def __floor__(self) -> Any:
            return call("_npi_floor", (self,))

        def __trunc__(self) -> Any:
            return call("_npi_trunc", (self,))
