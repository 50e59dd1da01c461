"""Operators that MXNet calls contributed, on symbols: `mx.sym.contrib`."""

import math
from typing import Any

from ..ops.registry import names
from .control_flow import cond, foreach, while_loop
from .random import uniform
from .register import make_function

__all__ = ["cond", "foreach", "rand_zipfian", "while_loop"]


def rand_zipfian(true_classes: Any, num_sampled: int, range_max: int) -> tuple[Any, Any, Any]:
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


# Operators declared as `_contrib_<name>`; the functions written above come first.
for _full_name, _operator in names():
    _name = _full_name.removeprefix("_contrib_")
    if _name != _full_name and _name not in __all__:
        globals()[_name] = make_function(_operator, _name)
        __all__.append(_name)
