"""Matrices of which single elements are stored, row by row."""

from typing import TYPE_CHECKING, Any

import torch

import regluon.array.creation as dense

from ...ops.registry import find
from ...runtime.handle import STORAGE_TYPES
from ...runtime.invoke import invoke
from ..dense import NDArray
from .base import BaseSparseNDArray
from .functions import SparseArithmetic
from .storage import Csr

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["CSRNDArray"]


class CSRNDArray(SparseArithmetic, BaseSparseNDArray):
    """A matrix in compressed sparse row format.

    The elements of row i are `data[indptr[i]:indptr[i + 1]]`, in the columns `indices[indptr[i]:indptr[i + 1]]`, which
    rise. Make one with `nd.sparse.csr_matrix` or `x.tostype('csr')`.
    """

    __slots__ = ()
    _layout = Csr

    @property
    def stype(self) -> str:
        """'csr'."""
        return "csr"

    @classmethod
    def _from_dense(cls, tensor: torch.Tensor, context: Any) -> Any:
        if tensor.dim() != 2:
            raise ValueError(
                f"[tostype] received an array of shape {tuple(tensor.shape)}; expected two dimensions: To convert to a "
                "CSR, the NDArray should be 2 Dimensional."
            )
        return super()._from_dense(tensor, context)

    @classmethod
    def _zeros(cls, shape: Any, dtype: torch.dtype, context: Any) -> Any:
        if not isinstance(shape, (tuple, list)) or len(shape) != 2:
            raise ValueError(f"[CSRNDArray] shape: received {shape}; expected two lengths.")
        return super()._zeros(shape, dtype, context)

    @classmethod
    def _from_scipy(cls, source: Any, context: Any, dtype: Any) -> Any:
        """From a sparse matrix of SciPy; its own dtype by default."""
        matrix = scipy_sparse().csr_matrix(source).sorted_indices()
        matrix.sum_duplicates()
        values = dense.array(matrix.data, context, matrix.dtype if dtype is None else dtype)._t
        columns, starts = (dense.array(part, context, "int64")._t for part in (matrix.indices, matrix.indptr))
        return cls(Csr(values, starts, columns, tuple(matrix.shape)), context)

    @property
    def indptr(self) -> NDArray:
        """A copy of where the elements of each row begin and the last ones end."""
        return NDArray(self._store.indptr.clone(), self._ctx)

    def _format_problem(self, full_check: bool) -> str:
        values, starts, columns, shape = self._store
        if starts.shape != (shape[0] + 1,) or values.shape != columns.shape or columns.dim() != 1:
            return (
                f"received indptr of shape {tuple(starts.shape)}, indices of shape {tuple(columns.shape)} and data of "
                f"shape {tuple(values.shape)} for {shape}; expected ({shape[0] + 1},) and two of equal length"
            )
        if int(starts[0]) != 0 or int(starts[-1]) != len(columns):
            return f"indptr goes from {int(starts[0])} to {int(starts[-1])}; expected 0 to {len(columns)}"
        if not full_check or not len(columns):
            return ""
        if bool((starts.diff() < 0).any()):
            return "indptr falls; expected numbers that do not"
        if int(columns.min()) < 0 or int(columns.max()) >= shape[1]:
            return f"indices go from {int(columns.min())} to {int(columns.max())}; expected 0 to {shape[1] - 1}"
        if bool((self._store.places().diff() <= 0).any()):
            return "indices do not rise within a row; expected columns in ascending order, none twice"
        return ""

    def __getitem__(self, key: Any) -> "Self":
        if isinstance(key, int):
            begin = len(self) - 1 if key == -1 else key
            return self._rows(begin, begin + 1)
        if isinstance(key, slice):
            if key.step is not None:
                raise ValueError(f"[CSRNDArray] received [{key}]; only supports continuous slicing on axis 0.")
            if key.start is None and key.stop is None:
                return self
            return self._rows(key.start or 0, key.stop or len(self))
        if isinstance(key, tuple):
            raise ValueError(f"[CSRNDArray] received [{key}]: Multi-dimension indexing is not supported; take rows.")
        raise ValueError(f"[CSRNDArray] received [{key!r}]; expected the number of a row or a slice of rows.")

    def _rows(self, begin: int, end: int) -> Any:
        cut = find("slice")
        return invoke(cut, (self,), cut.parse({"begin": (begin,), "end": (end or None,)}))

    def _fill(self, value: Any) -> None:
        kind: type[Exception] = ValueError if isinstance(value, (int, float)) else TypeError
        raise kind(
            f"[CSRNDArray] received {type(value).__name__} to assign; expected a dense or csr array or a NumPy array: "
            "Assigning numeric types to CSRNDArray is not implemented yet."
        )

    def asscipy(self) -> Any:
        """A copy as a `scipy.sparse.csr_matrix`."""
        parts = self.data.asnumpy(), self.indices.asnumpy(), self.indptr.asnumpy()
        return scipy_sparse().csr_matrix(parts, shape=self.shape, dtype=self.dtype)


def scipy_sparse() -> Any:
    """The optional package SciPy."""
    try:
        import scipy.sparse as package
    except ImportError:
        raise ImportError(
            "[nd.sparse] scipy could not be imported. Please make sure that the scipy is installed: pip install scipy."
        ) from None
    return package


STORAGE_TYPES["csr"] = CSRNDArray
CSRNDArray.__module__ = "mxnet.ndarray.sparse"
