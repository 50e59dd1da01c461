"""Shapes and dtypes around operators that describe themselves, such as those that a program registers."""

from collections.abc import Iterator, Sequence

import torch

from ..base import MXNetError
from ..ops.partial_shapes import Shape, agreed, filled, is_known
from .node import Entry, Node

_STAND_INS = (1009, 2003)  # for unknown lengths: what comes out the same both times does not depend on them


def dtypes_around(node: Node, known: Sequence[torch.dtype | None]) -> Iterator[tuple[Entry, torch.dtype | None]]:
    """What a node tells of the dtypes of its inputs and outputs.

    Args:
        node: of an operator that `describes`.
        known: dtypes of its inputs as far as they are known.
    """
    assert node.operator is not None
    description = node.operator.description(node.params)
    arguments = known[: len(description.arguments)]
    try:
        inferred = description.infer_dtypes(arguments)
    except MXNetError as error:
        if None in arguments:
            return  # it may answer once they are known
        raise _placed(node, error) from error.__cause__
    yield from zip(_entries(node), (*inferred.arguments, *inferred.states, *inferred.outputs), strict=True)


def shapes_around(node: Node, known: Sequence[Shape | None]) -> Iterator[tuple[Entry, Shape, str]]:
    """What a node tells of the shapes of its inputs and outputs, and their names for it.

    Args:
        node: of an operator that `describes`.
        known: shapes of its inputs as far as they are known.
    """
    assert node.operator is not None
    description = node.operator.description(node.params)
    arguments = known[: len(description.arguments)]
    is_complete = all(is_known(shape) for shape in arguments)
    found: list[Shape] = []
    for stand_in in _STAND_INS:
        try:
            inferred = description.infer_shapes([filled(shape, stand_in) if shape else None for shape in arguments])
        except MXNetError as error:
            if not is_complete:
                return  # it may answer once the lengths are known
            raise _placed(node, error) from error.__cause__
        shapes = [*inferred.arguments, *inferred.states, *inferred.outputs]
        found = [_common(a, b) for a, b in zip(found or shapes, shapes, strict=True)]
        if is_complete:
            break
    for entry, shape, role in zip(_entries(node), found, (*description.inputs, *description.outputs), strict=True):
        if shape:
            yield entry, shape, role


def _common(first: Shape, second: Shape) -> Shape:
    return agreed(first, second) if len(first) == len(second) else ()


def _entries(node: Node) -> list[Entry]:
    return [*node.inputs, *(Entry(node, index) for index in range(node.num_outputs))]


def _placed(node: Node, error: MXNetError) -> MXNetError:
    return type(error)(f"[{node.op_name}] {error}. In the graph this is node {node.name!r}.")
