"""Rules of the operators on graphs, which are matrices whose stored elements number the edges."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...context import cpu
from ...errors import OpParamError, OpTypeError
from ...rng import generator
from .graph_sampling import Sample, renumbered, sample, subgraph
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
    matrix = _numbered(operands[0])
    return matrix._replace(values=torch.ones(len(matrix.indices), device=matrix.indices.device))


def _vertices(given: Any, what: str) -> Tensor:
    if not isinstance(given, Tensor) or given.dim() != 1 or given.dtype is not torch.int64:
        raise OpTypeError(f"expected {what} as a vector of int64")
    return given


def _numbered(given: Any) -> Csr:
    graph = _matrix(given)
    if graph.dtype is not torch.int64:
        raise OpTypeError("expected edge numbers of int64 in the graph")
    return graph


def _samples(operands: Operands, seeds: Operands, params: dict[str, Any], weights: Tensor | None) -> list[Sample]:
    graph = _numbered(operands[0])
    hops, neighbors, limit = (
        params.get(name, default) for name, default in (("num_hops", 1), ("num_neighbor", 2), ("max_num_vertices", 100))
    )
    rng = generator(cpu())
    return [sample(graph, _vertices(each, "seeds"), hops, neighbors, limit, weights, rng) for each in seeds]


def uniform_sample(operator: Any, operands: Operands, params: dict[str, Any]) -> list[Any]:
    """All lists of vertices, then all neighbourhoods, then all lists of layers."""
    drawn = _samples(operands, operands[1:], params, None)
    return [part for parts in zip(*drawn, strict=True) for part in parts]


def non_uniform_sample(operator: Any, operands: Operands, params: dict[str, Any]) -> list[Any]:
    """The same, with the chances of the vertices before the layers."""
    chances = operands[1]
    if not isinstance(chances, Tensor) or chances.dtype is not torch.float32 or chances.dim() != 1:
        raise OpTypeError("expected the chances of the vertices as a vector of float32")
    drawn = _samples(operands, operands[2:], params, chances)
    lists, edges, layers = zip(*drawn, strict=True)
    likely = []
    for listed in lists:
        padded = chances.new_zeros(len(listed) - 1)
        count = int(listed[-1])
        padded[:count] = chances[listed[:count]]
        likely.append(padded)
    return [*lists, *edges, *likely, *layers]


def subgraphs(operator: Any, operands: Operands, params: dict[str, Any]) -> list[Any]:
    """All subgraphs, then, if asked for, all with the edges' own numbers."""
    graph = _numbered(operands[0])
    pairs = [subgraph(graph, _vertices(each, "vertices")) for each in operands[1:]]
    return _with_mapping(pairs, params)


def _with_mapping(pairs: list[tuple[Csr, Csr]], params: dict[str, Any]) -> list[Any]:
    anew, own = zip(*pairs, strict=True)
    return [*anew, *own] if params["return_mapping"] else list(anew)


def compacted(operator: Any, operands: Operands, params: dict[str, Any]) -> list[Any]:
    """Neighbourhoods without the rows and columns that no vertex has."""
    half, sizes = len(operands) // 2, params["graph_sizes"]
    if len(operands) != 2 * half or len(sizes) != half:
        raise OpParamError(
            f"expected as many graphs as vectors of vertices and graph_sizes, got {len(operands)} arrays and "
            f"{len(sizes)} sizes"
        )
    pairs = []
    for given, vertices, size in zip(operands[:half], operands[half:], sizes, strict=True):
        known = _vertices(vertices, "vertices")[:size]
        own = renumbered(_numbered(given).picked(torch.arange(size)), known, keep_all=True)
        pairs.append((own._replace(values=torch.arange(len(own.values))), own))
    return _with_mapping(pairs, params)


GRAPH_RULES: dict[str, Callable[..., Any]] = {
    "_contrib_getnnz": getnnz,
    "_contrib_edge_id": edge_id,
    "_contrib_dgl_adjacency": adjacency,
    "_contrib_dgl_csr_neighbor_uniform_sample": uniform_sample,
    "_contrib_dgl_csr_neighbor_non_uniform_sample": non_uniform_sample,
    "_contrib_dgl_subgraph": subgraphs,
    "_contrib_dgl_graph_compact": compacted,
}
