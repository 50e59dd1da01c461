"""Constant folding across calls: what depends on parameters alone is computed again only when one was written."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from ..context import Context
from .plan import Step
from .version_guard import VersionGuard

Perform = Callable[[Step, list[Any], Context], None]


def constant_steps(steps: Sequence[Step], parameters: Iterable[int], heads: Sequence[int]) -> list[Step]:
    """The steps that depend on parameters alone; heads are left out, for they belong to the caller."""
    known, found = set(parameters), []
    for step in steps:
        operator = step.operator
        varies = operator.needs_rng or operator.auxiliary or step.node.subgraphs
        if varies or any(slot in heads for slot in step.results):
            continue
        if all(slot is None or slot in known for slot in step.arguments):
            known.update(step.results)
            found.append(step)
    return found


def with_constants_protected(steps: Sequence[Step], constant: Sequence[Step]) -> dict[int, Step]:
    """The steps, by their identity, as they may be once constant ones run before the others, and not in every run.

    A constant that other steps read is neither dropped nor overwritten: not by constant steps, which may stand behind
    its readers in the graph, nor by its readers, since it is needed in the next run.
    """
    apart = {id(step) for step in constant}
    read = {slot for step in steps if id(step) not in apart for slot in step.arguments}
    shared = {slot for step in constant for slot in step.results if slot in read}
    found = {}
    for step in steps:
        function = step.operator.function if step.arguments and step.arguments[0] in shared else step.function
        done = tuple(slot for slot in step.done if slot not in shared)
        is_changed = function is not step.function or done != step.done
        found[id(step)] = step._replace(function=function, done=done) if is_changed else step
    return found


class Constants:
    """The results of constant steps, computed again when a parameter is another tensor or has been written to.

    Args:
        steps: the steps.
        others: the remaining steps of the program; what they read is kept.
        num_inputs: how many slots are inputs.
    """

    def __init__(self, steps: Sequence[Step], others: Sequence[Step], num_inputs: int) -> None:
        self._steps = list(steps)
        read = {slot for step in others for slot in step.arguments}
        self._kept = [slot for step in steps for slot in step.results if slot in read]
        self._versions = VersionGuard({s for step in steps for s in step.arguments if s is not None and s < num_inputs})
        self._context: Context | None = None
        self._values: list[Any] = []
        self._viewable: list[torch.Tensor] = []

    def hold(self, tensors: Sequence[Any], context: Context) -> bool:
        """Whether the results of an earlier run are still what would be computed; inputs come first in `tensors`."""
        return not self._steps or (self._context == context and self._versions.holds(tensors))

    def fill(self, slots: list[Any], context: Context, perform: Perform) -> list[torch.Tensor]:
        """Puts the results into their slots and returns those that have ordinary memory, which a view may look at."""
        if not self._steps:
            return []
        if not self.hold(slots, context):
            self._versions.record(slots)
            for step in self._steps:
                perform(step, slots, context)
            self._values = [slots[slot] for slot in self._kept]
            self._context = context
            self._viewable = [value for value in self._values if isinstance(value, torch.Tensor)]
            return self._viewable
        for slot, value in zip(self._kept, self._values, strict=True):
            slots[slot] = value
        return self._viewable
