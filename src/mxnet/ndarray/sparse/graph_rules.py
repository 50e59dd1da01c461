"""Rules of the operators on graphs, which are matrices whose stored elements number the edges."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...error import OpParamError, OpTypeError
from .storage import Csr

Operands = Sequence[Any]


def _matrix(given: Any) -> Csr:
    if not isinstance(given, Csr):
        raise OpTypeError("expected a csr matrix; convert it with tostype('csr')")
    return given


def getnnz(operator: Any, operands: Operands, params: dict[str, Any]) -> Tensor:
    """How many elements are stored, in all or in each row."""
    matrix, axis = _matrix(operands[0]), params.get("axis")
    if axis is None:
        return matrix.indptr[-1:].clone()
    if axis != 1:
        raise OpParamError(f"axis={axis}: expected 1, for each row, or None, for all")
    return matrix.indptr.diff()


def edge_id(operator: Any, operands: Operands, params: dict[str, Any]) -> Tensor:
    """The elements at some places of a matrix, -1 where none is stored."""
    matrix, u, v = operands
    matrix = _matrix(matrix)
    if not isinstance(u, Tensor) or not isinstance(v, Tensor) or u.dim() != 1 or u.shape != v.shape:
        raise OpTypeError("expected two dense vectors u and v of one length")
    rows, columns = u.long(), v.long()
    inside = (rows >= 0) & (rows < matrix.shape[0]) & (columns >= 0) & (columns < matrix.shape[1])
    wanted = rows * matrix.shape[1] + columns
    places, order = matrix.places().sort()
    if not len(places):
        return matrix.values.new_full(u.shape, -1)
    at = torch.searchsorted(places, wanted).clamp_(max=len(places) - 1)
    found = inside & (places[at] == wanted)
    return torch.where(found, matrix.values[order[at]], matrix.values.new_full((), -1))


def adjacency(operator: Any, operands: Operands, params: dict[str, Any]) -> Csr:
    """Ones wherever an edge is."""
    matrix = _matrix(operands[0])
    return matrix._replace(values=torch.ones(len(matrix.indices), device=matrix.indices.device))


GRAPH_RULES: dict[str, Callable[..., Any]] = {
    "_contrib_getnnz": getnnz,
    "_contrib_edge_id": edge_id,
    "_contrib_dgl_adjacency": adjacency,
}
