"""Documentation of functions on arrays, put together from the parts that MXNet kept of an operator."""

from collections.abc import Sequence
from typing import Any

from .base import build_param_doc

__all__ = ["NDArrayDoc"]


class NDArrayDoc:
    """The docstring of a subclass `<name>Doc` is added to what `_build_doc` writes about the function `<name>`."""


def extra_text(base: Any, func_name: str) -> str:
    """The docstrings of classes that are there to add to the documentation of a function."""
    return "\n".join(each.__doc__ or "" for each in base.__subclasses__() if each.__name__ == f"{func_name}Doc")


def _build_doc(
    func_name: str,
    desc: str,
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_desc: Sequence[str],
    key_var_num_args: str | None = None,
    ret_type: str | None = None,
) -> str:
    """The documentation of a function on arrays: what it does, its parameters, `out`, what it returns."""
    several = "\nThis function support variable length of positional input." if key_var_num_args else ""
    params = build_param_doc(arg_names, arg_types, arg_desc)
    out = "out : NDArray, optional\n    The output NDArray to hold the result."
    returns = "Returns\n-------\nout : NDArray or list of NDArrays\n    The output of this function."
    text = f"{desc}{several}\n\n{params}\n{out}\n\n{returns}{extra_text(NDArrayDoc, func_name)}"
    return text.replace("NDArray-or-Symbol", "NDArray")
