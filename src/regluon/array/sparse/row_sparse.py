"""Arrays of which whole rows are stored."""

from typing import TYPE_CHECKING, Any

import torch

from ...base import numeric_types
from ...ops.precision import fitted
from ...ops.registry import find
from ...runtime.handle import STORAGE_TYPES
from ...runtime.invoke import invoke
from .base import BaseSparseNDArray
from .functions import SparseArithmetic
from .storage import Rows

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["RowSparseNDArray"]


class RowSparseNDArray(SparseArithmetic, BaseSparseNDArray):
    """Some rows of a tall array; all others are zero.

    Row `indices[i]` is `data[i]`, and the indices rise. Gradients of embeddings and of products with sparse matrices
    look like this. Make one with `nd.sparse.row_sparse_array` or `x.tostype('row_sparse')`.
    """

    __slots__ = ()
    _layout = Rows

    @property
    def stype(self) -> str:
        """'row_sparse'."""
        return "row_sparse"

    def _format_problem(self, full_check: bool) -> str:
        values, rows, shape = self._store
        if rows.dim() != 1 or tuple(values.shape) != (len(rows), *shape[1:]):
            return (
                f"received indices of shape {tuple(rows.shape)} and data of shape {tuple(values.shape)}; expected "
                f"(n,) and (n, {', '.join(map(str, shape[1:]))})"
            )
        if not full_check or not len(rows):
            return ""
        if int(rows.min()) < 0 or int(rows.max()) >= shape[0]:
            return f"indices go from {int(rows.min())} to {int(rows.max())}; expected 0 to {shape[0] - 1}"
        if bool((rows.diff() <= 0).any()):
            return "indices do not rise; expected row numbers in ascending order, none twice"
        return ""

    def __getitem__(self, key: Any) -> "Self":
        if isinstance(key, slice) and key == slice(None):
            return self
        raise ValueError(
            f"[RowSparseNDArray] received [{key!r}]; only [:] is there: take rows with nd.sparse.retain, or convert "
            "with tostype('default')."
        )

    def _fill(self, value: Any) -> None:
        if not isinstance(value, numeric_types):
            raise TypeError(
                f"[RowSparseNDArray] received {type(value).__name__} to assign; expected an array, a NumPy array or a "
                "number."
            )
        values = self._store.values
        rows = torch.arange(self.shape[0], device=values.device)
        self._store = Rows(values.new_full(self.shape, fitted(float(value), values.dtype)), rows, self.shape)

    def retain(self, indices: Any) -> "Self":
        """The given rows only; see `nd.sparse.retain`."""
        return invoke(find("_sparse_retain"), (self, indices), {})

    def _rows_at(self, rows: torch.Tensor) -> torch.Tensor:
        """The rows of the given numbers."""
        return self._store.at(rows)

    def _write_rows(self, rows: torch.Tensor, values: torch.Tensor) -> None:
        """Overwrites the rows of the given numbers."""
        self._store = self._store.written(rows, values)


STORAGE_TYPES["row_sparse"] = RowSparseNDArray
RowSparseNDArray.__module__ = "mxnet.ndarray.sparse"
