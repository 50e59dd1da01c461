"""Arithmetic and comparisons of symbols with symbols and numbers: `a + b`, `sym.maximum(a, 2)` and their kin."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import NotImplementedForSymbol, numeric_types
from ..ops.registry import find
from .building import apply_operator

if TYPE_CHECKING:
    from .symbol import Symbol


class _Forms(NamedTuple):
    """The operators of one operation, by the names MXNet calls them: automatic names of symbols show them."""

    alike: str  # of two symbols of one shape
    broadcast: str  # of two symbols whose shapes are known to differ
    scalar: str
    reverse_scalar: str


_FORMS = {
    "+": _Forms("_Plus", "broadcast_add", "_PlusScalar", "_PlusScalar"),
    "-": _Forms("_Minus", "broadcast_sub", "_MinusScalar", "_RMinusScalar"),
    "*": _Forms("_Mul", "broadcast_mul", "_MulScalar", "_MulScalar"),
    "/": _Forms("_Div", "broadcast_div", "_DivScalar", "_RDivScalar"),
    "%": _Forms("_Mod", "broadcast_mod", "_ModScalar", "_RModScalar"),
    "**": _Forms("_Power", "broadcast_power", "_PowerScalar", "_rpower_scalar"),
    "==": _Forms("_equal", "broadcast_equal", "_equal_scalar", "_equal_scalar"),
    "!=": _Forms("_not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
    ">": _Forms("_greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    ">=": _Forms("_greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "<": _Forms("_lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "<=": _Forms("_lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
    "pow": _Forms("_Power", "broadcast_power", "_PowerScalar", "_RPowerScalar"),
    "maximum": _Forms("_Maximum", "broadcast_maximum", "_MaximumScalar", "_MaximumScalar"),
    "minimum": _Forms("_Minimum", "broadcast_minimum", "_MinimumScalar", "_MinimumScalar"),
    "hypot": _Forms("_Hypot", "broadcast_hypot", "_HypotScalar", "_HypotScalar"),
}


def _operate(sign: str, lhs: Any, rhs: Any) -> Any:
    forms = _FORMS[sign]
    left, right = hasattr(lhs, "_heads"), hasattr(rhs, "_heads")
    if (left and right) or (left and hasattr(rhs, "_ctx")) or (right and hasattr(lhs, "_ctx")):
        lhs, rhs = _as_symbol(lhs, rhs), _as_symbol(rhs, lhs)
        name = forms.broadcast if _known_to_differ(lhs, rhs) else forms.alike
        return apply_operator(find(name), name, (lhs, rhs), {})
    if left and isinstance(rhs, numeric_types):
        return apply_operator(find(forms.scalar), forms.scalar, (lhs,), {"scalar": rhs})
    if right and isinstance(lhs, numeric_types):
        return apply_operator(find(forms.reverse_scalar), forms.reverse_scalar, (rhs,), {"scalar": lhs})
    given = rhs if left else lhs
    raise TypeError(f"[{sign}] received {given!r} of type {type(given).__name__}; expected a Symbol or a number.")


def _as_symbol(value: Any, other: Any) -> Any:
    """An array met while a network is traced becomes a constant of the graph."""
    return value if hasattr(value, "_heads") else other._captured(value)


def _known_to_differ(lhs: Any, rhs: Any) -> bool:
    """Whether both shapes are known, as while a network is traced, and differ."""
    left, right = lhs._known_shape(), rhs._known_shape()
    return left is not None and right is not None and left != right


def _operation(sign: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operate(sign, self, other)


def _reflected(sign: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operate(sign, other, self)


def _in_place(sign: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        raise NotImplementedForSymbol(method, f"{sign}=", other)

    method.__name__ = {"+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__"}[sign]
    return method


class Expression:
    """The operators of Python expressions on symbols."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to checkers, those of Expressions
        # A symbol has no memory to write to: `x = x + y` says what is meant.
        __iadd__, __isub__, __imul__, __itruediv__ = (_in_place(sign) for sign in "+-*/")
        __idiv__ = __itruediv__

        __add__, __radd__ = _operation("+"), _reflected("+")
        __sub__, __rsub__ = _operation("-"), _reflected("-")
        __mul__, __rmul__ = _operation("*"), _reflected("*")
        __truediv__, __rtruediv__ = _operation("/"), _reflected("/")
        __div__, __rdiv__ = __truediv__, __rtruediv__
        __mod__, __rmod__ = _operation("%"), _reflected("%")
        __pow__, __rpow__ = _operation("**"), _reflected("**")
        __eq__, __ne__ = _operation("=="), _operation("!=")
        __gt__, __ge__ = _operation(">"), _operation(">=")
        __lt__, __le__ = _operation("<"), _operation("<=")

        def __neg__(self) -> Any:
            return _operate("*", self, -1.0)

        def __abs__(self) -> Any:
            return apply_operator(find("abs"), "abs", (self,), {})


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, numeric_types) for value in values)


def pow(base: Any, exp: Any) -> "Symbol":
    """base ** exp, element by element; either may be a number."""
    return base**exp if _are_numbers(base, exp) else _operate("pow", base, exp)


power = pow


def maximum(left: Any, right: Any) -> "Symbol":
    """The larger of the two, element by element; either may be a number."""
    if _are_numbers(left, right):
        return left if left > right else right
    return _operate("maximum", left, right)


def minimum(left: Any, right: Any) -> "Symbol":
    """The smaller of the two, element by element; either may be a number."""
    if _are_numbers(left, right):
        return left if left < right else right
    return _operate("minimum", left, right)


def hypot(left: Any, right: Any) -> "Symbol":
    """The length of the hypotenuse of a right triangle with these legs; either may be a number."""
    if _are_numbers(left, right):
        return float(abs(complex(left, right)))  # type: ignore[return-value]  # of numbers, a number
    return _operate("hypot", left, right)
