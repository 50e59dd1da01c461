"""The steps of a program: which function is called, from which slots, into which."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..graph.node import Entry, Node, in_order
from ..ops.registry import Operator
from .reuse import written_over


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
    fresh = _fresh_slots(nodes, slot_of) if in_place else set()
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
        function = operator.function
        if arguments and arguments[0] in fresh and arguments[0] in done and arguments.count(arguments[0]) == 1:
            function = written_over(node) or function
        is_plain = len(results) == 1 and None not in arguments and _needs_nothing(node)
        steps.append(Step(function, tuple(arguments), params, results, states, done, operator, node, is_plain))
    return Plan(steps, len(slot_of), head_slots)


def _needs_nothing(node: Node) -> bool:
    """Whether a node needs its inputs and parameters only, and its result is taken as it is."""
    operator = node.operator
    assert operator is not None
    if callable(operator.outputs):
        return False  # where the number of results varies, a single one may come in a tuple
    return not (operator.needs_surroundings or operator.auxiliary or operator.zero_gradient or node.subgraphs)


def _last_uses(nodes: Sequence[Node], slot_of: dict[tuple[int, int], int], kept: set[int]) -> dict[int, int]:
    """For each slot the last step that reads or makes it; those that are kept are left out."""
    last: dict[int, int] = {}
    for place, node in enumerate(nodes):
        for index in range(node.num_outputs):
            last[slot_of[id(node), index]] = place
        for source in node.inputs:
            last[slot_of[id(source.node), source.index]] = place
    return {slot: place for slot, place in last.items() if slot not in kept}


def _fresh_slots(nodes: Sequence[Node], slot_of: dict[tuple[int, int], int]) -> set[int]:
    """Slots whose memory no other slot can look at: neither a view, nor looked at by one."""
    looked_at: Counter[int] = Counter()
    for node in nodes:
        if node.operator is not None and (node.operator.returns_view or node.subgraphs):
            looked_at.update(slot_of[id(source.node), source.index] for source in node.inputs)
    return {
        slot_of[id(node), index]
        for node in nodes
        if node.operator is not None and not node.operator.returns_view and not node.subgraphs
        for index in range(node.num_outputs)
        if not looked_at[slot_of[id(node), index]]
    }
