"""Which dtypes an operator's inputs and outputs have, as far as that follows without shapes.

As a rule all of them are of one dtype, the data's, and a parameter `dtype` that is given says what the results are. The
table lists the operators that differ.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from ..ops.registry import Operator

DATA, PARAM = "the data's", "the parameter's"  # where the dtype of an output comes from
Source = str | torch.dtype


class DtypeRule(NamedTuple):
    """How an operator differs from the others.

    Attributes:
        free: names of inputs whose dtype has nothing to do with the data's, such as indices.
        outputs: for each output where its dtype comes from, the last one holding for all that follow; None for the
            parameter `dtype` if it is given, else the data's. May depend on the parameters.
    """

    free: tuple[str, ...] = ()
    outputs: tuple[Source, ...] | Callable[[Mapping[str, Any]], tuple[Source, ...]] | None = None


def _topk(params: Mapping[str, Any]) -> tuple[Source, ...]:
    return {"both": (DATA, PARAM), "indices": (PARAM,)}.get(params["ret_typ"], (DATA,))


_LOOKUP = DtypeRule(free=("indices",))
_RULES = {
    "CTCLoss": DtypeRule(free=("label", "data_lengths", "label_lengths")),
    "Embedding": DtypeRule(free=("data",)),
    "_contrib_SparseEmbedding": DtypeRule(free=("data",)),
    "_contrib_boolean_mask": DtypeRule(free=("index",)),
    "_contrib_index_array": DtypeRule(outputs=(torch.int64,)),
    "_contrib_index_copy": DtypeRule(free=("index_vector",)),
    "argsort": DtypeRule(outputs=(PARAM,)),
    "batch_take": _LOOKUP,
    "broadcast_like": DtypeRule(free=("rhs",)),
    "gather_nd": _LOOKUP,
    "one_hot": DtypeRule(outputs=(PARAM,)),
    "pick": DtypeRule(free=("index",)),
    "reshape_like": DtypeRule(free=("rhs",)),
    "scatter_nd": _LOOKUP,
    "shape_array": DtypeRule(outputs=(torch.int64,)),
    "size_array": DtypeRule(outputs=(torch.int64,)),
    "slice_like": DtypeRule(free=("shape_like",)),
    "softmax": DtypeRule(free=("length",)),
    "take": _LOOKUP,
    "topk": DtypeRule(outputs=_topk),
    "where": DtypeRule(free=("condition",)),
}
_ORDINARY = DtypeRule()
# Weights that stay in single precision when the data are in half.
_KEEPS_SINGLE = {"BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU"}


def free_inputs(operator: Operator) -> tuple[str, ...]:
    """Names of the inputs whose dtype has nothing to do with the data's."""
    return _RULES.get(operator.name, _ORDINARY).free


def input_dtype(operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, is_first: bool) -> Any:
    """The dtype of an input that shares the data's; the data are the first such input.

    Where the data's dtype is not known, the parameter of an embedding tells it.
    """
    if operator.name in _KEEPS_SINGLE and not is_first and data in (torch.float16, torch.bfloat16):
        return torch.float32
    if data is None and free_inputs(operator) == ("data",):
        return _param(operator, operator.full_params(params))
    return data


def output_dtypes(
    operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, count: int
) -> list[torch.dtype | None]:
    """The dtypes of so many outputs; None for those that do not follow."""
    rule = _RULES.get(operator.name, _ORDINARY)
    full = operator.full_params(params)
    sources = rule.outputs(full) if callable(rule.outputs) else rule.outputs
    if sources is None:
        written = _param(operator, params if operator.inputs else full)
        return [written or data] * count
    known = [_param(operator, full) if source == PARAM else data if source == DATA else source for source in sources]
    return [known[min(index, len(known) - 1)] for index in range(count)]  # type: ignore[misc]


def says_dtype(operator: Operator, params: Mapping[str, Any]) -> bool:
    """Whether a parameter, not the data, says what the results are."""
    return _param(operator, params) is not None


def _param(operator: Operator, params: Mapping[str, Any]) -> torch.dtype | None:
    found = params.get("dtype") if "dtype" in operator.params else None
    return found if isinstance(found, torch.dtype) else None
