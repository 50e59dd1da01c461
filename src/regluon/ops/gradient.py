"""Gradients written out, for compiled training: without torch's bookkeeping, and with kernels of our choice.

A rule computes exactly what its operator computes, and the gradient that torch would find. Operators without a rule
are differentiated by torch: see compiler/autodiff.py.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

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
