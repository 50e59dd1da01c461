"""Define gradient rules of operators for compiled and eager training."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..kernels.vjp import differentiable, vjp
from .common import grad_needed
from .integer_gradients import applied
from .registry import find

Arguments = Sequence[Tensor | None]
Needs = tuple[bool, ...]  # for each argument whether its gradient is wanted
Grads = Sequence[Tensor | None]


class Rule:
    """How one operator is differentiated; subclasses are never instantiated.

    Attributes:
        keeps_output: whether `backward` needs the result: then nobody may write over it.
        worth: how many of torch's own steps it stands for, or its choice of kernels is worth.
        sources: the arguments that gradients can go to, if they cannot go to all of them.
        forward_in_place: like `forward`, but may write over the first argument; None if that is not possible.
    """

    keeps_output = False
    worth = 1
    sources: tuple[int, ...] | None = None
    forward_in_place: Callable[[Arguments, dict[str, Any], Needs], tuple[Any, Any]] | None = None

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        """Whether the rule knows the operator under these parameters, defaults filled in."""
        return True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """What the operator's function returns, and what `backward` needs."""
        raise NotImplementedError

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        """Gradients of the arguments from those of the results, None where there is none or none is wanted."""
        raise NotImplementedError


def gradient_of(*names: str) -> Callable[[type[Rule]], type[Rule]]:
    """Declares the decorated class as the gradient of the operators of these names."""

    def declare(rule: type[Rule]) -> type[Rule]:
        for name in names:
            operator = find(name)
            assert operator.gradient is None, f"{name} has two gradients"
            operator.gradient = rule
        return rule

    return declare


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
