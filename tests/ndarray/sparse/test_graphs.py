"""Graphs as matrices: neighbourhoods and parts of them."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from tests.ndarray.sparse.examples import graph


@pytest.mark.parametrize(("hops", "neighbors", "limit"), [(1, 2, 100), (2, 3, 100), (3, 2, 12), (2, 100, 30)])
def test_neighbourhoods(hops: int, neighbors: int, limit: int) -> None:
    whole = graph()
    seeds = nd.array([4, 7], dtype="int64")
    found, edges, layers = nd.contrib.dgl_csr_neighbor_uniform_sample(
        whole, seeds, num_hops=hops, num_neighbor=neighbors, max_num_vertices=limit
    )
    count = int(found[-1].asscalar())
    vertices, distances = found.asnumpy()[:count], layers.asnumpy()[:count]
    assert count <= limit
    assert {4, 7} <= set(vertices)
    assert (np.diff(vertices) > 0).all()
    assert set(distances[np.isin(vertices, [4, 7])]) == {0}
    assert distances.max() <= hops
    starts, ends, numbers = (part.asnumpy() for part in (edges.indptr, edges.indices, edges.data))
    assert np.diff(starts).max() <= neighbors
    original = dict(enumerate(whole.indices.asnumpy()))
    assert all(original[number] == end for number, end in zip(numbers, ends, strict=True))
    if limit > count:
        assert set(ends) <= set(vertices)
        cut, own = nd.contrib.dgl_graph_compact(edges, found, graph_sizes=(count,), return_mapping=True)
        assert cut.shape == (count, count)
        np.testing.assert_array_equal(vertices[cut.indices.asnumpy()], ends)
        np.testing.assert_array_equal(own.data.asnumpy(), numbers)


def test_likelier_vertices_are_drawn_more_often() -> None:
    mx.random.seed(0)
    star = nd.sparse.csr_matrix((np.arange(4), [1, 2, 3, 4], [0, 4, 4, 4, 4, 4]), shape=(5, 5))
    chances = nd.array([0, 0.7, 0.1, 0.1, 0.1])
    counts = np.zeros(5)
    for _ in range(300):
        found = nd.contrib.dgl_csr_neighbor_non_uniform_sample(
            star, chances, nd.array([0], dtype="int64"), num_neighbor=1, max_num_vertices=5
        )
        counts[found[1].indices.asnumpy()] += 1
    assert counts[1] / 300 == pytest.approx(0.7, abs=0.1)
    assert counts[2:].min() > 5


def test_graphs_refuse_what_does_not_fit() -> None:
    whole = graph()
    for call, text in (
        (
            lambda: nd.contrib.dgl_csr_neighbor_uniform_sample(
                whole, nd.array([1, 2, 3], dtype="int64"), max_num_vertices=2
            ),
            "max_num_vertices=2 is less than the 3 seeds",
        ),
        (
            lambda: nd.contrib.dgl_subgraph(whole, nd.array([2, 1], dtype="int64"), return_mapping=False),
            "expected vertices in ascending order",
        ),
        (
            lambda: nd.contrib.dgl_graph_compact(whole, graph_sizes=(3,), return_mapping=False),
            "as many graphs as vectors",
        ),
        (
            lambda: nd.contrib.dgl_graph_compact(
                whole, nd.array([0, 1], dtype="int64"), graph_sizes=(2,), return_mapping=False
            ),
            "an edge leads to a vertex that is not among those given",
        ),
        (
            lambda: nd.contrib.dgl_csr_neighbor_non_uniform_sample(
                whole, nd.ones((2, 2)), nd.array([1], dtype="int64")
            ),
            "the chances of the vertices as a vector of float32",
        ),
        (lambda: nd.contrib.dgl_adjacency(nd.ones((2, 2))), "expected a graph as a csr matrix"),
        (lambda: nd.contrib.dgl_subgraph(nd.ones((2, 2)), nd.ones(1), return_mapping=False), "a graph as a csr matrix"),
    ):
        with pytest.raises(mx.MXNetError, match=text):
            call()
