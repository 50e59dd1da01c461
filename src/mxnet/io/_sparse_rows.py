"""Rows of sparse tables."""

from typing import Any, NamedTuple

import numpy as np

from regluon.array.sparse.creation import csr_matrix
from regluon.array.sparse.csr import CSRNDArray

from ..context import Context, cpu

Values = np.ndarray[Any, Any]


class SparseTable(NamedTuple):
    """A table that holds only some of its values: where each row begins, and the columns and values of all rows."""

    width: int
    starts: Values
    columns: Values
    values: Values
    context: Context = cpu()

    @classmethod
    def of(cls, matrix: CSRNDArray) -> "SparseTable":
        """The table of a sparse array."""
        parts = (matrix.indptr.asnumpy(), matrix.indices.asnumpy(), matrix.data.asnumpy())
        return cls(matrix.shape[1], *parts, matrix.context)

    def take(self, rows: Any) -> CSRNDArray:
        """The given rows, as a sparse array."""
        rows = np.asarray(rows, np.int64)
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(ends[-1]) + np.repeat(self.starts[rows] - ends[:-1], lengths)
        parts = self.values[places], self.columns[places], ends
        return csr_matrix(parts, shape=(len(rows), self.width), ctx=self.context)
