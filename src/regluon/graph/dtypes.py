"""Dtypes of a node's inputs and outputs, as far as they follow without shapes: see ops/dtype_rules.py."""

from collections.abc import Mapping
from typing import Any

import torch

from ..ops.dtype_rules import PARAM, SCALAR, Source
from ..ops.registry import Operator


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
