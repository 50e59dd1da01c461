"""Define arithmetic and functions of sparse arrays."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import regluon.array.arithmetic as dense

from ...errors import OpParamError, OpTypeError
from ...ops.registry import find
from ...runtime.handle import STORAGE_TYPES
from ...runtime.invoke import invoke
from ..dense import NDArray
from ..expressions import Value
from ..register import signature
from .dispatch import write_result

if TYPE_CHECKING:
    from .csr import CSRNDArray
    from .row_sparse import RowSparseNDArray

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


def _finished(result: NDArray, stype: str | None, out: Any, who: str) -> Any:
    """A result in the storage type that was asked for, or written to `out`."""
    if out is not None:
        write_result(result, out, who)
        return out
    return result if stype in (None, result.stype) else result.tostype(stype)


@overload
def cast_storage(data: NDArray, stype: Literal["csr"], out: None = None, name: str | None = None) -> "CSRNDArray": ...
@overload
def cast_storage(
    data: NDArray, stype: Literal["row_sparse"], out: None = None, name: str | None = None
) -> "RowSparseNDArray": ...
@overload
def cast_storage(data: NDArray, stype: str, out: NDArray | None = None, name: str | None = None) -> NDArray: ...
def cast_storage(data: Any = None, stype: Any = None, out: Any = None, name: str | None = None) -> Any:
    """The array in another storage type.

    Args:
        data: a dense or sparse array.
        stype: 'default' is dense, 'csr' for matrices, 'row_sparse' for arrays with rows of zeros.
        out: an array to write the result to.
        name: for symbols.
    """
    operator = find("cast_storage")
    inputs, params = operator.bind((data,), {"stype": stype})
    if isinstance(data, NDArray) and data.stype == "default" and params["stype"] in STORAGE_TYPES:
        return _finished(data.tostype(params["stype"]), None, out, "cast_storage")
    return invoke(operator, inputs, params, out, NDArray)


def dot(
    lhs: Any = None,
    rhs: Any = None,
    transpose_a: Any = False,
    transpose_b: Any = False,
    forward_stype: Any = None,
    out: Any = None,
    name: str | None = None,
) -> NDArray:
    """The product of two matrices; see `nd.dot`.

    Args:
        lhs: the left matrix, dense or csr.
        rhs: the right matrix.
        transpose_a: whether to transpose the left one.
        transpose_b: whether to transpose the right one.
        forward_stype: storage type of the result; by default, row_sparse if the left one is csr and transposed, csr if
            the right one is csr, else dense.
        out: an array to write the result to.
        name: for symbols.
    """
    operator = find("dot")
    given = {"transpose_a": transpose_a, "transpose_b": transpose_b, "forward_stype": forward_stype}
    inputs, params = operator.bind((lhs, rhs), given)
    return _finished(invoke(operator, inputs, params, None, NDArray), params["forward_stype"], out, "dot")


def retain(
    data: Any = None, indices: Any = None, out: Any = None, name: str | None = None, **params: Any
) -> "RowSparseNDArray":
    """Keeps the rows of the given numbers; all others become zero.

    Args:
        data: a row_sparse array.
        indices: a vector of row numbers.
        out: an array to write the result to.
        name: for symbols.
        **params: refused; the operator has no parameters.
    """
    if getattr(data, "stype", "") != "row_sparse":
        given = getattr(data, "stype", type(data).__name__)
        raise OpTypeError(f"[_sparse_retain] data: received {given}; expected a row_sparse array.")
    if params:
        raise OpParamError(f"[_sparse_retain] received {', '.join(params)}; expected data and indices only.")
    return invoke(find("_sparse_retain"), (data, indices), {}, out, NDArray)


def _show(function: Any, name: str) -> None:
    """Gives a function the signature that its operator has everywhere else."""
    function.__signature__ = signature(find(name))


_show(cast_storage, "cast_storage")
_show(dot, "dot")
_show(retain, "_sparse_retain")
