"""Functions on arrays that MXNet calls contributed: `mx.nd.contrib`."""

import math

import torch

from ..context import Context, context_of, current_context
from ..errors import OpParamError, OpTypeError
from ..ops.registry import find
from ..runtime.invoke import invoke
from .contrib_op import *  # noqa: F403
from .contrib_op import __all__ as _operators
from .control_flow import cond, foreach, while_loop
from .ndarray import NDArray
from .random import uniform
from .update import (
    adamw_update,
    mp_adamw_update,
    multi_adamw_update,
    multi_lamb_update,
    multi_mp_adamw_update,
    multi_mp_lamb_update,
)

__all__ = [
    "adamw_update",
    "cond",
    "current_context",
    "foreach",
    "isfinite",
    "isinf",
    "isnan",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
    "rand_zipfian",
    "uniform",
    "while_loop",
]


def _check_array(who: str, name: str, value: object) -> None:
    if not isinstance(value, NDArray):
        raise OpTypeError(
            f"[nd.contrib.{who}] {name}: received {type(value).__module__}.{type(value).__name__}; expected an "
            "NDArray. Wrap it: nd.array(...)."
        )


def isinf(data: NDArray) -> NDArray:
    """1 where an element is infinite, 0 elsewhere, in the dtype of `data`."""
    _check_array("isinf", "data", data)
    gap = data - data  # 0, or NaN where an element is infinite or NaN
    return (gap != gap) * (data == data)


def isfinite(data: NDArray) -> NDArray:
    """1 where an element is neither infinite nor NaN, 0 elsewhere, in the dtype of `data`."""
    _check_array("isfinite", "data", data)
    gap = data - data  # 0, or NaN where an element is infinite or NaN
    return gap == gap


def isnan(data: NDArray) -> NDArray:
    """1 where an element is NaN, 0 elsewhere, in the dtype of `data`."""
    _check_array("isnan", "data", data)
    return data != data  # only NaN differs from itself


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes drawn with repetition, small numbers far more often: candidates for sampled softmax.

    Class k has the probability log((k + 2) / (k + 1)) / log(range_max + 1): sort the classes by falling frequency.

    Args:
        true_classes: the classes that are right, of any shape.
        num_sampled: how many to draw.
        range_max: the number of classes.
        ctx: where to put the results; the current context by default.

    Returns:
        The drawn classes (int64), then how often among `num_sampled` draws each true class and each drawn class is to
        be expected (float64).
    """
    _check_array("rand_zipfian", "true_classes", true_classes)
    for name, value in (("num_sampled", num_sampled), ("range_max", range_max)):
        if value < 1:
            raise OpParamError(f"[nd.contrib.rand_zipfian] {name}: received {value}; expected at least 1.")
    context = context_of(ctx)
    log_range = math.log(range_max + 1)
    sampler = find("_random_uniform")
    params = sampler.parse({"high": log_range, "shape": (num_sampled,), "dtype": "float64", "ctx": context})
    even = invoke(sampler, [], params, array_type=NDArray)
    sampled = torch.expm1(even._plain()).to(torch.int64) % range_max

    def expected_count(classes: torch.Tensor) -> NDArray:
        return NDArray(torch.log1p(1 / (classes.double() + 1)) * (num_sampled / log_range), context)

    true = true_classes._plain().to(context.device)
    return NDArray(sampled, context), expected_count(true), expected_count(sampled)


__all__.extend(_operators)
