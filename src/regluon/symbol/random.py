"""Random numbers in graphs: `mx.sym.random`.

Parameters of a distribution are all numbers, for one distribution, or all symbols, for one per element.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..base import ShapeLike, _Null, numeric_types
from ..dtypes import DTypeLike
from ..errors import OpParamError, OpTypeError
from ..ops.registry import find
from .attribute_scope import Drawn, Placed
from .graph_builder import apply_operator
from .random_op import *  # noqa: F403
from .random_op import __all__ as _operators
from .symbol import Symbol

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]

Parameter: TypeAlias = Symbol | float | np.number[Any]


def _call(op: str, inputs: tuple[Any, ...], params: dict[str, Any], extra: Mapping[str, Any]) -> Any:
    kwargs = {**params, **extra}
    named = {key: kwargs.pop(key) for key in ("name", "attr") if key in kwargs}
    kwargs.pop("out", None)
    if kwargs.get("ctx", 0) is None:
        del kwargs["ctx"]
    return apply_operator(find(op), op, inputs, kwargs, **named)


def _draw(distribution: str, arguments: dict[str, Any], shape: Any, dtype: Any, extra: Mapping[str, Any]) -> Any:
    are_symbols = [isinstance(value, Symbol) for value in arguments.values()]
    if all(are_symbols):
        extra = {key: value for key, value in extra.items() if key != "ctx"}
        return _call(f"_sample_{distribution}", tuple(arguments.values()), {"shape": shape, "dtype": dtype}, extra)
    received = ", ".join(f"{name} {type(value).__name__}" for name, value in arguments.items())
    if any(are_symbols):
        raise OpTypeError(f"[sym.random.{distribution}] received {received}; expected all numbers or all Symbols.")
    if not all(isinstance(value, numeric_types) for value in arguments.values()):
        raise OpParamError(f"[sym.random.{distribution}] received {received}; expected numbers or Symbols.")
    # Symbols for an operator without inputs: MXNet ignores them, `randn(data=...)` for one.
    extra = {key: value for key, value in extra.items() if not isinstance(value, Symbol)}
    return _call(f"_random_{distribution}", (), {**arguments, "shape": shape, "dtype": dtype}, extra)


def uniform(
    low: Parameter = 0,
    high: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """Numbers spread evenly over [low, high).

    Args:
        low: where the interval begins; a number or a symbol.
        high: where it ends, not included.
        shape: of the result; if the parameters are symbols, how many numbers to draw from each distribution.
        dtype: float16, float32 or float64.
        kwargs: `name`, `attr`, `ctx`.
    """
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, kwargs)


def normal(
    loc: Parameter = 0,
    scale: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """Normal variates with mean `loc` and standard deviation `scale`. The other arguments are those of `uniform`."""
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, kwargs)


def randn(*shape: int, **kwargs: "Unpack[Drawn]") -> Symbol:
    """Normal variates: `randn(2, 3)`. Takes loc, scale and dtype by name."""
    given: dict[str, Any] = {"loc": 0, "scale": 1, "dtype": _Null, **kwargs}
    return normal(shape=shape, **given)


def poisson(
    lam: Parameter = 1, shape: ShapeLike = _Null, dtype: DTypeLike | None = _Null, **kwargs: "Unpack[Placed]"
) -> Symbol:
    """Poisson counts with mean `lam`, as floats. The other arguments are those of `uniform`."""
    return _draw("poisson", {"lam": lam}, shape, dtype, kwargs)


def exponential(
    scale: Parameter = 1, shape: ShapeLike = _Null, dtype: DTypeLike | None = _Null, **kwargs: "Unpack[Placed]"
) -> Symbol:
    """Exponential variates with mean `scale`. The other arguments are those of `uniform`."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, kwargs)


def gamma(
    alpha: Parameter = 1,
    beta: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """Gamma variates of shape `alpha` and scale `beta`. The other arguments are those of `uniform`."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, kwargs)


def negative_binomial(
    k: Parameter = 1,
    p: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, kwargs)


def generalized_negative_binomial(
    mu: Parameter = 1,
    alpha: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats."""
    return _draw("generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, kwargs)


def multinomial(
    data: Symbol,
    shape: ShapeLike = _Null,
    get_prob: bool = True,
    dtype: DTypeLike = "int32",
    **kwargs: "Unpack[Placed]",
) -> Symbol:
    """Classes drawn with the probabilities in the last axis of `data`.

    Args:
        data: probabilities; leading axes hold several distributions.
        shape: how many classes to draw from each.
        get_prob: also return the logarithm of each drawn class's probability, which has a gradient.
        dtype: type of the class numbers.
        kwargs: `name`, `attr`.
    """
    return _call("_sample_multinomial", (data,), {"shape": shape, "get_prob": get_prob, "dtype": dtype}, kwargs)


def shuffle(data: Symbol, **kwargs: "Unpack[Placed]") -> Symbol:
    """The slices along the first axis in random order, each kept whole."""
    return _call("_shuffle", (data,), {}, kwargs)


def randint(
    low: int, high: int, shape: ShapeLike = _Null, dtype: DTypeLike | None = _Null, **kwargs: "Unpack[Placed]"
) -> Symbol:
    """Whole numbers from `low` to `high` - 1, of int32 or int64. The other arguments are those of `uniform`."""
    return _call("_random_randint", (), {"low": low, "high": high, "shape": shape, "dtype": dtype}, kwargs)


__all__.extend(_operators)
