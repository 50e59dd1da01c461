"""Drawing the neighbourhoods of vertices from a graph."""

from typing import NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError
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
