"""Sample neighbourhoods from sparse graphs, and the storage rules of graph operators."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...context import cpu
from ...errors import OpParamError, OpTypeError
from ...rng import generator
from .storage import Csr


class Sample(NamedTuple):
    """A neighbourhood.

    Attributes:
        vertices: their numbers, rising, filled up with zeros; the last element is how many there are.
        edges: the edges that were followed, a row for each vertex.
        layers: how many hops each vertex is away from a seed.
    """

    vertices: Tensor
    edges: Csr
    layers: Tensor


class _Found(NamedTuple):
    """The edges that were followed from some vertices, in the order of the vertices."""

    owners: Tensor  # the place of the vertex among those that were followed
    elements: Tensor  # the place of the edge in the graph


def sample(
    graph: Csr, seeds: Tensor, hops: int, neighbors: int, limit: int, weights: Tensor | None, rng: torch.Generator
) -> Sample:
    """Follows up to so many edges from each vertex, so many hops from the seeds.

    Args:
        graph: row i has the edges of vertex i.
        seeds: where to begin.
        hops: how far to go.
        neighbors: how many edges of a vertex are followed at most.
        limit: how many vertices may be found; beyond them nothing is followed.
        weights: chance of each vertex to be chosen; equal ones if None.
        rng: source of random numbers.
    """
    seen = torch.unique(seeds)
    if len(seen) > limit:
        raise OpParamError(f"max_num_vertices={limit} is less than the {len(seen)} seeds")
    layers = torch.zeros_like(seen)
    frontier = seen
    rows, elements = [], []
    for hop in range(hops):
        found = _follow(graph, frontier, neighbors, weights, rng)
        ends = graph.indices[found.elements]
        fresh = _first_times(ends, seen)
        # A vertex is followed only while there is room; how much is left depends on those before it.
        before = torch.zeros(len(frontier) + 1, dtype=torch.int64).index_add_(0, found.owners + 1, fresh.long())
        has_room = before.cumsum(0)[:-1] + len(seen) < limit
        kept = has_room[found.owners]
        rows.append(frontier[found.owners][kept])
        elements.append(found.elements[kept])
        frontier = ends[kept & fresh][: limit - len(seen)]
        seen = torch.cat((seen, frontier))
        layers = torch.cat((layers, torch.full_like(frontier, hop + 1)))
        if not len(frontier):
            break
    return _assembled(graph, seen, layers, torch.cat(rows), torch.cat(elements), limit)


def _follow(graph: Csr, vertices: Tensor, neighbors: int, weights: Tensor | None, rng: torch.Generator) -> _Found:
    """Chooses edges without repetition: those with the largest keys, which weights make larger."""
    counts = graph.indptr.diff()[vertices]
    owners = torch.repeat_interleave(torch.arange(len(vertices)), counts)
    starts = counts.cumsum(0) - counts
    elements = torch.arange(len(owners)) + (graph.indptr[vertices] - starts)[owners]
    keys = torch.rand(len(owners), generator=rng).clamp_(min=1e-30).log_()
    if weights is not None:
        keys /= weights[graph.indices[elements]].clamp(min=1e-30)
    by_key = keys.argsort(descending=True, stable=True)
    by_key = by_key[owners[by_key].argsort(stable=True)]
    rank = torch.arange(len(owners)) - starts[owners]
    chosen = by_key[rank < neighbors].sort().values
    return _Found(owners[chosen], elements[chosen])


def _first_times(numbers: Tensor, known: Tensor) -> Tensor:
    """Where a number stands for the first time, and is not known already."""
    values, inverse = torch.unique(numbers, return_inverse=True)
    places = torch.full((len(values),), len(numbers)).scatter_reduce_(
        0, inverse, torch.arange(len(numbers)), "amin", include_self=True
    )
    first = torch.zeros(len(numbers), dtype=torch.bool)
    first[places] = True
    return first & ~torch.isin(numbers, known)


def _assembled(graph: Csr, seen: Tensor, layers: Tensor, rows: Tensor, elements: Tensor, limit: int) -> Sample:
    vertices, order = seen.sort()
    counts = torch.zeros(limit, dtype=torch.int64)
    owner = torch.searchsorted(vertices, rows)
    counts.index_add_(0, owner, torch.ones_like(owner))
    chosen = elements[owner.argsort(stable=True)]
    starts = torch.cat((counts.new_zeros(1), counts.cumsum(0)))
    edges = Csr(graph.values[chosen], starts, graph.indices[chosen], (limit, graph.shape[1]))
    listed = torch.zeros(limit + 1, dtype=torch.int64)
    listed[: len(vertices)] = vertices
    listed[-1] = len(vertices)
    distances = torch.zeros(limit, dtype=torch.int64)
    distances[: len(vertices)] = layers[order]
    return Sample(listed, edges, distances)


def subgraph(graph: Csr, vertices: Tensor) -> tuple[Csr, Csr]:
    """The edges between some vertices: numbered anew, and with their own numbers."""
    if bool((vertices.diff() <= 0).any()):
        raise OpParamError("expected vertices in ascending order, none twice")
    own = renumbered(graph.picked(vertices), vertices, keep_all=False)
    return own._replace(values=torch.arange(len(own.values))), own


def renumbered(edges: Csr, vertices: Tensor, keep_all: bool) -> Csr:
    """Edges whose ends are given as places in a rising list of vertices."""
    places = torch.searchsorted(vertices, edges.indices).clamp_(max=max(len(vertices) - 1, 0))
    inside = vertices[places] == edges.indices if len(vertices) else torch.zeros_like(places, dtype=torch.bool)
    if keep_all and not bool(inside.all()):
        raise OpParamError("an edge leads to a vertex that is not among those given")
    flat = (edges.row_numbers() * len(vertices) + places)[inside]
    return Csr.from_places(edges.values[inside], flat, (edges.shape[0], len(vertices)))


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
