"""Which dtypes an operator's inputs and outputs have, as far as that follows without shapes.

As a rule all of them are of one dtype, the data's, and a parameter `dtype` that is given says what the results are. The
table lists the operators that differ.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

import torch

from ..ops.registry import Operator

DATA, PARAM = "the data's", "the parameter's"  # where the dtype of an output comes from
Source = str | torch.dtype | Callable[[torch.dtype], torch.dtype]


class DtypeRule(NamedTuple):
    """How an operator differs from the others.

    Attributes:
        free: names of inputs whose dtype has nothing to do with the data's, such as indices.
        outputs: for each output where its dtype comes from, the last one holding for all that follow: a function is
            told the data's. None for the parameter `dtype` if it is given, else the data's. May depend on the
            parameters.
        mixed: the dtype that stands for the data's where the inputs may differ, from those of the inputs.
        takes: dtypes of inputs that no other one will do for; shapes are inferred with these where nothing tells.
        fixed: the same of free inputs whose variables get these dtypes.
    """

    free: tuple[str, ...] = ()
    outputs: tuple[Source, ...] | Callable[[Mapping[str, Any]], tuple[Source, ...]] | None = None
    mixed: Callable[[Iterable[torch.dtype]], torch.dtype] | None = None
    takes: Mapping[str, torch.dtype] | None = None
    fixed: Mapping[str, torch.dtype] | None = None


def _topk(params: Mapping[str, Any]) -> tuple[Source, ...]:
    return {"both": (DATA, PARAM), "indices": (PARAM,)}.get(params["ret_typ"], (DATA,))


def _widest(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    return reduce(torch.promote_types, dtypes)


def _single_or_double(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """What matrices are decomposed in: single precision only if all are."""
    return torch.float32 if set(dtypes) == {torch.float32} else torch.float64


def _as_matrix(data: torch.dtype) -> torch.dtype:
    return _single_or_double((data,))


def _fractions(data: torch.dtype) -> torch.dtype:
    """Numbers without fractions become float32."""
    return data if data.is_floating_point else torch.float32


def _counted(data: torch.dtype) -> torch.dtype:
    return torch.int64 if data is torch.bool else data


def _percentiles(data: torch.dtype) -> torch.dtype:
    return torch.float64 if data is torch.float64 else torch.float32


def _with_scalar(params: Mapping[str, Any]) -> tuple[Source, ...]:
    """An array and a number: a real one makes float64 of integers, a whole one int64 of bools."""
    if params["is_int"]:
        return (_counted,)
    return (lambda data: data if data.is_floating_point else torch.float64,)


def _unless_given(source: Source) -> Callable[[Mapping[str, Any]], tuple[Source, ...]]:
    """The parameter `dtype` decides if it is given."""
    return lambda params: (PARAM if params["dtype"] is not None else source,)


_ORDINARY = DtypeRule()
_SCALAR = DtypeRule(outputs=_with_scalar)
_LOOKUP = DtypeRule(free=("indices",))
_PLACES = DtypeRule(outputs=(torch.int64,))
_TRUTH = DtypeRule(outputs=(torch.bool,))
_MIXED = DtypeRule(mixed=_widest)
_WHOLE = DtypeRule(takes=dict.fromkeys(("lhs", "rhs", "data", "x"), torch.int32), outputs=(DATA,))
_CHOSEN = DtypeRule(free=("condition",))
_MATRIX = DtypeRule(outputs=(_as_matrix,))
_EQUATIONS = DtypeRule(mixed=_single_or_double)
_RANDOM = DtypeRule(free=("input1", "input2"), outputs=(PARAM,))
_RANDOM_SINGLE = DtypeRule(free=("input1", "input2"), outputs=(torch.float32,))
_INSERTED = DtypeRule(free=("values", "obj"), takes={"obj": torch.int64})
_COMPARISONS = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")

_RULES = {
    "CTCLoss": DtypeRule(free=("label", "data_lengths", "label_lengths")),
    "Embedding": DtypeRule(free=("data",)),
    "_contrib_SparseEmbedding": DtypeRule(free=("data",)),
    "_contrib_boolean_mask": DtypeRule(free=("index",)),
    "_contrib_index_array": _PLACES,
    "_contrib_index_copy": DtypeRule(free=("index_vector",)),
    "_histogram": DtypeRule(outputs=(torch.int64, DATA)),
    "argsort": DtypeRule(outputs=(PARAM,)),
    "_contrib_quantized_embedding": DtypeRule(
        free=("weight", "min_weight", "max_weight"),
        fixed={"weight": torch.int8, "min_weight": torch.float32, "max_weight": torch.float32},
        outputs=(torch.int8, torch.float32, torch.float32),
    ),
    "batch_take": DtypeRule(free=("indices",), takes={"indices": torch.int32}),
    "broadcast_like": DtypeRule(free=("rhs",)),
    "gather_nd": _LOOKUP,
    "one_hot": DtypeRule(outputs=(PARAM,)),
    "pick": DtypeRule(free=("index",)),
    "reshape_like": DtypeRule(free=("rhs",)),
    "scatter_nd": _LOOKUP,
    "shape_array": _PLACES,
    "size_array": _PLACES,
    "slice_like": DtypeRule(free=("shape_like",)),
    "softmax": DtypeRule(free=("length",)),
    "take": _LOOKUP,
    "topk": DtypeRule(outputs=_topk),
    "where": _CHOSEN,
    # mx.np
    **{f"_npi_{name}": _MIXED for name in ("add", "subtract", "multiply", "mod", "power")},
    "_npi_true_divide": DtypeRule(mixed=_widest, outputs=(_fractions,)),
    "_npi_true_divide_scalar": DtypeRule(outputs=(_fractions,)),
    "_npi_rtrue_divide_scalar": DtypeRule(outputs=(_fractions,)),
    **{f"_npi_{name}{form}": _TRUTH for name in _COMPARISONS for form in ("", "_scalar")},
    **{f"_npi_{name}": _TRUTH for name in ("logical_not", "isfinite", "isinf", "isnan", "isneginf", "isposinf")},
    **{f"_npi_{name}": _WHOLE for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm", "bitwise_not")},
    **{f"_npi_{name}_scalar": _WHOLE for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm")},
    "_npi_where": _CHOSEN,
    "_npi_where_lscalar": _CHOSEN,
    "_npi_where_rscalar": _CHOSEN,
    "_npi_where_scalar2": DtypeRule(outputs=(torch.float32,)),
    "_np_sum": DtypeRule(outputs=_unless_given(_counted)),
    "_np_prod": DtypeRule(outputs=_unless_given(_counted)),
    "_npi_mean": DtypeRule(outputs=_unless_given(_fractions)),
    "_np_all": _TRUTH,
    "_np_any": _TRUTH,
    "_npi_argmax": _PLACES,
    "_npi_argmin": _PLACES,
    "_npi_percentile": DtypeRule(free=("q",), outputs=(_percentiles,)),
    # Counts have the dtype of the numbers counted, sums that of the weights: the last input decides.
    "_npi_bincount": DtypeRule(mixed=lambda dtypes: list(dtypes)[-1], takes={"data": torch.int32}),
    "_npx_constraint_check": DtypeRule(outputs=(torch.bool,), takes={"input": torch.bool}),
    "_npi_share_memory": DtypeRule(free=("b",), outputs=(torch.bool,)),
    **{f"_npi_{name}": _MATRIX for name in ("eig", "eigvals", "eigh", "eigvalsh")},
    "_npi_solve": _EQUATIONS,
    "_npi_tensorsolve": _EQUATIONS,
    "_npi_insert_scalar": _INSERTED,
    "_npi_insert_slice": _INSERTED,
    "_npi_insert_tensor": _INSERTED,
    "_npi_delete": DtypeRule(free=("obj",)),
    "_npi_unique": DtypeRule(outputs=(DATA, torch.int64)),
    "_npx_nonzero": _PLACES,
    "_npi_boolean_mask_assign_scalar": DtypeRule(free=("mask",)),
    "_npi_boolean_mask_assign_tensor": DtypeRule(free=("mask",)),
    "_npi_diag_indices_from": _PLACES,
    **{f"_npi_{name}": _RANDOM for name in ("normal", "normal_n", "uniform", "uniform_n", "gamma", "bernoulli")},
    **{f"_npi_{name}": _RANDOM_SINGLE for name in ("gumbel", "logistic", "exponential", "rayleigh", "weibull")},
    **{f"_npi_{name}": _RANDOM_SINGLE for name in ("pareto", "powerd")},
    "_npi_choice": DtypeRule(free=("input1", "input2"), outputs=(torch.int64,)),
    "_npi_multinomial": DtypeRule(free=("a",), outputs=(torch.int64,)),
}
# Weights that stay in single precision when the data are in half.
_KEEPS_SINGLE = {"BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU"}


def _rule(operator: Operator) -> DtypeRule:
    found = _RULES.get(operator.name)
    if found is not None:
        return found
    return _SCALAR if "is_int" in operator.params else _ORDINARY


def free_inputs(operator: Operator) -> tuple[str, ...]:
    """Names of the inputs whose dtype has nothing to do with the data's."""
    return _rule(operator).free


def fixed_inputs(operator: Operator) -> Mapping[str, torch.dtype]:
    """The dtypes of free inputs that have one of their own."""
    return _rule(operator).fixed or {}


def input_dtype(operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, is_first: bool) -> Any:
    """The dtype of an input that shares the data's; the data are the first such input.

    Where the data's dtype is not known, the parameter of an embedding tells it.
    """
    if operator.name in _KEEPS_SINGLE and not is_first and data in (torch.float16, torch.bfloat16):
        return torch.float32
    if data is None and free_inputs(operator) == ("data",):
        return _param(operator, operator.full_params(params))
    return data


def may_differ(operator: Operator) -> bool:
    """Whether its inputs may be of several dtypes."""
    return _rule(operator).mixed is not None


def data_dtype(operator: Operator, known: list[torch.dtype]) -> torch.dtype | None:
    """The dtype that stands for the data's, from those inputs that share it and are known."""
    mixed = _rule(operator).mixed
    if mixed is None or not known:
        return known[0] if known else None
    return mixed(known)


def taken_dtype(operator: Operator, name: str) -> torch.dtype:
    """The dtype of an input that nothing tells: single-precision numbers if the operator takes these."""
    return (_rule(operator).takes or {}).get(name, torch.float32)


def output_dtypes(
    operator: Operator, params: Mapping[str, Any], data: torch.dtype | None, count: int
) -> list[torch.dtype | None]:
    """The dtypes of so many outputs; None for those that do not follow."""
    outputs = _rule(operator).outputs
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
    """The dtype of the inputs of an operator that has all alike, from that of its result; None if it does not tell."""
    rule = _rule(operator)
    if _param(operator, params) is not None or not (rule.outputs is None or rule is _SCALAR):
        return None
    return result


def _param(operator: Operator, params: Mapping[str, Any]) -> torch.dtype | None:
    found = params.get("dtype") if "dtype" in operator.params else None
    return found if isinstance(found, torch.dtype) else None
