"""Modules of torch in networks that are traced: one node each, which calls the module."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import torch

from ..base import MXNetError
from ..graph.node import Entry, Node
from ..ops.description import Description, Inferred, Surroundings
from ..ops.params import Training
from ..ops.registry import Operator
from ..ops.shape_rules import Spec

__all__ = ["TracedModule", "is_module", "module_node"]


class TracedModule(Description):
    """A module at one place of a network.

    Args:
        name: of the block that holds it, for error texts.
        run_module: from tensors, of the inputs, the parameters and the buffers in order, and whether it trains, to its
            results.
        infer: from shapes and dtypes of all these to those of the results.
        specs: those it was traced with.
        counts: how many inputs and parameters together, buffers and results there are.
    """

    def __init__(
        self,
        name: str,
        run_module: Callable[[Sequence[torch.Tensor], bool], Sequence[torch.Tensor]],
        infer: Callable[[Sequence[Spec]], list[Spec]],
        specs: Sequence[Spec],
        counts: tuple[int, int, int],
    ) -> None:
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
