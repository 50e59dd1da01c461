"""Arithmetic of sparse arrays: arrays of one shape go through the operators that keep them sparse."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import regluon.array.arithmetic as dense

from ...ops.registry import find
from ...runtime.invoke import invoke
from ..dense import NDArray
from ..expressions import Value

__all__ = ["add", "divide", "multiply", "subtract"]

Binary = Callable[[Any, Any], Any]


def _elementwise(name: str, broadcasting: Binary) -> Binary:
    """The operator for equal shapes, before the one that broadcasts and takes numbers."""
    operator = find(name)

    def binary(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray) and lhs.shape == rhs.shape:
            return invoke(operator, (lhs, rhs), {})
        return broadcasting(lhs, rhs)

    return binary


_add = _elementwise("elemwise_add", dense.add)
_subtract = _elementwise("elemwise_sub", dense.subtract)
_multiply = _elementwise("elemwise_mul", dense.multiply)
_divide = _elementwise("elemwise_div", dense.divide)


def add(lhs: Value, rhs: Value) -> NDArray:
    """lhs + rhs; sparse if both are arrays of one storage type and shape."""
    return _add(lhs, rhs)


def subtract(lhs: Value, rhs: Value) -> NDArray:
    """lhs - rhs; sparse if both are arrays of one storage type and shape."""
    return _subtract(lhs, rhs)


def multiply(lhs: Value, rhs: Value) -> NDArray:
    """lhs * rhs; sparse if one is, and the other a number or an array of its shape."""
    return _multiply(lhs, rhs)


def divide(lhs: Value, rhs: Value) -> NDArray:
    """lhs / rhs; sparse if lhs is, and rhs a number."""
    return _divide(lhs, rhs)


def _in_place(function: Binary) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        result = function(self, other)
        if result.stype == "default":
            result = result.tostype(self.stype)
        self[:] = result
        return self

    return method


class SparseArithmetic:
    """The operators of Python expressions on sparse arrays."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to checkers, those of all arrays
        __add__ = _add
        __sub__ = _subtract
        __mul__ = _multiply
        __iadd__ = _in_place(_add)
        __isub__ = _in_place(_subtract)
        __imul__ = _in_place(_multiply)
        __itruediv__ = __idiv__ = _in_place(dense.divide)
