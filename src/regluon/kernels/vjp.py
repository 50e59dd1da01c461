"""Gradients between tensors, by torch's engine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ..torch_private import gradients, within_autograd


@contextmanager
def differentiable() -> Iterator[None]:
    """Torch keeps what `vjp` needs, in a `with` block, also while calls are captured below its bookkeeping."""
    with torch.enable_grad(), within_autograd():
        yield


def vjp(
    results: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> Any:
    """The gradients of inputs, given those of results; None for an input that no result depends on."""
    with within_autograd():
        return gradients(results, inputs, grads, retain_graph, create_graph)
