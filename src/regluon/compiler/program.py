"""Programs: a graph as a flat list of calls, run over numbered slots."""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from ..base import MXNetError
from ..config import process
from ..context import Context, context_of
from ..errors import OpMemoryError, memory_text
from ..graph.node import Entry, Node, in_order
from ..graph.placement import PLACE
from ..kernels.layout import to_channels_first
from ..ops.common import contiguous_copy, is_view
from ..ops.registry import explained
from ..ops.signatures import Surroundings
from ..rng import generator
from .backends.inductor import Inductor
from .capture.prediction import Prediction
from .constants import Constants, constant_steps, with_constants_protected
from .monitoring import Watcher, report_results, watch_gradients
from .plan import Step, make_plan, own_memory
from .profiling import in_range

Updates = list[tuple[int, torch.Tensor]]  # new values of states: pairs of input position and value


class Program:
    """What a graph computes, for one mode.

    Args:
        heads: the graph.
        inputs: its variables, in the order in which `run` receives their tensors.
        training: the mode operators run in.
        parameters: positions of inputs that seldom change: what depends on them alone is computed when they have
            changed. None where gradients may be asked for: then nothing is kept, nor overwritten.
    """

    def __init__(
        self, heads: Sequence[Entry], inputs: Sequence[Node], training: bool, parameters: Iterable[int] | None = None
    ) -> None:
        self.inputs = tuple(inputs)
        plan = make_plan(heads, inputs, training, in_place=parameters is not None)
        constant = [] if parameters is None else constant_steps(plan.steps, parameters, plan.heads)
        if constant:
            found = with_constants_protected(plan.steps, constant)
            constant, plan = [found[id(step)] for step in constant], plan._replace(steps=list(found.values()))
        kept = {id(step) for step in constant}
        self.steps = [step for step in plan.steps if id(step) not in kept]
        self._constants = Constants(constant, self.steps, len(self.inputs))
        self.num_slots, self.heads = plan.num_slots, plan.heads
        self._heads_own = own_memory(plan.steps, constant, plan.heads, len(self.inputs))
        self.backend: Inductor | None = None  # another way to compute all of it
        self.is_tuned = True  # whether its kernels are chosen by timing
        self.gradient_programs: dict[tuple[Any, ...], Any] = {}  # how it runs for gradients: see autodiff.py
        self.latest: Any = None  # of these, the one that the native runner ran last
        self._prediction = Prediction()
        self._places = _places(plan.steps)
        self.keeps_state = bool(self._places)  # whether operators keep something from run to run
        self._bodies = {
            id(step): [lowered_body(body, training) for body in step.node.subgraphs]
            for step in plan.steps
            if step.node.subgraphs
        }
        self.draws: bool = any(step.operator.needs_rng for step in plan.steps) or any(
            body.draws for bodies in self._bodies.values() for body in bodies
        )
        # Whether all that a run does is to compute its heads from its inputs.
        does_more = any(_does_more(step) for step in plan.steps)
        self._is_pure = not (training or does_more or self._places or self._bodies)
        # Whether bodies of control flow write states where they are, uncounted by the versions of the inputs.
        self.writes_inputs = training and any(
            _updates_states(body) for bodies in self._bodies.values() for body in bodies
        )

    def run(
        self,
        tensors: Sequence[torch.Tensor],
        context: Context,
        recorded: bool,
        watch: Watcher | None = None,
        memory: dict[Any, Any] | None = None,
    ) -> tuple[list[torch.Tensor], Updates]:
        """Computes.

        Args:
            tensors: one for each input.
            context: where results without inputs are made, and whose random numbers are drawn.
            recorded: whether gradients may be asked for later.
            watch: a callback on every result, for monitors.
            memory: what operators keep from run to run; None if they keep nothing.

        Returns:
            The heads, each in memory of its own, and new values of states.
        """
        if self.backend is not None and watch is None:
            found = self.backend.run(tensors, lambda: self._run(tensors, context, recorded, watch, memory)[0])
            return [to_channels_first(value) for value in found], []  # compilers leave them in orders of their own
        if self._is_pure and not recorded and watch is None and process.tracer is None:
            return self._predict(tensors, context)
        return self._run(tensors, context, recorded, watch, memory)

    def _predict(self, tensors: Sequence[torch.Tensor], context: Context) -> tuple[list[torch.Tensor], Updates]:
        """Computes by the native runner, once it is known what is called."""
        if not self._constants.hold(tensors, context):
            self._prediction.forget()
        elif (found := self._prediction.run_captured(tensors, context)) is not None:
            return found, []
        updates: Updates = []
        perform = functools.partial(self.perform, recorded=False, updates=updates)
        slots: list[Any] = [*tensors, *[None] * (self.num_slots - len(tensors))]
        constant = self._constants.fill(slots, context, perform)

        def heads_of(given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            slots[: len(given)] = given
            self._run_steps(slots, context, perform)
            return self.results(slots, [*given, *constant])

        return self._prediction.run(tensors, context, heads_of), updates

    def _run(
        self,
        tensors: Sequence[torch.Tensor],
        context: Context,
        recorded: bool,
        watch: Watcher | None,
        memory: dict[Any, Any] | None,
    ) -> tuple[list[torch.Tensor], Updates]:
        slots: list[Any] = [*tensors, *[None] * (self.num_slots - len(tensors))]
        updates: Updates = []
        perform = functools.partial(self.perform, recorded=recorded, updates=updates, watch=watch, memory=memory)
        if process.tracer is not None:
            perform = functools.partial(in_range, process.tracer, perform)
        constant = self._constants.fill(slots, context, perform)
        if watch is None and process.tracer is None:
            self._run_steps(slots, context, perform)
        else:
            for step in self.steps:
                perform(step, slots, context)
        return self.results(slots, [*tensors, *constant]), updates

    def results(self, slots: list[Any], foreign: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The heads, in the order of arrays and in memory that is neither foreign nor another head's."""
        values = [slots[slot] for slot in self.heads]
        try:
            return [to_channels_first(value) for value in values] if self._heads_own else _owned(values, foreign)
        except RuntimeError as error:
            if (text := memory_text(error)) is None:
                raise
            shapes = ", ".join(str(tuple(value.shape)) for value in values)
            raise OpMemoryError(f"[graph] its outputs have the shapes {shapes}: {text}.") from error

    def _run_steps(
        self, slots: list[Any], context: Context, perform: Callable[[Step, list[Any], Context], None]
    ) -> None:
        """Runs all steps; plain ones here, since a call for each would cost more than small operators take."""
        for step in self.steps:
            if not step.is_plain:
                perform(step, slots, context)
                continue
            try:
                slots[step.results[0]] = step.function(*[slots[slot] for slot in step.arguments], **step.params)  # type: ignore[index]
            except Exception as error:
                raise explained_step(step, [slots[slot] for slot in step.arguments], error) from error  # type: ignore[index]
            for slot in step.done:
                slots[slot] = None

    def perform(
        self,
        step: Step,
        slots: list[Any],
        context: Context,
        recorded: bool,
        updates: Updates,
        watch: Watcher | None = None,
        memory: dict[Any, Any] | None = None,
    ) -> None:
        """Runs one step; the arguments are those of `run`."""
        operator = step.operator
        arguments = [None if slot is None else slots[slot] for slot in step.arguments]
        if watch is not None and recorded:
            arguments = watch_gradients(step.node, arguments, watch)
        params = step.params
        if operator.needs_surroundings or step.node.subgraphs:
            params = self.supplied(step, context, recorded, memory)
        try:
            found = step.function(*arguments, **params)
        except Exception as error:
            raise explained_step(step, arguments, error) from error
        if operator.auxiliary:
            found, changed = found
            updates.extend(update_states(step, changed, slots))
        results = found if isinstance(found, (tuple, list)) else (found,)
        if recorded and operator.reach is not None:
            results = [operator.reach(value, arguments) for value in results]
        for slot, value in zip(step.results, results, strict=False):
            slots[slot] = value
        if watch is not None:
            report_results(step.node, arguments, results, watch)
        for slot in step.done:
            slots[slot] = None

    def supplied(self, step: Step, context: Context, recorded: bool, memory: dict[Any, Any] | None) -> dict[str, Any]:
        """The parameters with what the surroundings supply."""
        params = dict(step.params)
        if (place := step.node.attrs.get(PLACE)) is not None:
            context = context_of(place)
        if step.operator.placed:
            params["ctx"] = context
        if step.operator.needs_rng:
            params["rng"] = generator(context)
        if step.operator.needs_place:
            kept = {} if memory is None else memory.setdefault(self._places[id(step)], {})
            params["surroundings"] = Surroundings(context, kept)
        if step.node.subgraphs:
            params["bodies"] = [
                functools.partial(_run_body, body, context, recorded) for body in self._bodies[id(step)]
            ]
        return params


def update_states(step: Step, changed: Sequence[torch.Tensor | None] | None, slots: list[Any]) -> Updates:
    """The new values of the states that a step has changed, those of the program's inputs.

    Steps that share a state, such as one layer that is called twice, go on from there.
    """
    pairs = zip(step.states, changed or (), strict=False)
    found = [(position, value) for position, value in pairs if value is not None and position >= 0]
    for position, value in found:
        slots[position] = value.detach()
    return found


def _places(steps: Sequence[Step]) -> dict[int, tuple[str, int]]:
    """Under what steps keep things from run to run: the same in the programs of one graph for all modes."""
    counts: Counter[str] = Counter()
    found = {}
    for step in steps:
        if step.operator.needs_place:
            found[id(step)] = step.node.name, counts[step.node.name]
            counts[step.node.name] += 1
    return found


def _does_more(step: Step) -> bool:
    """Whether a step of a prediction draws numbers, as Dropout does in training only, or changes states."""
    operator = step.operator
    draws = operator.needs_rng and not (operator.needs_training and step.params.get("mode") != "always")
    return draws or (bool(operator.auxiliary) and not operator.needs_training)


def _updates_states(body: Program) -> bool:
    return body.writes_inputs or any(step.operator.auxiliary for step in body.steps)


def lowered_body(heads: Sequence[Entry], training: bool) -> Program:
    """The program of a control flow's body; its inputs are its variables in order."""
    return Program(heads, [node for node in in_order(heads) if node.is_variable], training)


def _run_body(body: Program, context: Context, recorded: bool, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Runs a body; states that it updates are written where they are."""
    results, updates = body.run(tensors, context, recorded)
    for position, value in updates:
        tensors[position].data.copy_(value.detach())
    return results


def _owned(heads: list[torch.Tensor], foreign: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The heads, copied where they lie in memory that is not theirs, or in that of another head."""
    taken: list[torch.Tensor | None] = list(foreign)
    for index, head in enumerate(heads):
        if is_view(head, taken):
            heads[index] = contiguous_copy(head)
        taken.append(heads[index])
    return heads


def explained_step(step: Step, arguments: Sequence[Any], error: Exception) -> MXNetError:
    """The error to show for one that a step raised: with the name of its node."""
    if isinstance(error, MXNetError) and " In the graph this is node " in str(error):
        return error
    found = explained(step.operator, arguments, error)
    return type(found)(f"{found} In the graph this is node {step.node.name!r}.")
