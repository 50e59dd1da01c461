"""Dtypes of an operator's inputs and outputs, as far as they follow without shapes.

By default all of them have one dtype, the data's, and a parameter `dtype` that is given is that of the results.
Operators that differ declare a `DtypeRule`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

import torch

DATA, PARAM = "the data's", "the parameter's"  # where the dtype of an output comes from
Source = str | torch.dtype | Callable[[torch.dtype], torch.dtype]


class DtypeRule(NamedTuple):
    """How an operator differs from the others.

    Attributes:
        free: names of inputs whose dtype has nothing to do with the data's, such as indices.
        outputs: for each output where its dtype comes from, the last one holding for all that follow: a function
            receives the data's. None for the parameter `dtype` if it is given, else the data's. May depend on the
            parameters.
        mixed: the dtype that stands for the data's where the inputs may differ, from those of the inputs.
        takes: the dtypes of inputs that accept no other; shapes are inferred with these where the dtype is unknown.
        fixed: the same of free inputs whose variables get these dtypes.
        keeps_single: inputs other than the data stay in single precision when the data are in half.
    """

    free: tuple[str, ...] = ()
    outputs: tuple[Source, ...] | Callable[[Mapping[str, Any]], tuple[Source, ...]] | None = None
    mixed: Callable[[Iterable[torch.dtype]], torch.dtype] | None = None
    takes: Mapping[str, torch.dtype] | None = None
    fixed: Mapping[str, torch.dtype] | None = None
    keeps_single: bool = False


def widest(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """The dtype that holds the values of all."""
    return reduce(torch.promote_types, dtypes)


def fractions(data: torch.dtype) -> torch.dtype:
    """Numbers without fractions become float32."""
    return data if data.is_floating_point else torch.float32


def counted(data: torch.dtype) -> torch.dtype:
    """Bools become int64."""
    return torch.int64 if data is torch.bool else data


def unless_given(source: Source) -> Callable[[Mapping[str, Any]], tuple[Source, ...]]:
    """The parameter `dtype` decides if it is given."""
    return lambda params: (PARAM if params["dtype"] is not None else source,)


def _with_scalar(params: Mapping[str, Any]) -> tuple[Source, ...]:
    """An array and a number: a real one makes float64 of integers, an integer int64 of bools."""
    if params["is_int"]:
        return (counted,)
    return (lambda data: data if data.is_floating_point else torch.float64,)


USUAL = DtypeRule()
SCALAR = DtypeRule(outputs=_with_scalar)
INDICES = DtypeRule(outputs=(torch.int64,))
BOOLS = DtypeRule(outputs=(torch.bool,))
MIXED = DtypeRule(mixed=widest)
INTEGERS = DtypeRule(takes=dict.fromkeys(("lhs", "rhs", "data", "x"), torch.int32), outputs=(DATA,))
CHOICE = DtypeRule(free=("condition",))  # elements chosen by a condition
