"""Optimizer steps that touch only the rows of a sparse gradient."""

from collections.abc import Sequence
from typing import Any

from ...ops.registry import Operator
from ..rows import rows_of, stored_rows, write_rows

# The operators that MXNet has in this form.
_LAZY = {
    *("sgd_update", "sgd_mom_update", "adam_update", "ftrl_update"),
    *("_sparse_adagrad_update", "_contrib_group_adagrad_update"),
}


def update_rows(operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> bool:
    """Carries out an optimizer's operator on the rows of its gradient, if it is one and asked to; tells whether."""
    if operator.name not in _LAZY or out is None or not params.get("lazy_update", True):
        return False
    weight, grad, *states = inputs
    if getattr(grad, "stype", "") != "row_sparse":
        return False
    if operator.name == "ftrl_update" and weight.stype != "row_sparse":
        return False
    rows, slope = stored_rows(grad)
    moved = operator.function(rows_of(weight, rows), slope, *(rows_of(each, rows) for each in states), **params)
    if operator.auxiliary:
        moved, updates = moved
        for state, values in zip(states, updates, strict=True):
            write_rows(state, rows, values)
    if out is not weight:
        weight.copyto(out)
    write_rows(out, rows, moved)
    return True
