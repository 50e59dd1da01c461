"""What an update rule is, and the table of them.

A rule updates a list of weights in place, and their states with them. It takes the weights, the gradients and one list
for each kind of state, then by name the learning rates `lr` and weight decays `wd`, one for each weight, and what else
it needs. Rates are numbers, or tensors of shape () for the rules of plain gradient descent. Gradients are never written
to. Torch's fused kernels read memory once; where they cannot be used (strided arrays, no data, rates in tensors) the
same steps run one after the other on the whole list. Rules are called through `run`, which checks what they receive.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

# A list or tuple of Tensor, and one of numbers or tensors of shape (): torch's list functions take and give all these,
# but its types say otherwise.
Tensors: TypeAlias = Any
Rates: TypeAlias = Any


class Rule(NamedTuple):
    """How weights are updated.

    Attributes:
        function: updates lists of weights and states.
        states: names of the lists it takes besides weights and gradients.
        counts: how many of these it may be given.
        alike: whether states have the shape and dtype of their weights.
    """

    function: Callable[..., None]
    states: tuple[str, ...]
    counts: range
    alike: bool


RULES: dict[str, Rule] = {}


def rule(*states: str, alike: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enters the decorated function in RULES; see Rule."""

    def enter(function: Callable[..., None]) -> Callable[..., None]:
        lists = [each for each in signature(function).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        required = sum(each.default is each.empty for each in lists)
        RULES[function.__name__] = Rule(function, states, range(required - 2, len(lists) - 1), alike)
        return function

    return enter
