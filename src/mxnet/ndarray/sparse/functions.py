"""Operators on sparse arrays as functions: those of `nd` that make sparse results of dense inputs."""

from collections.abc import Callable
from typing import Any

from ...error import OpTypeError
from ...ops.registry import find
from ..dense import NDArray
from ..handle import STORAGE_TYPES
from ..invoke import invoke
from ..register import make_function, signature
from .dispatch import write_result

# The operators that stand in `nd.sparse` under their own names.
NAMES = (
    *("ElementWiseSum", "Embedding", "FullyConnected", "LinearRegressionOutput", "LogisticRegressionOutput"),
    *("MAERegressionOutput", "abs", "adagrad_update", "adam_update", "add_n", "arccos", "arccosh", "arcsin", "arcsinh"),
    *("arctan", "arctanh", "broadcast_add", "broadcast_div", "broadcast_minus", "broadcast_mul", "broadcast_plus"),
    *("broadcast_sub", "cbrt", "ceil", "clip", "concat", "cos", "cosh", "degrees", "elemwise_add", "elemwise_div"),
    *("elemwise_mul", "elemwise_sub", "exp", "expm1", "fix", "floor", "ftrl_update", "gamma", "gammaln", "log", "log10"),
    *("log1p", "log2", "make_loss", "mean", "negative", "norm", "radians", "relu", "rint", "round", "rsqrt"),
    *("sgd_mom_update", "sgd_update", "sigmoid", "sign", "sin", "sinh", "slice", "sqrt", "square", "stop_gradient"),
    *("sum", "tan", "tanh", "trunc", "where", "zeros_like"),
)


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of those names."""
    return {name: make_function(find(f"_sparse_{name}"), name, NDArray) for name in NAMES}


def _finished(result: NDArray, stype: str | None, out: Any, who: str) -> Any:
    """A result in the storage type that was asked for, or written to `out`."""
    if out is not None:
        write_result(result, out, who)
        return out
    return result if stype in (None, result.stype) else result.tostype(stype)


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
) -> Any:
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


def retain(data: Any = None, indices: Any = None, out: Any = None, name: str | None = None) -> Any:
    """Keeps the rows of the given numbers; all others become zero.

    Args:
        data: a row_sparse array.
        indices: a vector of row numbers.
        out: an array to write the result to.
        name: for symbols.
    """
    if getattr(data, "stype", "") != "row_sparse":
        given = getattr(data, "stype", type(data).__name__)
        raise OpTypeError(f"[_sparse_retain] data: received {given}; expected a row_sparse array.")
    return invoke(find("_sparse_retain"), (data, indices), {}, out, NDArray)


for _function, _operator in ((cast_storage, "cast_storage"), (dot, "dot"), (retain, "_sparse_retain")):
    _function.__signature__ = signature(find(_operator))  # type: ignore[attr-defined]
