"""Shapes of a graph all of whose variables are known: one pass forward, for compilers.

`Inference` finds the same and more, in several passes. Compiling a network costs every first call, so the usual case
has a way of its own.
"""

from collections.abc import Mapping, Sequence

import torch

from ..base import MXNetError
from ..ops.infer import infer
from ..ops.partial_shapes import Shape, is_known
from ..ops.shape_rules import Spec
from .node import Entry, Node


class Forward:
    """What follows from the shapes of the variables.

    Args:
        order: the nodes of the graph, inputs first.
        shapes: of the variables by name; they are of single precision.

    Attributes:
        is_complete: whether all shapes were found. If not, `Inference` may know more, or says what is wrong.
    """

    def __init__(self, order: Sequence[Node], shapes: Mapping[str, Shape]) -> None:
        self._specs: dict[tuple[int, int], Spec] = {}
        self.is_complete = all(self._add(node, shapes) for node in order)

    def shape(self, entry: Entry) -> Shape | None:
        """The shape of an output, if it was found."""
        found = self._specs.get((id(entry.node), entry.index))
        return None if found is None else found[0]

    def _add(self, node: Node, shapes: Mapping[str, Shape]) -> bool:
        """Finds what a node gives; False if that does not follow from its inputs."""
        if node.operator is None:
            shape = shapes.get(node.name)
            if shape is None or not is_known(shape):
                return False
            self._specs[id(node), 0] = shape, torch.float32
            return True
        if node.subgraphs:
            return False
        try:
            specs = [self._specs[id(source.node), source.index] for source in node.inputs]
            found = infer(node.operator, node.arguments(specs), node.params)
        except MXNetError:
            return False
        for index, spec in enumerate(found):
            self._specs[id(node), index] = spec
        return True
