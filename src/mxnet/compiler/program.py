"""Programs: a graph as a flat list of calls, run over numbered slots."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ..base import MXNetError
from ..context import Context
from ..graph.node import Entry, Node, in_order
from ..ops.common import connected, is_view
from ..ops.registry import Operator, explained
from ..rng import generator


class Watcher(NamedTuple):
    """Who is told of every result: its name, its operator's, and its value.

    Attributes:
        report: the function that is told.
        sees_inputs: whether the inputs of each operator are reported too.
    """

    report: Callable[[str, str, torch.Tensor], None]
    sees_inputs: bool = False


class Step(NamedTuple):
    """One call: which function, from which slots, into which."""

    function: Callable[..., Any]
    arguments: tuple[int | None, ...]
    params: dict[str, Any]
    results: tuple[int, ...]  # -1 for a result nobody uses
    states: tuple[int, ...]  # positions among the program's inputs of the states it updates
    done: tuple[int, ...]  # slots that nobody reads after this step
    operator: Operator
    node: Node


class Program:
    """What a graph computes, for one mode.

    Args:
        heads: the graph.
        inputs: its variables, in the order in which `run` receives their tensors.
        training: the mode operators run in.
    """

    def __init__(self, heads: Sequence[Entry], inputs: Sequence[Node], training: bool) -> None:
        self.inputs = tuple(inputs)
        self.training = training
        slot_of: dict[tuple[int, int], int] = {(id(node), 0): slot for slot, node in enumerate(inputs)}
        position_of = {id(node): position for position, node in enumerate(inputs)}
        lowered = [node for node in in_order(heads) if not node.is_variable]
        for node in lowered:
            for index in range(node.num_outputs):
                slot_of[id(node), index] = len(slot_of)
        self._num_slots = len(slot_of)
        self._heads = tuple(slot_of[id(head.node), head.index] for head in heads)
        last_use = self._last_uses(lowered, slot_of)
        self.steps = [self._step(node, place, slot_of, position_of, last_use) for place, node in enumerate(lowered)]

    def _last_uses(self, lowered: Sequence[Node], slot_of: dict[tuple[int, int], int]) -> dict[int, int]:
        """For each slot the last step that reads or makes it; inputs and heads are left out."""
        last: dict[int, int] = {}
        for place, node in enumerate(lowered):
            for index in range(node.num_outputs):
                last[slot_of[id(node), index]] = place
            for source in node.inputs:
                last[slot_of[id(source.node), source.index]] = place
        for slot in (*range(len(self.inputs)), *self._heads):
            last.pop(slot, None)
        return last

    def _step(
        self,
        node: Node,
        place: int,
        slot_of: dict[tuple[int, int], int],
        position_of: dict[int, int],
        last_use: dict[int, int],
    ) -> Step:
        operator = node.operator
        assert operator is not None
        params = dict(node.params)
        if operator.needs_training:
            params["training"] = self.training
        if node.subgraphs:
            params["bodies"] = [lowered_body(body, self.training) for body in node.subgraphs]
        arguments = node.arguments([slot_of[id(source.node), source.index] for source in node.inputs])
        results = tuple(slot_of[id(node), index] for index in range(node.num_outputs))
        states = tuple(position_of.get(id(node.inputs[position].node), -1) for position in node.auxiliary)
        touched = dict.fromkeys([slot for slot in arguments if slot is not None] + list(results))
        done = tuple(slot for slot in touched if last_use.get(slot) == place)
        return Step(operator.function, tuple(arguments), params, results, states, done, operator, node)

    def run(
        self, tensors: Sequence[torch.Tensor], context: Context, recorded: bool, watch: Watcher | None = None
    ) -> tuple[list[torch.Tensor], list[tuple[int, torch.Tensor]]]:
        """Computes.

        Args:
            tensors: one for each input.
            context: where results without inputs are made, and whose random numbers are drawn.
            recorded: whether gradients may be asked for later.
            watch: told of every result, for monitors.

        Returns:
            The heads, each in memory of its own, and new values of states: pairs of input position and value.
        """
        slots: list[Any] = [*tensors, *[None] * (self._num_slots - len(tensors))]
        updates: list[tuple[int, torch.Tensor]] = []
        step: Step | None = None
        try:
            for step in self.steps:
                operator = step.operator
                arguments = [None if slot is None else slots[slot] for slot in step.arguments]
                params = _placed(step, context) if operator.needs_surroundings else step.params
                found = step.function(*arguments, **params)
                if operator.auxiliary:
                    found, changed = found
                    if changed is not None:
                        updates.extend(
                            (position, value)
                            for position, value in zip(step.states, changed, strict=True)
                            if value is not None and position >= 0
                        )
                results = (found,) if isinstance(found, torch.Tensor) else found
                if recorded and operator.zero_gradient:
                    results = [connected(value, arguments) for value in results]
                for slot, value in zip(step.results, results, strict=False):
                    slots[slot] = value
                if watch is not None:
                    _report(step, arguments, results, watch)
                for slot in step.done:
                    slots[slot] = None
        except Exception as error:
            assert step is not None
            raise _explained(step, slots, error) from error
        return self._owned([slots[slot] for slot in self._heads], tensors), updates

    def _owned(self, heads: list[torch.Tensor], tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The heads, copied where they lie in the memory of an input or of another head."""
        kept: list[torch.Tensor | None] = list(tensors)
        for index, head in enumerate(heads):
            if is_view(head, kept):
                heads[index] = head.clone(memory_format=torch.contiguous_format)
            kept.append(heads[index])
        return heads


def lowered_body(heads: Sequence[Entry], training: bool) -> "Program":
    """The program of a control flow's body; its inputs are its variables in order."""
    return Program(heads, [node for node in in_order(heads) if node.is_variable], training)


def _placed(step: Step, context: Context) -> dict[str, Any]:
    """The parameters with what the surroundings supply."""
    params = dict(step.params)
    if step.operator.placed:
        params["ctx"] = context
    if step.operator.needs_rng:
        params["rng"] = generator(context)
    return params


def _report(step: Step, arguments: Sequence[Any], results: Sequence[torch.Tensor], watch: Watcher) -> None:
    node = step.node
    if watch.sees_inputs:
        for label, value in zip(node.operator.inputs if node.operator else (), arguments, strict=False):
            if value is not None:
                watch.report(f"{node.name}_{label}", node.op_name, value)
    for index, value in zip(range(node.num_outputs), results, strict=False):
        watch.report(node.output_name(index), node.op_name, value)


def _explained(step: Step, slots: Sequence[Any], error: Exception) -> MXNetError:
    if isinstance(error, MXNetError) and " In the graph this is node " in str(error):
        return error
    tensors = [None if slot is None else slots[slot] for slot in step.arguments]
    told = explained(step.operator, tensors, error)
    return type(told)(f"{told} In the graph this is node {step.node.name!r}.")
