"""Gradients computed from the inputs as they are when `backward` runs, for operators made of several torch functions.

MXNet's rule is that a gradient reads memory at `backward`. Torch keeps the intermediate results of such an operator,
which a write to an input leaves as they were.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..kernels.vjp import differentiable, vjp
from .common import grad_needed
from .integer_gradients import applied


class _Recomputed(torch.autograd.Function):
    """A function of tensors; `backward` runs it again on the saved inputs and differentiates that run."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
        ctx.function = function
        ctx.save_for_backward(*inputs)
        return function(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        wanted = ctx.needs_input_grad[1:]
        again = torch.is_grad_enabled()  # the gradients may be differentiated again
        with differentiable():
            inputs = [
                (each.view_as(each) if again else each.detach().requires_grad_()) if needed else each
                for each, needed in zip(ctx.saved_tensors, wanted, strict=True)
            ]
            result = ctx.function(*inputs)
        sources = [each for each, needed in zip(inputs, wanted, strict=True) if needed]
        found = iter(vjp([result], sources, list(gradients), retain_graph=again, create_graph=again))
        return None, *(next(found) if needed else None for needed in wanted)


def recomputed(function: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """Return `function(*inputs)`; its gradient is that of the same function at the inputs' values during `backward`.

    The result must not share memory with an input.
    """
    result: Tensor = applied(_Recomputed, function, *inputs) if grad_needed(*inputs) else function(*inputs)
    return result
