"""Results that hold from call to call: what depends on parameters alone."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from ..context import Context
from .seen import Seen
from .steps import Step

Perform = Callable[[Step, list[Any], Context], None]


def steady_steps(steps: Sequence[Step], steady: Iterable[int], heads: Sequence[int]) -> list[Step]:
    """The steps that depend on steady inputs alone; heads are left out, for they belong to the caller."""
    known, found = set(steady), []
    for step in steps:
        operator = step.operator
        varies = operator.needs_rng or operator.auxiliary or step.node.subgraphs
        if varies or any(slot in heads for slot in step.results):
            continue
        if all(slot is None or slot in known for slot in step.arguments):
            known.update(step.results)
            found.append(step)
    return found


def spared(steps: Sequence[Step], held: Sequence[Step]) -> dict[int, Step]:
    """The steps, by their identity, as they may be once held ones run before the others, and not in every run.

    A held result that other steps read is neither dropped nor written over: not by held steps, which may stand behind
    its readers in the graph, nor by its readers, since it is needed in the next run.
    """
    apart = {id(step) for step in held}
    read = {slot for step in steps if id(step) not in apart for slot in step.arguments}
    shared = {slot for step in held for slot in step.results if slot in read}
    found = {}
    for step in steps:
        function = step.operator.function if step.arguments and step.arguments[0] in shared else step.function
        done = tuple(slot for slot in step.done if slot not in shared)
        is_changed = function is not step.function or done != step.done
        found[id(step)] = step._replace(function=function, done=done) if is_changed else step
    return found


class Held:
    """The results of such steps, computed again when an input of theirs is another tensor or has been written to.

    Args:
        steps: the steps.
        others: the remaining steps of the program; what they read is kept.
        num_inputs: how many slots are inputs.
    """

    def __init__(self, steps: Sequence[Step], others: Sequence[Step], num_inputs: int) -> None:
        self._steps = list(steps)
        read = {slot for step in others for slot in step.arguments}
        self._kept = [slot for step in steps for slot in step.results if slot in read]
        self._seen = Seen({s for step in steps for s in step.arguments if s is not None and s < num_inputs})
        self._context: Context | None = None
        self._values: list[Any] = []
        self._viewable: list[torch.Tensor] = []

    def fill(self, slots: list[Any], context: Context, perform: Perform) -> list[torch.Tensor]:
        """Puts the results into their slots and returns those that have ordinary memory, which a view may look at."""
        if not self._steps:
            return []
        if self._context != context or not self._seen.are_same(slots):
            self._seen.note(slots)
            for step in self._steps:
                perform(step, slots, context)
            self._values = [slots[slot] for slot in self._kept]
            self._context = context
            self._viewable = [value for value in self._values if isinstance(value, torch.Tensor)]
            return self._viewable
        for slot, value in zip(self._kept, self._values, strict=True):
            slots[slot] = value
        return self._viewable
