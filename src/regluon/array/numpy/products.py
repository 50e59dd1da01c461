"""Products of vectors, matrices and arrays."""

from typing import TYPE_CHECKING, Any

import numpy as onp

from ...runtime.repeated import make_repeatable
from .axes import ravel
from .dispatch import Products, call, expect_arrays, is_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "dot",
    "einsum",
    "inner",
    "outer",
    "polyval",
    "tensordot",
    "vdot",
]


def dot(a: Any, b: Any, out: "ndarray | None" = None) -> "ndarray":
    """The product of vectors, of matrices, or of the last axis of `a` with the last but one of `b`."""
    return call("_np_dot", (a, b), out=out)


def tensordot(a: Any, b: Any, axes: Any = 2) -> "ndarray":
    """Sums products over pairs of axes.

    Args:
        a: the first array.
        b: the second one.
        axes: a number: the last axes of `a` with as many first ones of `b`; or the axes of each.
    """
    if isinstance(axes, int):
        return call("_npi_tensordot_int_axes", (a, b), {"axes": axes})
    of_a, of_b = axes
    return call("_npi_tensordot", (a, b), {"a_axes_summed": of_a, "b_axes_summed": of_b})


def inner(a: Any, b: Any) -> "ndarray":
    """Sums of products over the last axes of both."""
    return tensordot(a, b, ((-1,), (-1,)))


def outer(a: Any, b: Any) -> "ndarray":
    """The products of all pairs of elements: a matrix."""
    return tensordot(ravel(a), ravel(b), 0)


def vdot(a: Any, b: Any) -> "ndarray":
    """The sum of products of elements, both arrays in one row."""
    return tensordot(ravel(a), ravel(b), 1)


def einsum(*operands: Any, **kwargs: "Unpack[Products]") -> "ndarray":
    """Sums of products by Einstein's convention: `np.einsum('ij,jk->ik', a, b)`.

    Args:
        operands: the subscripts, then the arrays.
        kwargs: `optimize`, whether to look for a quick order of products, and `out`.
    """
    optimize, out = kwargs.pop("optimize", False), kwargs.pop("out", None)
    if kwargs:
        raise TypeError(f"[np.einsum] received {', '.join(kwargs)}; expected subscripts, arrays, optimize and out.")
    if not operands or not isinstance(operands[0], str):
        raise TypeError("[np.einsum] the first argument is no text; expected subscripts such as 'ij,jk->ik'.")
    subscripts, *arrays = operands
    return call("_npi_einsum", arrays, {"subscripts": subscripts, "optimize": int(bool(optimize))}, out)


def polyval(p: Any, x: Any) -> "ndarray":
    """The values of a polynomial, its coefficients given from the highest power down."""
    if not is_array(p) and not is_array(x):
        return onp.polyval(p, x)  # type: ignore[return-value]  # of numbers, NumPy's own
    expect_arrays("polyval", p=p, x=x)
    return call("_npi_polyval", (p, x))


make_repeatable(globals(), __all__)
