"""Infer dtypes without shapes, and around operators that describe themselves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from ..base import MXNetError
from ..ops.dtype_rules import PARAM, SCALAR, Source
from ..ops.partial_shapes import Shape, agreed, filled, is_known
from ..ops.registry import Operator
from .node import Entry, Node


def input_dtype(operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, is_first: bool) -> Any:
    """The dtype of an input that shares the data's; the data are the first such input.

    Where the data's dtype is not known, it is the parameter of an embedding.
    """
    if operator.dtypes.keeps_single and not is_first and data in (torch.float16, torch.bfloat16):
        return torch.float32
    if data is None and operator.dtypes.free == ("data",):
        return _param(operator, operator.full_params(params))
    return data


def data_dtype(operator: Operator, known: list[torch.dtype]) -> torch.dtype | None:
    """The dtype that stands for the data's, from those inputs that share it and are known."""
    mixed = operator.dtypes.mixed
    if mixed is None or not known:
        return known[0] if known else None
    return mixed(known)


def output_dtypes(
    operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, count: int
) -> list[torch.dtype | None]:
    """The dtypes of so many outputs; None for those that do not follow."""
    outputs = operator.dtypes.outputs
    full = operator.full_params(params)
    sources = outputs(full) if callable(outputs) else outputs
    if sources is None:
        written = _param(operator, params if operator.inputs else full)
        return [written or data] * count
    known = [_of_source(source, data, operator, full) for source in sources]
    return [known[min(index, len(known) - 1)] for index in range(count)]


def _of_source(
    source: Source, data: torch.dtype | None, operator: Operator, full: Mapping[str, Any]
) -> torch.dtype | None:
    if isinstance(source, torch.dtype):
        return source
    if source == PARAM:
        return _param(operator, full)
    return source(data) if callable(source) and data is not None else data


def dtype_before(operator: Operator, params: Mapping[str, Any], result: torch.dtype | None) -> torch.dtype | None:
    """The dtype of the inputs of an operator that has all alike, from that of its result; None if unknown."""
    rule = operator.dtypes
    if _param(operator, params) is not None or not (rule.outputs is None or rule is SCALAR):
        return None
    return result


def _param(operator: Operator, params: Mapping[str, Any]) -> torch.dtype | None:
    found = params.get("dtype") if "dtype" in operator.params else None
    return found if isinstance(found, torch.dtype) else None


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
