"""Modules of torch in networks that are traced: one node each, which calls the module."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import torch

from ..base import MXNetError
from ..config import process
from ..graph.node import Entry, Node, in_order
from ..ops.description import Description, Inferred, Surroundings
from ..ops.params import Training
from ..ops.registry import Operator
from ..ops.shape_rules import Spec

__all__ = ["TracedModule", "is_module", "module_node", "with_operators"]


class TracedModule(Description):
    """A module at one place of a network.

    Args:
        name: of the block that holds it, for error texts.
        run_module: from tensors, of the inputs, the parameters and the buffers in order, and whether it trains, to its
            results.
        infer: from shapes and dtypes of all these to those of the results.
        specs: those it was traced with.
        counts: how many inputs and parameters together, buffers and results there are.
        program: makes a program of torch.export of it, in predict mode, whose inputs are these.
    """

    def __init__(
        self,
        name: str,
        run_module: Callable[[Sequence[torch.Tensor], bool], Sequence[torch.Tensor]],
        infer: Callable[[Sequence[Spec]], list[Spec]],
        specs: Sequence[Spec],
        counts: tuple[int, int, int],
        program: Callable[[], Any],
    ) -> None:
        self.program = program
        self.name, self._run_module, self._infer, self._specs = name, run_module, infer, list(specs)
        arguments, states, outputs = counts
        self.arguments: tuple[str, ...] = tuple(f"input{place}" for place in range(arguments))
        self.states: tuple[str, ...] = tuple(f"state{place}" for place in range(states))
        self.outputs: tuple[str, ...] = tuple(f"output{place}" for place in range(outputs))

    def infer_shapes(self, arguments: Sequence[tuple[int, ...] | None]) -> Inferred:
        """Runs the module on tensors without data."""
        return self._inferred([(shape, spec[1]) for shape, spec in zip(arguments, self._specs, strict=False)], 0)

    def infer_dtypes(self, arguments: Sequence[torch.dtype | None]) -> Inferred:
        """Runs the module on tensors without data."""
        return self._inferred([(spec[0], dtype) for dtype, spec in zip(arguments, self._specs, strict=False)], 1)

    def _inferred(self, arguments: list[Any], part: int) -> Inferred:
        if any(None in spec for spec in arguments):
            raise MXNetError(f"the inputs of {self.name} are not known yet")
        states = self._specs[len(arguments) :]
        results = self._infer([*arguments, *states])
        return Inferred(*([spec[part] for spec in specs] for specs in (arguments, results, states)))

    def run(self, tensors: Sequence[torch.Tensor], training: bool, surroundings: Surroundings) -> tuple[Any, ...]:
        """Calls the module."""
        return tuple(self._run_module(tensors, training))


# Nodes find their modules by number: parameters of nodes are texts. They hold the modules, this only lists them.
_traced: WeakValueDictionary[str, TracedModule] = WeakValueDictionary()
_numbers = itertools.count()


def _run(
    *data: torch.Tensor, number: str, description: Description, training: Training, surroundings: Surroundings
) -> tuple[Any, None]:
    return description.run(data, training, surroundings), None


# Not among the registered operators: no file may ask for it.
_OPERATOR = Operator(
    *("_torch_module", (), _run),
    free_params=True,
    describes=lambda texts: _traced[texts["number"]],
    auxiliary=lambda num_inputs: (),
)


def module_node(traced: TracedModule, inputs: Sequence[Entry]) -> Node:
    """A node that calls a module."""
    number = str(next(_numbers))
    _traced[number] = traced
    return Node(_OPERATOR, traced.name, {"number": number}, inputs)


def is_module(node: Node) -> bool:
    """Whether a node calls a module of torch."""
    return node.operator is _OPERATOR


def with_operators(heads: Sequence[Entry]) -> tuple[tuple[Entry, ...], dict[str, Any]]:
    """The graph with MXNet's operators in place of modules, which no file can contain, as they predict.

    Returns:
        The outputs of the graph, and the arrays of the variables that came with the operators, by name. The same graph
        if it calls no module.

    Raises:
        MXNetError: a module has operators that MXNet lacks; the text names them.
    """
    order = in_order(heads)
    if not any(map(is_module, order)):
        return tuple(heads), {}
    moved: dict[int, list[Entry]] = {}  # the outputs of a module's operators, or the node that takes a node's place
    variables: dict[str, Node] = {}
    arrays: dict[str, Any] = {}

    def entry_for(entry: Entry) -> Entry:
        found = moved[id(entry.node)]
        return found[entry.index] if is_module(entry.node) else entry._replace(node=found[0].node)

    used: dict[str, int] = {}
    for node in order:
        inputs = [entry_for(source) for source in node.inputs]
        if is_module(node):
            count = used[node.name] = used.get(node.name, -1) + 1
            prefix = f"{node.name}_" + (f"{count}_" if count else "")
            moved[id(node)], own = _converted(node, inputs, prefix, variables)
            arrays |= own
        elif all(after.node is before.node for after, before in zip(inputs, node.inputs, strict=True)):
            moved[id(node)] = [Entry(node)]
        else:
            moved[id(node)] = [Entry(Node(node.operator, node.name, node.attrs, inputs, node.subgraphs))]
    return tuple(entry_for(head) for head in heads), arrays


def _converted(
    node: Node, inputs: Sequence[Entry], prefix: str, variables: dict[str, Node]
) -> tuple[list[Entry], dict[str, Any]]:
    """The outputs of a module's operators on inputs, and its arrays by name."""
    traced = node.params["description"]
    try:
        program = traced.program()
        symbol, *params = process.from_program(program)
    except MXNetError as error:
        text = f"[export] {traced.name} is a module of torch, which no file can contain as it is. {error}"
        raise type(error)(text) from error
    places = {name: place for place, name in enumerate(program.graph_signature.user_inputs)}
    moved: dict[int, Entry] = {}
    for each in in_order(symbol._heads):
        own = each.name.removeprefix("module_")
        if each.is_variable and each.name in places:
            moved[id(each)] = inputs[places[each.name]]
        elif each.is_variable:
            name = f"{traced.name}_{own}"  # a module that is called twice has its parameters once
            moved[id(each)] = Entry(variables.setdefault(name, Node(None, name, each.attrs)))
        else:
            sources = [_at(moved, source) for source in each.inputs]
            moved[id(each)] = Entry(Node(each.operator, prefix + own, each.attrs, sources, each.subgraphs))
    arrays = {
        f"{traced.name}_{name.removeprefix('module_')}": value for found in params for name, value in found.items()
    }
    return [_at(moved, head) for head in symbol._heads], arrays


def _at(moved: dict[int, Entry], entry: Entry) -> Entry:
    found = moved[id(entry.node)]
    return found if entry.node.is_variable else entry._replace(node=found.node)
