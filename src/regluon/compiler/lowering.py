"""Which passes a graph goes through before it becomes a program."""

from collections.abc import Iterable, Mapping, Sequence

from ..graph.node import Entry, Node
from .backends.inductor import inductor_of
from .passes.attention import ATTENTION
from .passes.cse import merge_equal, merges_equal
from .passes.fold import fold_batch_norm
from .passes.fuse import can_fuse, fuse_convolutions
from .passes.quantized import fuse_quantized
from .passes.rewriter import rewrite
from .passes.training import TRAINING
from .passes.unrolled import join_unrolled
from .program import Program


def lower(
    heads: Sequence[Entry],
    inputs: Sequence[Node],
    training: bool,
    recorded: bool,
    parameters: Iterable[int] = (),
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    is_tuned: bool = True,
    backend: str | None = None,
) -> Program:
    """The program of a graph for one mode.

    Args:
        heads: the graph.
        inputs: its variables, in the order in which the program receives their tensors.
        training: whether dropout drops and BatchNorm looks at the batch.
        recorded: whether gradients may be asked for.
        parameters: positions of inputs that seldom change, such as parameters.
        shapes: of the inputs by name, if all are of single precision and on a CPU: then its own kernels are used.
        is_tuned: whether to find the quickest kernels by timing them, or take the usual ones.
        backend: 'inductor' for torch's own compiler, in prediction.
    """
    if merges_equal():
        heads = merge_equal(heads)
    if recorded:
        heads = join_unrolled(heads)
        heads = rewrite(heads, (*ATTENTION, *TRAINING))
    if recorded or training:
        program = Program(heads, inputs, training)
        program.is_tuned = is_tuned
        return program
    heads = rewrite(heads, [fold_batch_norm])
    if backend == "inductor":
        program = Program(heads, inputs, training, parameters)
        program.backend = inductor_of(heads, inputs, parameters)
        return program
    heads = fuse_quantized(heads)
    if shapes is None or not can_fuse():
        return Program(heads, inputs, training, parameters)
    return Program(fuse_convolutions(heads, shapes, is_tuned), inputs, training, parameters)
