"""From the functions and operators of `mx.np` to nodes of a graph, named and written as MXNet does."""

from collections.abc import Sequence
from typing import Any

from ..base import integer_types
from ..context import current_context
from ..dtypes import NAME_OF_TORCH, torch_dtype
from ..ops.registry import Operator, find
from .building import apply_operator, local

_PREFIXES = ("_npi_", "_npx_", "_np_")


def short_name(name: str) -> str:
    """The name of an operator without the prefix that tells where its function stands: automatic names show it."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def numpy_name(operator: Operator) -> str:
    """The name by which `mx.np` calls an operator."""
    names = (operator.name, *operator.aliases)
    return next((name for name in names if name.startswith(_PREFIXES)), operator.name)


def composed(name: str, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """The symbol of an operator of `mx.np` on symbols.

    Args:
        name: of the operator.
        inputs: symbols, None for optional inputs left out.
        params: as a user gives them.
    """
    operator = find(name)
    given = {key: value for key, value in params.items() if key != "dtype" or value is not None}
    if "dtype" in given:
        given["dtype"] = NAME_OF_TORCH[torch_dtype(given["dtype"])]
    if "is_int" in operator.params and "is_int" not in given:
        given |= _scalar(name, given["scalar"])
    if operator.placed and local.maker is None:
        given["ctx"] = given.get("ctx") or current_context()
    return apply_operator(operator, short_name(name), inputs, given, is_numpy=True)


def _scalar(name: str, scalar: Any) -> dict[str, Any]:
    """A number beside an array: real, or whole. On the left of `-`, `/`, `%` and `**`, MXNet counts it as real."""
    is_whole = isinstance(scalar, integer_types) and not name.startswith("_npi_r")
    return {"scalar": float(scalar), "is_int": is_whole}


def outputs_in_list(symbol: Any) -> Any:
    """Several outputs as a list, as operators on arrays give them; a single one as it is."""
    return list(symbol) if len(symbol._heads) > 1 else symbol
