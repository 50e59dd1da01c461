"""The steps of a program: which function is called, from which slots, into which."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..graph.node import Entry, Node, in_order
from ..ops.registry import Operator


class Step(NamedTuple):
    """One call."""

    function: Callable[..., Any]
    arguments: tuple[int | None, ...]
    params: dict[str, Any]
    results: tuple[int, ...]
    states: tuple[int, ...]  # positions among the program's inputs of the states it updates; -1 for none
    done: tuple[int, ...]  # slots that nobody reads after this step
    operator: Operator
    node: Node
    is_plain: bool  # one result from tensors and parameters alone: the usual case, which programs run faster


class Plan(NamedTuple):
    """A graph as steps over numbered slots; the first slots are the inputs."""

    steps: list[Step]
    num_slots: int
    heads: tuple[int, ...]


def make_plan(heads: Sequence[Entry], inputs: Sequence[Node], training: bool, in_place: bool) -> Plan:
    """Orders the calls of a graph.

    Args:
        heads: the graph.
        inputs: its variables, in the order of the first slots.
        training: the mode operators run in.
        in_place: whether steps may write over what nobody reads any more.
    """
    slot_of: dict[tuple[int, int], int] = {(id(node), 0): slot for slot, node in enumerate(inputs)}
    nodes = [node for node in in_order(heads) if not node.is_variable]
    for node in nodes:
        for index in range(node.num_outputs):
            slot_of[id(node), index] = len(slot_of)
    head_slots = tuple(slot_of[id(head.node), head.index] for head in heads)
    last_use = _last_uses(nodes, slot_of, kept={*range(len(inputs)), *head_slots})
    position_of = {id(node): position for position, node in enumerate(inputs)}
    steps = []
    for place, node in enumerate(nodes):
        operator = node.operator
        assert operator is not None
        params = dict(node.params)
        if operator.needs_training:
            params["training"] = training
        arguments = node.arguments([slot_of[id(source.node), source.index] for source in node.inputs])
        results = tuple(slot_of[id(node), index] for index in range(node.num_outputs))
        states = tuple(position_of.get(id(node.inputs[position].node), -1) for position in node.auxiliary)
        touched = dict.fromkeys([slot for slot in arguments if slot is not None] + list(results))
        done = tuple(slot for slot in touched if last_use.get(slot) == place)
        connects = operator.reach is not None and not in_place  # in programs that gradients may be asked of
        is_plain = len(results) == 1 and None not in arguments and not connects and _needs_nothing(node)
        steps.append(Step(operator.function, tuple(arguments), params, results, states, done, operator, node, is_plain))
    return Plan(_reusing(steps) if in_place else steps, len(slot_of), head_slots)


def _reusing(steps: Sequence[Step]) -> list[Step]:
    """The steps, writing over their first arguments where nobody reads those again."""
    fresh = fresh_slots(steps)
    found = []
    for step in steps:
        first = step.arguments[0] if step.arguments else None
        if first in fresh and first in step.done and step.arguments.count(first) == 1:
            step = step._replace(function=step.operator.in_place or step.function)
        found.append(step)
    return found


def _needs_nothing(node: Node) -> bool:
    """Whether a node needs its inputs and parameters only, and its result is taken as it is."""
    operator = node.operator
    assert operator is not None
    if callable(operator.outputs):
        return False  # where the number of results varies, a single one may come in a tuple
    return not (operator.needs_surroundings or operator.auxiliary or node.subgraphs)


def _last_uses(nodes: Sequence[Node], slot_of: dict[tuple[int, int], int], kept: set[int]) -> dict[int, int]:
    """For each slot the last step that reads or makes it; those that are kept are left out."""
    last: dict[int, int] = {}
    for place, node in enumerate(nodes):
        for index in range(node.num_outputs):
            last[slot_of[id(node), index]] = place
        for source in node.inputs:
            last[slot_of[id(source.node), source.index]] = place
    return {slot: place for slot, place in last.items() if slot not in kept}


def fresh_slots(steps: Sequence[Step]) -> set[int]:
    """Slots whose memory no other slot can look at: neither a view, nor looked at by one."""
    made: set[int] = set()
    looked_at: set[int | None] = set()
    for step in steps:
        if step.operator.returns_view or step.node.subgraphs:
            looked_at.update(step.arguments)
        else:
            made.update(step.results)
    return made - looked_at


def own_memory(steps: Sequence[Step], constant: Sequence[Step], heads: Sequence[int], num_inputs: int) -> bool:
    """Whether no head can look at the memory of an input, of a constant result, or of another head."""
    seen_in: dict[int, set[int]] = {slot: {slot} for slot in range(num_inputs)}  # whose memory a slot may look at
    for step in steps:
        may_look = step.operator.returns_view or bool(step.node.subgraphs)
        looked_at = (
            {root for slot in step.arguments if slot is not None for root in seen_in[slot]} if may_look else set()
        )
        for slot in step.results:
            seen_in[slot] = {slot} | looked_at
    foreign = {*range(num_inputs), *(slot for step in constant for slot in step.results)}
    for head in heads:
        if not foreign.isdisjoint(seen_in[head]):
            return False
        foreign |= seen_in[head]
    return True
