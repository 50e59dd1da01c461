"""Random arrays: `mx.nd.random`.

Parameters of a distribution are all numbers, for one distribution, or all arrays, for one distribution per element;
`shape` then says how many numbers to draw from each.
"""

from typing import Any

import numpy as np

from ..base import _Null, numeric_types
from ..context import Context, current_context  # noqa: F401 - MXNet has current_context here as well
from ..error import OpParamError, OpTypeError
from ..ops.registry import find
from .invoke import invoke
from .ndarray import NDArray
from .register import make_function

__all__ = [
    "exponential",
    "exponential_like",
    "gamma",
    "gamma_like",
    "generalized_negative_binomial",
    "generalized_negative_binomial_like",
    "multinomial",
    "negative_binomial",
    "negative_binomial_like",
    "normal",
    "normal_like",
    "poisson",
    "poisson_like",
    "randint",
    "randn",
    "shuffle",
    "uniform",
    "uniform_like",
]


def _call(name: str, inputs: list[Any], out: Any, params: dict[str, Any], extra: dict[str, Any]) -> Any:
    operator = find(name)
    given = {**params, **extra}
    given.pop("name", None)  # names matter to symbols only
    if "dtype" in given and given["dtype"] is None:
        given["dtype"] = np.float64  # what NumPy takes None for, and MXNet with it
    return invoke(operator, inputs, operator.parse(given), out, NDArray)


def _from_out(out: Any, params: dict[str, Any], names: tuple[str, ...]) -> None:
    """Takes what was not said from the array that the numbers are to be written to."""
    if isinstance(out, NDArray):
        params.update({name: getattr(out, name) for name in names if params[name] is _Null})


def _from_numbers(name: str, params: dict[str, Any], out: Any, extra: dict[str, Any]) -> Any:
    _from_out(out, params, ("shape", "dtype"))
    if params["shape"] is _Null:
        params["shape"] = (1,)
    return _call(name, [], out, params, extra)


def _draw(
    distribution: str,
    arguments: dict[str, Any],
    shape: Any,
    dtype: Any,
    ctx: Context | None,
    out: NDArray | None,
    extra: dict[str, Any],
) -> NDArray:
    """Draws from one distribution or from many, as the arguments are numbers or arrays."""
    are_arrays = [isinstance(value, NDArray) for value in arguments.values()]
    if all(are_arrays):
        params = {"shape": shape, "dtype": dtype}
        _from_out(out, params, ("dtype",))
        return _call(f"_sample_{distribution}", list(arguments.values()), out, params, extra)
    received = ", ".join(f"{name} {type(value).__name__}" for name, value in arguments.items())
    if any(are_arrays):
        raise OpTypeError(
            f"[nd.random.{distribution}] received {received}; expected all numbers or all NDArrays. "
            "Make an array of a number: nd.full(shape, number)."
        )
    if not all(isinstance(value, numeric_types) for value in arguments.values()):
        raise OpParamError(f"[nd.random.{distribution}] received {received}; expected numbers or NDArrays.")
    return _from_numbers(
        f"_random_{distribution}", {**arguments, "shape": shape, "dtype": dtype, "ctx": ctx}, out, extra
    )


def uniform(
    low: Any = 0,
    high: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers spread evenly over [low, high).

    Args:
        low: where the interval begins; a number or an array.
        high: where it ends, not included.
        shape: of the result if the parameters are numbers, (1,) by default; otherwise how many numbers to draw from
            each distribution, the result having the shape of the parameters followed by this.
        dtype: float16, float32 or float64; by default that of `out`, or float32.
        ctx: where to put the result; the current context by default. Arrays as parameters decide it themselves.
        out: an array to write the numbers to; it also gives shape and dtype where they are not said.
        **kwargs: `name` is taken and ignored.

    Example:
        >>> x = nd.random.uniform(-1, 1, shape=(2, 3))
        >>> x.shape, bool((abs(x.asnumpy()) <= 1).all())
        ((2, 3), True)
    """
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, ctx, out, kwargs)


def normal(
    loc: Any = 0,
    scale: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates with mean `loc` and standard deviation `scale`. The other arguments are those of `uniform`.

    Example:
        >>> nd.random.normal(loc=0, scale=1, shape=(2, 3)).shape
        (2, 3)
    """
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out, kwargs)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Normal variates: `randn(2, 3)`. Takes loc, scale, dtype, ctx and out by name.

    Example:
        >>> nd.random.randn(2, 3).shape
        (2, 3)
    """
    known = {"loc": 0, "scale": 1, "dtype": _Null, "ctx": None, "out": None}
    given = {name: kwargs.pop(name, default) for name, default in known.items()}
    return normal(shape=shape, **given, **kwargs)


def poisson(
    lam: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson counts with mean `lam`, as floats. The other arguments are those of `uniform`."""
    return _draw("poisson", {"lam": lam}, shape, dtype, ctx, out, kwargs)


def exponential(
    scale: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential variates with mean `scale`. The other arguments are those of `uniform`."""
    if isinstance(scale, NDArray):
        rate: Any = 1.0 / scale
    elif isinstance(scale, numeric_types) and float(scale) > 0:
        rate = 1.0 / float(scale)
    else:
        raise OpParamError(
            f"[nd.random.exponential] scale: received {scale!r}; expected a number above 0, or an NDArray."
        )
    return _draw("exponential", {"lam": rate}, shape, dtype, ctx, out, kwargs)


def gamma(
    alpha: Any = 1,
    beta: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma variates of shape `alpha` and scale `beta`. The other arguments are those of `uniform`."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, ctx, out, kwargs)


def negative_binomial(
    k: Any = 1,
    p: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats.

    The other arguments are those of `uniform`.
    """
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, ctx, out, kwargs)


def generalized_negative_binomial(
    mu: Any = 1,
    alpha: Any = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats. The other arguments are those of `uniform`."""
    return _draw("generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, ctx, out, kwargs)


def multinomial(
    data: NDArray,
    shape: Any = _Null,
    get_prob: bool = False,
    out: Any = None,
    dtype: Any = "int32",
    **kwargs: Any,
) -> Any:
    """Classes drawn with the probabilities in the last axis of `data`.

    Args:
        data: probabilities; leading axes hold several distributions.
        shape: how many classes to draw from each.
        get_prob: also return the logarithm of each drawn class's probability, which has a gradient.
        out: an array, or two with `get_prob`, to write to.
        dtype: type of the class numbers.
        **kwargs: `name` is taken and ignored.
    """
    return _call("_sample_multinomial", [data], out, {"shape": shape, "get_prob": get_prob, "dtype": dtype}, kwargs)


def shuffle(data: NDArray, **kwargs: Any) -> NDArray:
    """The slices along the first axis in random order, each kept whole; `out=data` shuffles in place."""
    return _call("_shuffle", [data], kwargs.pop("out", None), {}, kwargs)


def randint(
    low: Any,
    high: Any,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whole numbers from `low` to `high` - 1, of int32 or int64. The other arguments are those of `uniform`."""
    for name, value in (("low", low), ("high", high)):
        if isinstance(value, NDArray):
            raise OpTypeError(
                f"[nd.random.randint] {name}: received an NDArray; expected a whole number. "
                f"Read it: int({name}.asscalar())."
            )
    return _from_numbers(
        "_random_randint", {"low": low, "high": high, "shape": shape, "dtype": dtype, "ctx": ctx}, out, kwargs
    )


uniform_like = make_function(find("_random_uniform_like"), "uniform_like", NDArray)
normal_like = make_function(find("_random_normal_like"), "normal_like", NDArray)
gamma_like = make_function(find("_random_gamma_like"), "gamma_like", NDArray)
exponential_like = make_function(find("_random_exponential_like"), "exponential_like", NDArray)
poisson_like = make_function(find("_random_poisson_like"), "poisson_like", NDArray)
negative_binomial_like = make_function(find("_random_negative_binomial_like"), "negative_binomial_like", NDArray)
generalized_negative_binomial_like = make_function(
    find("_random_generalized_negative_binomial_like"), "generalized_negative_binomial_like", NDArray
)
