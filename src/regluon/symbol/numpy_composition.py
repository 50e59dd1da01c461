"""From the functions and operators of `mx.np` to nodes of a graph, named and written as MXNet does."""

from collections.abc import Sequence
from typing import Any

from ..base import integer_types
from ..context import current_context
from ..dtypes import NAME_OF_TORCH, torch_dtype
from ..ops.registry import find
from .graph_builder import apply_operator, local, short_name


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
    if "is_int" in operator.params and "scalar" in given and "is_int" not in given:
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
