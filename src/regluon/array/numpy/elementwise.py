"""Functions of one array, element by element."""

from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as onp

from ...runtime.handle import Handle
from ...runtime.repeated import make_repeatable
from ..expressions import Number
from .dispatch import Options, call, check_options, expect_arrays, is_array, is_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "abs",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "around",
    "bitwise_not",
    "cbrt",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "expm1",
    "fabs",
    "fix",
    "floor",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "nan_to_num",
    "negative",
    "rad2deg",
    "radians",
    "reciprocal",
    "rint",
    "round",
    "round_",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]


class Unary(Protocol):
    """A function of one array, or of a number, element by element."""

    @overload
    def __call__(self, x: Number, out: None = None, **kwargs: "Unpack[Options]") -> float: ...
    @overload
    def __call__(self, x: Any, out: Any = None, **kwargs: "Unpack[Options]") -> "ndarray": ...
    def __call__(self, x: Any, out: Any = None, **kwargs: Any) -> Any: ...


def _function(name: str, meaning: str, operator: str | None = None, example: str = "") -> Unary:
    """A function that NumPy has under the same name; the example is of a call and its result."""
    operator = operator or f"_npi_{name}"
    of_number = getattr(onp, name)

    def function(x: Any, out: Any = None, **kwargs: Any) -> Any:
        if kwargs:
            check_options(name, kwargs)
        if is_array(x):
            return call(operator, (x,), out=out)
        if is_number(x):
            return of_number(x)
        expect_arrays(name, x=x)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "mxnet.numpy"
    shown = example and f"\n\nExample:\n    >>> {example}"
    function.__doc__ = f"{meaning}, element by element; a number gives a number.{shown}"
    return function


sin: Unary = _function("sin", "The sine of angles in radians")
cos: Unary = _function("cos", "The cosine of angles in radians")
tan: Unary = _function("tan", "The tangent of angles in radians")
arcsin: Unary = _function("arcsin", "The angle that has this sine, in radians")
arccos: Unary = _function("arccos", "The angle that has this cosine, in radians")
arctan: Unary = _function("arctan", "The angle that has this tangent, in radians")
sinh: Unary = _function("sinh", "The hyperbolic sine")
cosh: Unary = _function("cosh", "The hyperbolic cosine")
tanh: Unary = _function("tanh", "The hyperbolic tangent")
arcsinh: Unary = _function("arcsinh", "The inverse hyperbolic sine")
arccosh: Unary = _function("arccosh", "The inverse hyperbolic cosine")
arctanh: Unary = _function("arctanh", "The inverse hyperbolic tangent")
degrees: Unary = _function("degrees", "Angles in degrees, from radians")
rad2deg: Unary = _function("rad2deg", "Angles in degrees, from radians", "_npi_degrees")
radians: Unary = _function("radians", "Angles in radians, from degrees")
deg2rad: Unary = _function("deg2rad", "Angles in radians, from degrees", "_npi_radians")
exp: Unary = _function(
    "exp", "The exponential", example="np.exp(np.array([0, 1])).round(4)\n    array([1.    , 2.7183])"
)
expm1: Unary = _function("expm1", "exp(x) - 1, exact near 0")
log: Unary = _function("log", "The natural logarithm")
log2: Unary = _function("log2", "The logarithm to base 2")
log10: Unary = _function("log10", "The logarithm to base 10")
log1p: Unary = _function("log1p", "log(1 + x), exact near 0")
sqrt: Unary = _function("sqrt", "The square root", example="np.sqrt(np.array([4, 9]))\n    array([2., 3.])")
cbrt: Unary = _function("cbrt", "The cube root")
square: Unary = _function("square", "The square", example="np.square(np.array([-2, 3]))\n    array([4., 9.])")
reciprocal: Unary = _function("reciprocal", "1 / x")
negative: Unary = _function("negative", "-x")
absolute: Unary = _function("absolute", "The absolute value")
abs: Unary = _function("abs", "The absolute value", "_npi_absolute")
fabs: Unary = _function("fabs", "The absolute value", "_npi_absolute")
sign: Unary = _function("sign", "-1, 0 or 1 with the sign of x")
rint: Unary = _function("rint", "The nearest integer")
fix: Unary = _function("fix", "The nearest integer towards zero")
trunc: Unary = _function("trunc", "The nearest integer towards zero")
ceil: Unary = _function("ceil", "The smallest integer that is not below x")
floor: Unary = _function("floor", "The largest integer that is not above x")
logical_not: Unary = _function("logical_not", "True where x is zero")
bitwise_not: Unary = _function("bitwise_not", "All bits turned over")
invert: Unary = _function("invert", "All bits turned over", "_npi_bitwise_not")
isnan: Unary = _function("isnan", "True where x is not a number")
isinf: Unary = _function("isinf", "True where x is infinite")
isfinite: Unary = _function("isfinite", "True where x is neither infinite nor NaN")
isposinf: Unary = _function("isposinf", "True where x is positive infinity")
isneginf: Unary = _function("isneginf", "True where x is negative infinity")


def around(x: Any, decimals: int = 0, out: "ndarray | None" = None, **kwargs: "Unpack[Options]") -> "ndarray":
    """Rounds to a number of decimals; halves go to the even neighbour where they are exact."""
    if kwargs:
        check_options("around", kwargs)
    if is_number(x):
        return onp.around(x, decimals)
    expect_arrays("around", x=x)
    return call("_npi_around", (x,), {"decimals": decimals}, out)


def round(x: Any, decimals: int = 0, out: "ndarray | None" = None, **kwargs: "Unpack[Options]") -> "ndarray":
    """Rounds to a number of decimals; see `around`."""
    return around(x, decimals, out, **kwargs)


def round_(x: Any, decimals: int = 0, out: "ndarray | None" = None, **kwargs: "Unpack[Options]") -> "ndarray":
    """Rounds to a number of decimals; see `around`."""
    return around(x, decimals, out, **kwargs)


def clip(a: Any, a_min: Any, a_max: Any, out: "ndarray | None" = None) -> "ndarray":
    """Limits elements to the interval from a_min to a_max; None leaves that end open."""
    if a_min is None and a_max is None:
        raise ValueError("[np.clip] received None for both a_min and a_max; expected at least one number.")
    limits = {"a_min": float("-inf") if a_min is None else a_min, "a_max": float("inf") if a_max is None else a_max}
    if is_number(a):
        return onp.clip(a, a_min, a_max)
    return call("_npi_clip", (a,), limits, out)


def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: "Unpack[Options]",
) -> "ndarray":
    """Replaces NaN and infinities by numbers; infinities by the ends of the dtype's range if none are given.

    Args:
        x: an array or a number.
        copy: False writes to `x` itself.
        nan: what stands for NaN.
        posinf: what stands for positive infinity.
        neginf: what stands for negative infinity.
        kwargs: accepted and not used, as in MXNet.
    """
    if is_number(x):
        return onp.nan_to_num(x, copy, nan, posinf, neginf)
    expect_arrays("nan_to_num", x=x)
    if onp.dtype(x.dtype).kind in "iu":
        return x
    params = {"copy": copy, "nan": nan, "posinf": posinf, "neginf": neginf}
    is_written = not copy and isinstance(x, Handle)  # a symbol has no memory
    return call("_npi_nan_to_num", (x,), params, x if is_written else None)


make_repeatable(globals(), __all__)
