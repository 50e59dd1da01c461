"""Gradients between tensors, by torch's engine."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from ..torch_private import gradients


def vjp(
    results: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> Any:
    """The gradients of inputs, given those of results; None for an input that no result depends on."""
    return gradients(results, inputs, grads, retain_graph, create_graph)
