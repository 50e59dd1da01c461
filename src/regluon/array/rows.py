"""Reading and writing some rows of arrays, dense or sparse: what a sparse gradient touches."""

from typing import Any

import torch

from ..autograd.recording import plain


def stored_rows(array: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers of the rows that a row_sparse array stores, and the rows."""
    return array._store.indices, array._store.values


def rows_of(array: Any, rows: torch.Tensor) -> torch.Tensor:
    """The rows of the given numbers, a copy."""
    return array._rows_at(rows) if array.stype == "row_sparse" else plain(array).index_select(0, rows)


def write_rows(array: Any, rows: torch.Tensor, values: torch.Tensor) -> None:
    """Overwrites the rows of the given numbers."""
    if array.stype == "row_sparse":
        array._write_rows(rows, values)
    else:
        plain(array).index_copy_(0, rows, values)
