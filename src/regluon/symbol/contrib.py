"""Operators that MXNet calls contributed, on symbols: `mx.sym.contrib`."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from ..ops.registry import find
from .attribute_scope import AttrScope
from .contrib_op import *  # noqa: F403
from .contrib_op import __all__ as _operators
from .control_flow import cond, foreach, while_loop
from .creation import full
from .graph_builder import apply_operator
from .random import uniform
from .symbol import Symbol

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "AttrScope",
    "Symbol",
    "adamw_update",
    "cond",
    "foreach",
    "mp_adamw_update",
    "rand_zipfian",
    "while_loop",
]


class _DecayedAdam(TypedDict, total=False):
    beta1: float
    beta2: float
    epsilon: float
    wd: float
    clip_gradient: float
    name: str | None
    out: Any


def adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    rescale_grad: Symbol | float,
    lr: float,
    eta: float,
    **kwargs: "Unpack[_DecayedAdam]",
) -> Symbol:
    """A step of Adam with decoupled weight decay; the parameters are those of the operator `_adamw_update`.

    Args:
        weight: the weight.
        grad: its gradient.
        mean: moving average of the gradient.
        var: moving average of its square.
        rescale_grad: factor of the gradient, a number or a symbol.
        lr: learning rate.
        eta: factor of the whole step.
        kwargs: beta1, beta2, epsilon, wd, clip_gradient, and `name`.
    """
    return _decayed("_adamw_update", (weight, grad, mean, var), rescale_grad, lr, eta, kwargs)


def mp_adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    weight32: Symbol,
    rescale_grad: Symbol | float,
    lr: float,
    eta: float,
    **kwargs: "Unpack[_DecayedAdam]",
) -> Symbol:
    """Like `adamw_update`, for a weight in half precision whose values in single precision are `weight32`."""
    return _decayed("_mp_adamw_update", (weight, grad, mean, var, weight32), rescale_grad, lr, eta, kwargs)


def _decayed(
    op: str, inputs: tuple[Any, ...], rescale_grad: Any, lr: float, eta: float, kwargs: Mapping[str, Any]
) -> Any:
    scale = rescale_grad if isinstance(rescale_grad, Symbol) else full((1,), rescale_grad)
    given = {key: value for key, value in kwargs.items() if key not in ("name", "out")}
    return apply_operator(find(op), op, (*inputs, scale), {"lr": lr, "eta": eta, **given}, kwargs.get("name"))


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> tuple[Symbol, Symbol, Symbol]:
    """Classes drawn with repetition, small numbers far more often: candidates for sampled softmax.

    Class k has the probability log((k + 2) / (k + 1)) / log(range_max + 1): sort the classes by falling frequency.

    Args:
        true_classes: a symbol of the classes that are right, of any shape.
        num_sampled: how many to draw.
        range_max: the number of classes.

    Returns:
        The drawn classes (int64), then how often among `num_sampled` draws each true class and each drawn class is to
        be expected (float64).
    """
    log_range = math.log(range_max + 1)
    even = uniform(0, log_range, shape=(num_sampled,), dtype="float64")
    sampled = (even.exp() - 1).astype("int64") % range_max

    def expected_count(classes: Any) -> Any:
        known = classes.astype("float64")
        return ((known + 2.0) / (known + 1.0)).log() / log_range * num_sampled

    return sampled, expected_count(true_classes), expected_count(sampled)


__all__.extend(_operators)
