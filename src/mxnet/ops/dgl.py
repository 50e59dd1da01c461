"""Operators on graphs: csr matrices whose stored elements number the edges.

Zero is the number of an edge, so a dense array cannot stand for a graph: these operators need csr arrays, and what they
do with them stands in ndarray/sparse. Here their declarations say so to whom gives dense arrays.
"""

from torch import Tensor

from ..error import OpTypeError
from .params import Shape
from .registry import operator


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
