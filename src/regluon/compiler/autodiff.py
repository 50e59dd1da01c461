"""Training: a graph and its gradient as two flat lists of calls, one node to torch's autograd engine.

The graph is cut into stages. A stage is an operator whose gradient we have written out (ops/gradients), or a stretch of
operators that torch differentiates, or an operator that no wanted gradient passes through. Stages keep what their
gradients need, and nothing else.
"""

import functools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

import torch

from ..config import process, switches
from ..context import Context
from ..kernels.vjp import differentiable, vjp
from ..ops.gradient import Rule
from ..torch_private import is_zero
from .capture.replay import Replay
from .plan import Step, fresh_slots
from .profiling import StageInRange, in_range
from .program import Program, Updates, explained_step, update_states

_LEAST_WORTH = 4  # steps; below, torch's own bookkeeping is quicker; measured with a perceptron and its loss
_STRETCH_COST = 8  # steps that a run of torch's engine costs as much as, for a stretch that is left to it

Slots = list[Any]
Gradients = list[torch.Tensor | None]  # by slot


class Sink(Protocol):
    """Where the gradient of an input goes."""

    def deliver(self, value: torch.Tensor, /) -> None:
        """Takes the gradient, or a part of it."""


class _Surroundings:
    """What one run of a program hands to its operators."""

    __slots__ = ("context", "program", "updates")

    def __init__(self, program: Program, context: Context, updates: Updates) -> None:
        self.program, self.context, self.updates = program, context, updates

    def perform(self, step: Step, slots: Slots) -> None:
        """Runs one step as programs without gradients do."""
        if process.tracer is None:
            self.program.perform(step, slots, self.context, True, self.updates)
        else:
            perform = functools.partial(self.program.perform, recorded=True, updates=self.updates)
            in_range(process.tracer, perform, step, slots, self.context)

    def params(self, step: Step) -> dict[str, Any]:
        """The parameters of a step, with what the surroundings supply."""
        if step.operator.needs_surroundings:
            return self.program.supplied(step, self.context, True, None)
        return step.params


class _Untouched:
    """A step that no wanted gradient passes through."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.reads: set[int | None] = set()  # nothing that gradients are wanted for

    def forward(self, slots: Slots, surroundings: _Surroundings) -> Any:
        """Runs the step."""
        surroundings.perform(self._step, slots)

    def backward(self, saved: Any, grads: Gradients, keep: bool) -> None:
        """Nothing to do."""


class _Ruled:
    """A step whose gradient is written out.

    Args:
        step: the step.
        rule: its gradient.
        active: slots that gradients are wanted for.
        in_place: whether the result may be written over the first argument.
    """

    def __init__(self, step: Step, rule: type[Rule], active: set[int], in_place: bool) -> None:
        self.step, self._rule = step, rule
        self._forward = (rule.forward_in_place if in_place else None) or rule.forward
        self._needs = tuple(slot in active for slot in step.arguments)
        self.reads: set[int | None] = set(step.arguments)
        self.worth = rule.worth

    def forward(self, slots: Slots, surroundings: _Surroundings) -> Any:
        """Runs the step and returns what the gradient needs."""
        step = self.step
        arguments = [None if slot is None else slots[slot] for slot in step.arguments]
        try:
            found, saved = self._forward(arguments, surroundings.params(step), self._needs)
        except Exception as error:
            raise explained_step(step, arguments, error) from error
        if step.operator.auxiliary:
            found, changed = found
            surroundings.updates.extend(update_states(step, changed, slots))
        results = (found,) if isinstance(found, torch.Tensor) else found
        for slot, value in zip(step.results, results, strict=False):
            slots[slot] = value
        for slot in step.done:
            slots[slot] = None
        return saved

    def backward(self, saved: Any, grads: Gradients, keep: bool) -> None:
        """Turns the gradients of the results into those of the arguments."""
        step = self.step
        heads = [grads[slot] for slot in step.results]
        if all(head is None for head in heads):
            return
        for slot in step.results:
            grads[slot] = None
        for place, grad in zip(step.arguments, self._rule.backward(saved, heads, self._needs), strict=False):
            if grad is not None and place is not None:
                before = grads[place]
                grads[place] = grad if before is None else before + grad


class _Differentiated:
    """Consecutive steps that torch differentiates.

    Args:
        steps: the steps.
        active: slots that gradients are wanted for.
        read_later: slots that are read after these steps.
    """

    def __init__(self, steps: Sequence[Step], active: set[int], read_later: set[int]) -> None:
        self._steps = list(steps)
        made = {slot for step in steps for slot in step.results}
        read = {slot for step in steps for slot in step.arguments if slot is not None}
        self.reads: set[int | None] = {*read}
        self._sources = sorted((read - made) & active)
        self._results = sorted(made & active & read_later)
        self._done = sorted({slot for step in steps for slot in step.done})

    def forward(self, slots: Slots, surroundings: _Surroundings) -> Any:
        """Runs the steps on variables of their own and keeps torch's graph between them and the results."""
        local = list(slots)
        leaves = [(slot, slots[slot].detach()) for slot in self._sources]
        leaves = [(slot, leaf.requires_grad_()) for slot, leaf in leaves if leaf.is_floating_point()]
        for slot, leaf in leaves:
            local[slot] = leaf
        with differentiable():
            for step in self._steps:
                surroundings.perform(step, local)
        heads = [(slot, local[slot]) for slot in self._results if local[slot].requires_grad]
        for step in self._steps:
            for slot in step.results:
                value = local[slot]
                slots[slot] = value.detach() if isinstance(value, torch.Tensor) and value.requires_grad else value
        for slot in self._done:
            slots[slot] = None
        return leaves, heads

    def backward(self, saved: Any, grads: Gradients, keep: bool) -> None:
        """Lets torch turn the gradients of the results into those of the sources."""
        leaves, heads = saved
        given = [(value, grads[slot]) for slot, value in heads if grads[slot] is not None]
        for slot, _ in heads:
            grads[slot] = None
        if not given or not leaves:
            return
        found = vjp(
            [value for value, _ in given],
            [leaf for _, leaf in leaves],
            [grad for _, grad in given],
            retain_graph=keep,
        )
        for (slot, _), grad in zip(leaves, found, strict=True):
            if grad is not None and not is_zero(grad):
                grad = grad.to_dense() if grad.is_sparse else grad
                before = grads[slot]
                grads[slot] = grad if before is None else before + grad


Stage = _Untouched | _Ruled | _Differentiated


def _rule(step: Step) -> type[Rule] | None:
    rule: type[Rule] | None = step.operator.gradient
    if rule is None:
        return None
    known = {**step.operator.full_params(step.params), "training": step.params.get("training")}
    return rule if rule.applies(known) else None


class GradientProgram:
    """The stages of a program for given inputs whose gradients are wanted.

    Args:
        program: the program.
        needs: for each input whether its gradient is wanted.
    """

    def __init__(self, program: Program, needs: tuple[bool, ...]) -> None:
        self.program = program
        self._sources = [slot for slot, needed in enumerate(needs) if needed]
        self._active = _active_slots(program.steps, self._sources)
        self._reached = _reached_slots(program.steps, self._sources)
        self._stages = _stages(program, self._active)
        self._complete = _completions(self._stages, self._sources)
        self.draws = program.draws
        self.needs = needs
        self.replay = Replay()

    @functools.cached_property
    def is_worthwhile(self) -> bool:
        """Whether torch's engine would take longer: each stretch left to it costs a run, and all of ours one call."""
        worth = [stage.worth for stage in self._stages if isinstance(stage, _Ruled)]
        stretches = sum(isinstance(stage, _Differentiated) for stage in self._stages)
        # What a choice of kernels is worth, as for convolutions, does not depend on how much else there is.
        return max(max(worth, default=0), sum(worth) - _STRETCH_COST * stretches) >= _LEAST_WORTH

    @functools.cached_property
    def can_be_replayed(self) -> bool:
        """Whether all that it does is to call operators of torch, with gradients from every head."""
        does_more = any(step.operator.needs_place or step.node.subgraphs for step in self.program.steps)
        has_gradients = not all(isinstance(stage, _Untouched) for stage in self._stages)
        return has_gradients and not does_more and self._active.issuperset(self.program.heads)

    @functools.cached_property
    def makes_integers(self) -> bool:
        """Whether gradients pass through casts to integers: torch's engine has to see all of it then."""
        casts = [step.params.get("dtype") for step in self.program.steps if not self._active.isdisjoint(step.results)]
        return any(isinstance(dtype, torch.dtype) and not dtype.is_floating_point for dtype in casts)

    def is_reached(self, head: int) -> bool:
        """Return whether `backward` from a head reaches inputs, with a gradient or with zeros."""
        return self.program.heads[head] in self._reached

    def _observed_stages(self) -> "Sequence[Stage | StageInRange]":
        """The stages, in ranges while a profiler runs; what has no rule is run step by step, and timed so."""
        tracer = process.tracer
        if tracer is None:
            return self._stages
        return [StageInRange(tracer, stage) if isinstance(stage, _Ruled) else stage for stage in self._stages]

    def forward(
        self, tensors: Sequence[torch.Tensor], context: Context, updates: Updates
    ) -> tuple[list[torch.Tensor], list[Any]]:
        """The heads, and what `backward` needs."""
        program = self.program
        slots: Slots = [*tensors, *[None] * (program.num_slots - len(tensors))]
        surroundings = _Surroundings(program, context, updates)
        with _kernels(program.is_tuned):
            saved = [stage.forward(slots, surroundings) for stage in self._observed_stages()]
        return program.results(slots, tensors), saved

    def backward(
        self, saved: list[Any], head_grads: Sequence[torch.Tensor | None], keep: bool, sinks: Sequence[Sink | None]
    ) -> list[torch.Tensor | None]:
        """Gradients of the inputs, but for those that were delivered.

        Args:
            saved: what `forward` returned; unless it is to be kept, stages' memories are given back on the way.
            head_grads: gradients of the heads.
            keep: whether there may be another backward.
            sinks: for each input where to deliver its gradient, as soon as it is complete; None for nowhere.
        """
        grads: Gradients = [None] * self.program.num_slots
        for slot, grad in zip(self.program.heads, head_grads, strict=True):
            if grad is not None:
                before = grads[slot]
                grads[slot] = grad if before is None else before + grad
        stages = self._observed_stages()
        with _kernels(self.program.is_tuned):
            for place in range(len(saved) - 1, -1, -1):
                stages[place].backward(saved[place], grads, keep)
                if not keep:
                    saved[place] = None
                for slot in self._complete[place]:
                    sink = sinks[slot]
                    if sink is not None and grads[slot] is not None:
                        grad, references = _taken(grads, slot)
                        # Whoever is delivered to may keep the tensor: a sum's gradient is that of both its parts.
                        sink.deliver(grad if references == _ALONE else grad.clone())
        return grads[: len(self.program.inputs)]


def _taken(grads: Gradients, slot: int) -> tuple[Any, int]:
    """A gradient, taken out of its slot, and how many references to it there are."""
    grad, grads[slot] = grads[slot], None
    return grad, sys.getrefcount(grad)


_, _ALONE = _taken([torch.empty(0)], 0)


def _kernels(are_tuned: bool) -> AbstractContextManager[None]:
    """Whether kernels are chosen by timing inside a `with` block."""
    return _AS_THEY_ARE if are_tuned else _usual_kernels()


_AS_THEY_ARE = nullcontext()


@contextmanager
def _usual_kernels() -> Iterator[None]:
    before, switches.autotune = switches.autotune, False
    try:
        yield
    finally:
        switches.autotune = before


def _completions(stages: Sequence[Stage], sources: Sequence[int]) -> list[list[int]]:
    """For each stage the inputs whose gradients are complete when its gradient is: it is the first to read them."""
    found: list[list[int]] = [[] for _ in stages]
    waiting = set(sources)
    for place, stage in enumerate(stages):
        for slot in sorted(waiting & stage.reads):
            found[place].append(slot)
            waiting.discard(slot)
    return found


def _active_slots(steps: Sequence[Step], sources: Sequence[int]) -> set[int]:
    """Slots that depend on the sources in a differentiable way."""
    active = set(sources)
    for step in steps:
        rule = step.operator.gradient
        chosen = None if rule is None else rule.sources
        read = step.arguments if chosen is None else [step.arguments[place] for place in chosen]
        if not step.operator.zero_gradient and not active.isdisjoint(read):
            active.update(step.results)
    return active


def _reached_slots(steps: Sequence[Step], sources: Sequence[int]) -> set[int]:
    """Return the slots that depend on the sources, be it through operators whose gradient is zero."""
    reached = set(sources)
    for step in steps:
        if not reached.isdisjoint(step.arguments):
            reached.update(step.results)
    return reached


def _stages(program: Program, active: set[int]) -> list[Stage]:
    steps = program.steps
    fresh = fresh_slots(steps)
    last_read = {slot: place for place, step in enumerate(steps) for slot in step.arguments if slot is not None}
    last_read.update({slot: len(steps) for slot in program.heads})
    readers = Counter(slot for step in steps for slot in step.arguments)
    writable: set[int] = set()  # results that their makers do not need again
    stages: list[Stage] = []
    stretch: list[Step] = []

    def end_stretch(place: int) -> None:
        if stretch:
            later = {slot for slot, last in last_read.items() if last >= place}
            stages.append(_Differentiated(stretch, active, later))
            stretch.clear()

    for place, step in enumerate(steps):
        rule = _rule(step) if not active.isdisjoint(step.results) else None
        if active.isdisjoint(step.results):
            end_stretch(place)
            stages.append(_Untouched(step))
        elif rule is None:
            stretch.append(step)
        else:
            end_stretch(place)
            first = step.arguments[0]
            # Nobody else may have kept it for a gradient.
            over = first in writable and first in step.done and readers[first] == 1
            stages.append(_Ruled(step, rule, active, over))
            if not rule.keeps_output:
                writable.update(fresh.intersection(step.results))
    end_stretch(len(steps))
    return stages
