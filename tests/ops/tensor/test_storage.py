"""Operators about storage types on dense values, as graphs hold them; sparse arrays are tested with the arrays."""

import numpy as np
import pytest
import torch

from mxnet.error import OpParamError, OpShapeError
from regluon.ops.inference import infer
from regluon.ops.registry import find

DATA = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])


def run(name: str, *inputs: torch.Tensor, **params: object) -> torch.Tensor:
    operator = find(name)
    return operator.function(*inputs, **operator.parse(params))


@pytest.mark.parametrize("stype", ["default", "csr", "row_sparse"])
def test_values_stay_when_storage_changes(stype: str) -> None:
    assert torch.equal(run("cast_storage", DATA, stype=stype), DATA)


def test_rows_are_retained() -> None:
    leaf = DATA.clone().requires_grad_()
    kept = run("_sparse_retain", leaf, torch.tensor([1.0]))
    np.testing.assert_array_equal(kept.detach().numpy(), [[0, 0, 0], [3, 0, 0]])
    kept.sum().backward()
    np.testing.assert_array_equal(leaf.grad.numpy(), [[0, 0, 0], [1, 1, 1]])


def test_elements_are_counted() -> None:
    np.testing.assert_array_equal(run("_contrib_getnnz", DATA).numpy(), [3])
    np.testing.assert_array_equal(run("_contrib_getnnz", DATA, axis=1).numpy(), [2, 1])


def test_shapes_are_inferred() -> None:
    spec = (4, 3), torch.float32
    assert infer(find("cast_storage"), [spec], {"stype": "csr"}) == [spec]
    assert infer(find("_sparse_retain"), [spec, ((2,), torch.int64)], {}) == [spec]
    assert infer(find("_contrib_getnnz"), [spec], {"axis": 1}) == [((4,), torch.int64)]
    assert infer(find("_contrib_getnnz"), [spec], {}) == [((1,), torch.int64)]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OpShapeError, match=r"stype='csr' expected 2 dimensions, got shape \(2,\)"):
        run("cast_storage", torch.ones(2), stype="csr")
    with pytest.raises(OpShapeError, match=r"expected a vector of row numbers, got shape \(1, 1\)"):
        run("_sparse_retain", DATA, torch.ones(1, 1))
    with pytest.raises(OpParamError, match="axis=0: expected 1, for each row, or None, for all"):
        run("_contrib_getnnz", DATA, axis=0)


@pytest.mark.parametrize(
    ("name", "count", "params"),
    [
        ("_contrib_edge_id", 3, {}),
        ("_contrib_dgl_adjacency", 1, {}),
        ("_contrib_dgl_subgraph", 2, {"return_mapping": True}),
        ("_contrib_dgl_csr_neighbor_uniform_sample", 2, {}),
        ("_contrib_dgl_csr_neighbor_non_uniform_sample", 3, {}),
        ("_contrib_dgl_graph_compact", 2, {"return_mapping": False, "graph_sizes": (2,)}),
    ],
)
def test_dense_arrays_are_no_graphs(name: str, count: int, params: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"expected a graph as a csr matrix, got a dense array of shape \(2, 3\)"):
        run(name, *[DATA] * count, **params)


def test_numbers_of_outputs() -> None:
    assert find("_contrib_dgl_subgraph").num_outputs({"return_mapping": True}) == 2
    assert find("_contrib_dgl_graph_compact").num_outputs({"return_mapping": False, "graph_sizes": (1,)}) == 1
