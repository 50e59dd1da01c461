"""The functions of `mx.npx` that are more than their operator."""

from typing import TYPE_CHECKING, Any

from ..numpy.dispatch import call, expect_c_order

if TYPE_CHECKING:
    from ..numpy.array import ndarray

__all__ = ["constraint_check", "nonzero", "reshape"]


def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> "ndarray":
    """A copy in another shape, with codes for lengths that follow from the old one.

    Args:
        a: the array.
        newshape: the lengths. -1 is worked out, -2 keeps the length of the current axis, -3 drops an axis of length 1,
            -4 takes all remaining axes, -5 joins two axes, -6 splits one into the two lengths that follow.
        reverse: read the codes, and the axes, from the last one backwards.
        order: 'C'.
    """
    expect_c_order("reshape", order)
    return call("_npx_reshape", (a,), {"newshape": newshape, "reverse": reverse})


def nonzero(a: Any) -> "ndarray":
    """The indices of elements that are not zero: one row for each, in int64."""
    return call("_npx_nonzero", (a,))


def constraint_check(x: Any, msg: str) -> "ndarray":
    """Raises a ValueError with a text unless all elements are true; gives True otherwise."""
    return call("_npx_constraint_check", (x,), {"msg": msg})
