"""Gradients between tensors, by torch's engine."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.autograd.graph import _engine_run_backward


def vjp(
    results: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> Any:
    """The gradients of inputs, given those of results; None for an input that no result depends on.

    What `torch.autograd.grad` does after checks that hold here: these load torch's symbolic shapes, which takes longer
    than the first training step of many networks.
    """
    return _engine_run_backward(
        tuple(results),
        tuple(grads),
        retain_graph,
        create_graph,
        tuple(inputs),
        allow_unreachable=True,
        accumulate_grad=False,
    )
