"""The lists of operators by precision, and what they make of each operator."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from regluon.dtypes import TORCH_OF_NAME, dtype_name
from regluon.ops.precision import is_met
from regluon.ops.registry import Operator, names

from ...base import MXNetError
from ...error import OpTypeError
from .lists.symbol_bf16 import BF16_FP32_FUNCS, BF16_FUNCS, BF16_USE_FP32_PARAMS
from .lists.symbol_bf16 import CONDITIONAL_FP32_FUNCS as BF16_CONDITIONAL
from .lists.symbol_bf16 import FP32_FUNCS as BF16_AS_FP32
from .lists.symbol_bf16 import LOSS_OUTPUT_FUNCTIONS as BF16_LOSSES
from .lists.symbol_bf16 import WIDEST_TYPE_CASTS as BF16_WIDEST
from .lists.symbol_fp16 import CONDITIONAL_FP32_FUNCS as FP16_CONDITIONAL
from .lists.symbol_fp16 import FP16_FP32_FUNCS, FP16_FUNCS
from .lists.symbol_fp16 import FP32_FUNCS as FP16_AS_FP32
from .lists.symbol_fp16 import LOSS_OUTPUT_FUNCTIONS as FP16_LOSSES
from .lists.symbol_fp16 import WIDEST_TYPE_CASTS as FP16_WIDEST

Condition = tuple[str, str, list[str]]


class AmpError(MXNetError, ValueError, AssertionError):
    """Mixed precision was asked for what it cannot do: MXNet raised an AssertionError there."""


class _Lists(NamedTuple):
    low: list[str]
    single: list[str]
    either: list[str]
    conditional: list[Condition]
    widest: list[str]
    losses: list[str]
    single_params: dict[str, list[str]] | None


_LISTS = {
    "float16": _Lists(FP16_FUNCS, FP16_AS_FP32, FP16_FP32_FUNCS, FP16_CONDITIONAL, FP16_WIDEST, FP16_LOSSES, None),
    "bfloat16": _Lists(
        *(BF16_FUNCS, BF16_AS_FP32, BF16_FP32_FUNCS, BF16_CONDITIONAL, BF16_WIDEST, BF16_LOSSES),
        BF16_USE_FP32_PARAMS,
    ),
}


def low_precision(target_dtype: Any, who: str) -> str:
    """The name of a low precision, given in any way."""
    try:
        name = dtype_name(target_dtype)
    except OpTypeError:
        name = ""
    if name not in _LISTS:
        raise AmpError(f"[{who}] target_dtype: received {target_dtype!r}; expected 'float16' or 'bfloat16'.")
    return name


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """The operators that run in low precision."""
    return _LISTS[low_precision(target_dtype, "list_lp16_ops")].low


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that run in float32."""
    return _LISTS[low_precision(target_dtype, "list_fp32_ops")].single


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that run in the precision of their inputs."""
    return _LISTS[low_precision(target_dtype, "list_lp16_fp32_ops")].either


def list_conditional_fp32_ops(target_dtype: Any) -> list[Condition]:
    """The operators that run in float32 where a parameter has one of some values: (operator, parameter, values)."""
    return _LISTS[low_precision(target_dtype, "list_conditional_fp32_ops")].conditional


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """The operators that run in the widest precision among their inputs."""
    return _LISTS[low_precision(target_dtype, "list_widest_type_cast")].widest


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """The operators that start the backward pass themselves."""
    return _LISTS[low_precision(target_dtype, "list_loss_output_functions")].losses


def list_lp16_use_fp32_params(target_dtype: Any) -> dict[str, list[str]] | None:
    """Inputs that stay float32 where their operator runs in low precision; None if there are no such."""
    return _LISTS[low_precision(target_dtype, "list_lp16_use_fp32_params")].single_params


class Precision(NamedTuple):
    """What is to happen to the inputs of an operator.

    Attributes:
        kind: 'low', 'single', 'conditional' or 'widest'; 'either' to leave them alone.
        conditions: of 'conditional': parameters and those of their values that make it 'single'.
    """

    kind: str
    conditions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def at(self, params: Mapping[str, Any]) -> "Precision":
        """What it comes to under these parameters: an operator whose condition does not hold is left alone."""
        return self if self.kind != "conditional" or is_met(self.conditions, params) else EITHER


EITHER = Precision("either")


def check_names(who: str, argument: str, given: Any) -> list[str]:
    """A user's list of operators."""
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise AmpError(f"[{who}] {argument}: received {given!r}; expected a list of names of operators.")
    known = dict(names())
    unknown = [name for name in given if name not in known and not _is_listed(name)]
    if unknown:
        raise AmpError(f"[{who}] {argument}: there is no operator {', '.join(map(repr, unknown))}.")
    return list(given)


def check_conditions(who: str, given: Any) -> list[Condition]:
    """A user's list of conditions."""
    for each in given if isinstance(given, (list, tuple)) else (given,):
        is_right = isinstance(each, (list, tuple)) and len(each) == 3 and isinstance(each[2], (list, tuple))
        if not is_right or not isinstance(each[0], str) or not isinstance(each[1], str):
            raise AmpError(
                f"[{who}] conditional_fp32_ops: received {each!r}; expected a list of (operator, parameter, list of "
                "values)."
            )
    return [(name, param, [str(value) for value in values]) for name, param, values in given]


def _is_listed(name: str) -> bool:
    return any(name in each for lists in _LISTS.values() for each in (lists.low, lists.single, lists.either))


def precisions(
    target_dtype: str, low: Sequence[str], single: Sequence[str], conditional: Sequence[Condition]
) -> dict[str, Precision]:
    """The precision of every operator by its own name; those that are left alone are left out.

    The lists name operators by their aliases too. Where these disagree, the operator's own name decides; of several
    lists that hold it, the first one here.
    """
    conditions: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for name, param, values in conditional:
        conditions.setdefault(name, []).append((param, tuple(values)))
    listed: dict[str, Precision] = {}

    def enter(these: Iterable[str], precision: Precision) -> None:
        for name in these:
            listed.setdefault(name, precision)

    enter(low, Precision("low"))
    enter(single, Precision("single"))
    for name, found in conditions.items():
        enter([name], Precision("conditional", tuple(found)))
    enter(list_widest_type_cast(target_dtype), Precision("widest"))
    enter(list_lp16_fp32_ops(target_dtype), EITHER)
    resolved: dict[str, Precision] = {}
    for operator in {id(each): each for _, each in names()}.values():
        found_precision = _of_operator(operator, listed)
        if found_precision is not EITHER:
            resolved[operator.name] = found_precision
    return resolved


def _of_operator(operator: Operator, listed: Mapping[str, Precision]) -> Precision:
    return next((listed[name] for name in (operator.name, *operator.aliases) if name in listed), EITHER)


def cast_dtype(target_dtype: str, precision: Precision) -> Any:
    """What inputs are cast to; None for the widest among them."""
    if precision.kind == "widest":
        return None
    return TORCH_OF_NAME[target_dtype if precision.kind == "low" else "float32"]
