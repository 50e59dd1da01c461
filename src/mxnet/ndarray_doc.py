"""Documentation of functions on arrays, put together from the parts that MXNet kept of an operator."""

from collections.abc import Sequence
from typing import Any

from .base import build_param_doc

__all__ = ["NDArrayDoc"]


class NDArrayDoc:
    """The docstring of a subclass `<name>Doc` is added to what `_build_doc` writes about the function `<name>`."""


def composed(
    base: Any,
    func_name: str,
    desc: str,
    arguments: tuple[Sequence[str], Sequence[str], Sequence[str]],
    is_variadic: bool,
    own: str,
    kind: str,
) -> str:
    """The documentation of a function: what it does, its parameters, what it returns, and what classes add.

    Args:
        base: whose subclass `<func_name>Doc` adds its docstring.
        func_name: the function.
        desc: what it does.
        arguments: names, types and descriptions of its parameters.
        is_variadic: whether it takes any number of inputs.
        own: the parameter that all functions of this kind have, in NumPy's style.
        kind: what it returns.
    """
    several = "\nAny number of inputs may be given by position." if is_variadic else ""
    added = "\n".join(each.__doc__ or "" for each in base.__subclasses__() if each.__name__ == f"{func_name}Doc")
    returns = f"Returns\n-------\n{kind}"
    return f"{desc}{several}\n\n{build_param_doc(*arguments)}\n{own}\n\n{returns}\n{added}"


def _build_doc(
    func_name: str,
    desc: str,
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_desc: Sequence[str],
    key_var_num_args: str | None = None,
    ret_type: str | None = None,
) -> str:
    """The documentation of a function on arrays."""
    arguments = (arg_names, arg_types, arg_desc)
    out = "out : NDArray, optional\n    An array to write the result to."
    text = composed(NDArrayDoc, func_name, desc, arguments, bool(key_var_num_args), out, "NDArray or list of NDArrays")
    return text.replace("NDArray-or-Symbol", "NDArray")
