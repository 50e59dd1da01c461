"""Which passes a graph goes through before it becomes a program."""

from collections.abc import Sequence

from ..graph.node import Entry, Node
from .merging import merge_equal
from .program import Program


def lower(heads: Sequence[Entry], inputs: Sequence[Node], training: bool, recorded: bool) -> Program:
    """The program of a graph for one mode.

    Args:
        heads: the graph.
        inputs: its variables, in the order in which the program receives their tensors.
        training: whether dropout drops and BatchNorm looks at the batch.
        recorded: whether gradients may be asked for.
    """
    heads = merge_equal(heads)
    return Program(heads, inputs, training)
