"""Functions of one array of mx.np, element by element.

Most are those of mx.nd under another name. Tests answer with bools here.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpTypeError
from ..common import same_dtype, same_shape
from ..dtype_rules import BOOLS, INTEGERS
from ..registry import find, operator
from ..shape_rules import compared

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
