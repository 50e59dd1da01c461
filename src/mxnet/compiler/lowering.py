"""Which passes a graph goes through before it becomes a program."""

from collections.abc import Iterable, Sequence

from ..graph.node import Entry, Node
from .folding import fold_batch_norms
from .merging import merge_equal
from .program import Program


def lower(
    heads: Sequence[Entry], inputs: Sequence[Node], training: bool, recorded: bool, steady: Iterable[int] = ()
) -> Program:
    """The program of a graph for one mode.

    Args:
        heads: the graph.
        inputs: its variables, in the order in which the program receives their tensors.
        training: whether dropout drops and BatchNorm looks at the batch.
        recorded: whether gradients may be asked for.
        steady: positions of inputs that seldom change, such as parameters.
    """
    heads = merge_equal(heads)
    if recorded or training:
        return Program(heads, inputs, training)
    return Program(fold_batch_norms(heads), inputs, training, steady)
