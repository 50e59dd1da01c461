"""`autograd.Function`s in networks that are traced: one node each, which runs the user's code.

A saved graph cannot contain Python code. There, the operators that `forward` consists of take the node's place, as in
MXNet.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import torch

from ..array.autograd import Function, run_function
from ..base import MXNetError
from ..context import Context
from ..graph.node import Entry, Node, in_order
from ..ops.description import Description, Inferred, Surroundings
from ..ops.params import Training
from ..ops.registry import Operator
from ..ops.shape_rules import Spec

__all__ = ["TracedFunction", "function_node", "inlined"]


class TracedFunction(Description):
    """A user's function at one place of a network.

    Args:
        function: the instance that the network's code made; each run takes a copy, since it keeps arrays of its own.
        array_type: the class of the arrays it takes and gives.
        specs: shapes and dtypes it was traced with.
        context: where it was traced.
        heads: what its `forward` gave on symbols.
        infer: from a function of arrays, shapes and dtypes of its inputs, a context and whether they are of `mx.np`,
            to shapes and dtypes of its results.
    """

    def __init__(
        self,
        function: Function,
        array_type: Any,
        specs: Sequence[Spec],
        context: Context,
        heads: Sequence[Entry],
        infer: Callable[[Any, Sequence[Spec], Context, bool], list[Spec]],
    ) -> None:
        self._infer = infer
        self._function, self._array_type, self._specs, self._context = function, array_type, specs, context
        self.heads = tuple(heads)
        self.arguments: tuple[str, ...] = tuple(f"input{place}" for place in range(len(specs)))
        self.outputs: tuple[str, ...] = tuple(f"output{place}" for place in range(len(heads)))
        self.states = ()

    def infer_shapes(self, arguments: Sequence[tuple[int, ...] | None]) -> Inferred:
        """Runs `forward` on symbols that know their shapes."""
        specs = [(shape, dtype) for shape, (_, dtype) in zip(arguments, self._specs, strict=True)]
        return Inferred(list(arguments), [shape for shape, _ in self._inferred(specs)], [])

    def infer_dtypes(self, arguments: Sequence[torch.dtype | None]) -> Inferred:
        """Runs `forward` on symbols that know their shapes."""
        specs = [(shape, dtype) for dtype, (shape, _) in zip(arguments, self._specs, strict=True)]
        return Inferred(list(arguments), [dtype for _, dtype in self._inferred(specs)], [])

    def _inferred(self, specs: Sequence[tuple[Any, Any]]) -> list[Spec]:
        if any(None in spec for spec in specs):
            raise MXNetError(f"the inputs of {type(self._function).__name__} are not known yet")
        is_numpy = self._array_type is self._array_type._numpy_type
        return self._infer(self._function._fresh().forward, specs, self._context, is_numpy)

    def run(self, tensors: Sequence[torch.Tensor], training: bool, surroundings: Surroundings) -> tuple[Any, ...]:
        """Runs the user's `forward`, and has its `backward` called for gradients."""
        return run_function(self._function._fresh(), tensors, self._array_type, surroundings.context)


# Nodes find their functions by number: parameters of nodes are texts. They hold the functions, this only lists them.
_traced: WeakValueDictionary[str, TracedFunction] = WeakValueDictionary()
_numbers = itertools.count()


def _run(
    *data: torch.Tensor, number: str, description: Description, training: Training, surroundings: Surroundings
) -> tuple[Any, None]:
    return description.run(data, training, surroundings), None


# Not among the registered operators: no file may ask for it.
_OPERATOR = Operator(
    *("_CustomFunction", (), _run),
    free_params=True,
    describes=lambda texts: _traced[texts["number"]],
    auxiliary=lambda num_inputs: (),
)


def function_node(traced: TracedFunction, inputs: Sequence[Entry]) -> Node:
    """A node that runs a function."""
    number = str(next(_numbers))
    _traced[number] = traced
    return Node(_OPERATOR, traced.heads[0].node.name, {"number": number}, inputs)


def inlined(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with the operators of functions in place of their nodes; the same graph if it has none."""
    if all(node.operator is not _OPERATOR for node in in_order(heads)):
        return tuple(heads)
    made: dict[int, Node] = {}

    def moved(entry: Entry) -> Entry:
        traced = _traced_by(entry.node)
        return entry._replace(node=made[id(entry.node)]) if traced is None else moved(traced.heads[entry.index])

    stack = [(head.node, False) for head in reversed(heads)]
    while stack:
        node, inputs_done = stack.pop()
        traced = _traced_by(node)
        if inputs_done:
            inputs = tuple(moved(source) for source in node.inputs)
            is_same = all(after.node is before.node for after, before in zip(inputs, node.inputs, strict=True))
            made[id(node)] = node if is_same else Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
        elif traced is not None:
            stack.extend((head.node, False) for head in reversed(traced.heads))
        elif id(node) not in made:
            stack.append((node, True))
            stack.extend((source.node, False) for source in reversed(node.inputs))
    return tuple(moved(head) for head in heads)


def _traced_by(node: Node) -> TracedFunction | None:
    return node.params["description"] if node.operator is _OPERATOR else None
