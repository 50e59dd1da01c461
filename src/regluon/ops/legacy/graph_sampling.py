"""Implement graph sampling and the Hawkes process likelihood."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ...kernels.vjp import differentiable
from ..common import ZeroGradient, expect_floating, expect_shape, grad_needed, same_dtype
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


def _check(lda: Tensor, lags: Tensor, marks: Tensor, **others: Tensor) -> None:
    expect_floating(lda, "lda")
    same_dtype(lda=lda, lags=lags, **others)
    if marks.dtype is not torch.int32 and not marks.is_meta:  # without data float32 may stand for one not known yet
        raise OpTypeError(f"expected marks of int32, got {NAME_OF_TORCH[marks.dtype]}")
    if lda.dim() != 2 or lags.dim() != 2:
        raise OpShapeError(
            f"expected lda of shape (batch, marks) and lags of shape (batch, length), got {tuple(lda.shape)} and "
            f"{tuple(lags.shape)}"
        )
    (batch, num_marks), length = lda.shape, lags.shape[1]
    expect_shape("lags", lags, (batch, length))
    expect_shape("marks", marks, (batch, length))
    for name in ("alpha", "beta"):
        expect_shape(name, others[name], (num_marks,))
    for name in ("valid_length", "max_time"):
        expect_shape(name, others[name], (batch,))
    expect_shape("state", others["state"], (batch, num_marks))


def _walk(
    lda: Tensor,
    alpha: Tensor,
    beta: Tensor,
    state: Tensor,
    lags: Tensor,
    marks: Tensor,
    valid_length: Tensor,
    max_time: Tensor,
) -> tuple[Tensor, Tensor]:
    """Goes from event to event, for the whole batch at once; see `hawkesll` for the arguments."""
    likelihood = torch.zeros_like(max_time)
    last = torch.zeros_like(lda)  # when each mark had its last event
    times = lags.cumsum(1)
    counts = torch.arange(lags.shape[1], device=lags.device) < valid_length.unsqueeze(1)
    places = torch.where(counts, marks, 0).to(torch.int64)  # what stands behind the end need not be a mark
    for step in range(lags.shape[1]):
        place, is_event, time = places[:, step, None], counts[:, step, None], times[:, step, None]
        rate, excitation, decay = lda.gather(1, place), alpha[place], beta[place]
        since = time - last.gather(1, place)
        faded = torch.exp(-decay * since)
        before = state.gather(1, place)
        intensity = rate + excitation * decay * before * faded
        gain = torch.log(intensity) - rate * since - excitation * before * (1 - faded)
        likelihood = likelihood + torch.where(is_event, gain, 0).squeeze(1)
        state = state.scatter(1, place, torch.where(is_event, 1 + before * faded, before))
        last = last.scatter(1, place, torch.where(is_event, time, last.gather(1, place)))
    since = max_time.unsqueeze(1) - last
    faded = torch.exp(-beta * since)
    rest = lda * since + alpha * state * (1 - faded)
    return likelihood - rest.sum(1), state * faded


@operator("_contrib_hawkesll", outputs=2, output_names=("output", "out_state"))
def hawkesll(
    lda: Tensor,
    alpha: Tensor,
    beta: Tensor,
    state: Tensor,
    lags: Tensor,
    marks: Tensor,
    valid_length: Tensor,
    max_time: Tensor,
) -> tuple[Tensor, Tensor]:
    """The log likelihood of sequences of events of several kinds, each kind exciting itself.

    Only `lda`, `alpha` and `beta` have a gradient, and only from the likelihood.

    Args:
        lda: (batch, marks); intensity of each kind of event, in the absence of others.
        alpha: (marks,); how many events an event causes.
        beta: (marks,); how fast that fades.
        state: (batch, marks); the excitation at the start.
        lags: (batch, length); the time since the event before.
        marks: (batch, length); the kind of each event, int32.
        valid_length: (batch,); how many of the events count.
        max_time: (batch,); when observation ends.

    Returns:
        The log likelihood, (batch,), and the excitation at the end, (batch, marks).
    """
    _check(lda, lags, marks, alpha=alpha, beta=beta, state=state, valid_length=valid_length, max_time=max_time)
    fixed = [each.detach() for each in (state, lags, marks, valid_length, max_time)]
    likelihood, end = _walk(lda, alpha, beta, *fixed)
    end = end.detach()
    if grad_needed(lda, alpha, beta):
        end = ZeroGradient.apply(end, lda, alpha, beta)
    return likelihood, end


@operator("_contrib_backward_hawkesll", outputs=8)
def backward_hawkesll(
    ograd: Tensor,
    ograd_state: Tensor,
    lda: Tensor,
    alpha: Tensor,
    beta: Tensor,
    state: Tensor,
    lags: Tensor,
    marks: Tensor,
    valid_length: Tensor,
    max_time: Tensor,
) -> tuple[Tensor, ...]:
    """The gradients of `hawkesll` for its eight inputs, from the one of the likelihood; zeros where it has none."""
    with differentiable():
        learned = [each.detach().requires_grad_() for each in (lda, alpha, beta)]
        likelihood, _ = hawkesll(*learned, state, lags, marks, valid_length, max_time)
        expect_shape("ograd", ograd, tuple(likelihood.shape))
        grads = torch.autograd.grad(likelihood, learned, ograd)
    return (*grads, *(torch.zeros_like(each) for each in (state, lags, marks, valid_length, max_time)))
