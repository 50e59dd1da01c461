"""Operators on graphs: csr matrices whose stored elements number the edges.

Zero is the number of an edge, so a dense array cannot stand for a graph: these operators need csr arrays, and what they
do with them stands in ndarray/sparse. Here their declarations say so to whom gives dense arrays.
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ...errors import OpTypeError
from ..params import Shape
from ..registry import operator


def _needs_csr(given: Tensor) -> OpTypeError:
    return OpTypeError(
        f"expected a graph as a csr matrix, got a dense array of shape {tuple(given.shape)}; make one with "
        "nd.sparse.csr_matrix, or convert with tostype('csr')"
    )


@operator("_contrib_edge_id")
def edge_id(data: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """The numbers of the edges from the vertices `u` to the vertices `v`, -1 where there is none.

    Args:
        data: the graph, a csr matrix.
        u: where the edges begin.
        v: where they end.
    """
    raise _needs_csr(data)


@operator("_contrib_dgl_adjacency")
def adjacency(data: Tensor) -> Tensor:
    """The graph with 1 in place of the numbers of its edges, as float32."""
    raise _needs_csr(data)


@operator("_contrib_dgl_csr_neighbor_uniform_sample", count_param="num_args", outputs=3)
def neighbor_uniform_sample(
    csr_matrix: Tensor,
    *seed_arrays: Tensor,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
) -> Tensor:
    """Draws neighbourhoods of seeds, all edges of a vertex with equal chance.

    Returns, for each vector of seeds: the vertices, rising, with their number as the last element; the edges that were
    followed, a row for each vertex; and how many hops each vertex is away.

    Args:
        csr_matrix: the graph, of int64.
        seed_arrays: vectors of vertices, of int64.
        num_hops: how far to go from the seeds.
        num_neighbor: how many edges of a vertex are followed at most.
        max_num_vertices: how many vertices may be found.
    """
    raise _needs_csr(csr_matrix)


@operator("_contrib_dgl_csr_neighbor_non_uniform_sample", count_param="num_args", outputs=4)
def neighbor_non_uniform_sample(
    csr_matrix: Tensor,
    probability: Tensor,
    *seed_arrays: Tensor,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
) -> Tensor:
    """Draws neighbourhoods of seeds, edges to likelier vertices more often.

    Returns what the uniform one does, with the chances of the vertices found before the hops.

    Args:
        csr_matrix: the graph, of int64.
        probability: the chances of its vertices, of float32.
        seed_arrays: vectors of vertices, of int64.
        num_hops: how far to go from the seeds.
        num_neighbor: how many edges of a vertex are followed at most.
        max_num_vertices: how many vertices may be found.
    """
    raise _needs_csr(csr_matrix)


def _with_mapping(params: Mapping[str, Any]) -> int:
    """For one vector of vertices."""
    return 2 if params["return_mapping"] else 1


@operator("_contrib_dgl_subgraph", count_param="num_args", outputs=_with_mapping)
def subgraph(graph: Tensor, *data: Tensor, return_mapping: bool) -> Tensor:
    """The parts of a graph that some vertices and the edges between them make.

    Args:
        graph: the graph, a csr matrix of int64.
        data: vectors of vertices, of int64, rising.
        return_mapping: whether to return the numbers that the edges have in the whole graph as well.
    """
    raise _needs_csr(graph)


@operator("_contrib_dgl_graph_compact", count_param="num_args", outputs=_with_mapping)
def graph_compact(*graph_data: Tensor, return_mapping: bool, graph_sizes: Shape) -> Tensor:
    """Cuts the empty rows and columns from drawn neighbourhoods.

    Args:
        graph_data: the neighbourhoods' csr matrices, then as many vectors of vertices.
        return_mapping: whether to return the numbers that the edges have in the whole graph as well.
        graph_sizes: how many vertices each neighbourhood has.
    """
    raise _needs_csr(graph_data[0])
