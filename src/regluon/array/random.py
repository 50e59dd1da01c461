"""Random arrays: `mx.nd.random`.

Parameters of a distribution are all numbers, for one distribution, or all arrays, for one distribution per element;
`shape` then says how many numbers to draw from each.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

import numpy as np

from ..base import ShapeLike, _Null, numeric_types
from ..context import Context, current_context  # noqa: F401 - MXNet has current_context here as well
from ..dtypes import DTypeLike
from ..errors import OpParamError, OpTypeError
from ..ops.registry import find
from ..runtime.invoke import invoke
from .ndarray import NDArray
from .register import make_function

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._internal import _random_exponential_like as exponential_like
    from ._internal import _random_gamma_like as gamma_like
    from ._internal import _random_generalized_negative_binomial_like as generalized_negative_binomial_like
    from ._internal import _random_negative_binomial_like as negative_binomial_like
    from ._internal import _random_normal_like as normal_like
    from ._internal import _random_poisson_like as poisson_like
    from ._internal import _random_uniform_like as uniform_like

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

Number: TypeAlias = float | np.generic
Parameter: TypeAlias = NDArray | Number


class Named(TypedDict, total=False):
    """Further keywords: names matter to symbols only."""

    name: str | None


class _Shuffled(Named, total=False):
    out: NDArray | None


class _Normal(Named, total=False):
    loc: Parameter
    scale: Parameter
    dtype: DTypeLike | None
    ctx: Context | None
    out: NDArray | None


def _call(name: str, inputs: list[Any], out: Any, params: dict[str, Any], extra: Mapping[str, Any]) -> Any:
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


def _from_numbers(name: str, params: dict[str, Any], out: Any, extra: Mapping[str, Any]) -> Any:
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
    extra: Mapping[str, Any],
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
    low: Parameter = 0,
    high: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
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
    loc: Parameter = 0,
    scale: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """Normal variates with mean `loc` and standard deviation `scale`. The other arguments are those of `uniform`.

    Example:
        >>> nd.random.normal(loc=0, scale=1, shape=(2, 3)).shape
        (2, 3)
    """
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out, kwargs)


def randn(*shape: int, **kwargs: "Unpack[_Normal]") -> NDArray:
    """Normal variates: `randn(2, 3)`. Takes loc, scale, dtype, ctx and out by name.

    Example:
        >>> nd.random.randn(2, 3).shape
        (2, 3)
    """
    known = {"loc": 0, "scale": 1, "dtype": _Null, "ctx": None, "out": None}
    given: dict[str, Any] = {**known, **kwargs}
    return normal(shape=shape, **given)


def poisson(
    lam: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """Poisson counts with mean `lam`, as floats. The other arguments are those of `uniform`."""
    return _draw("poisson", {"lam": lam}, shape, dtype, ctx, out, kwargs)


def exponential(
    scale: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
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
    alpha: Parameter = 1,
    beta: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """Gamma variates of shape `alpha` and scale `beta`. The other arguments are those of `uniform`."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, ctx, out, kwargs)


def negative_binomial(
    k: Parameter = 1,
    p: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats.

    The other arguments are those of `uniform`.
    """
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, ctx, out, kwargs)


def generalized_negative_binomial(
    mu: Parameter = 1,
    alpha: Parameter = 1,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats. The other arguments are those of `uniform`."""
    return _draw("generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, ctx, out, kwargs)


@overload
def multinomial(
    data: NDArray,
    shape: ShapeLike = _Null,
    get_prob: Literal[False] = False,
    out: NDArray | None = None,
    dtype: DTypeLike = "int32",
    **kwargs: "Unpack[Named]",
) -> NDArray: ...
@overload
def multinomial(
    data: NDArray,
    shape: ShapeLike = _Null,
    *,
    get_prob: Literal[True],
    out: Sequence[NDArray] | None = None,
    dtype: DTypeLike = "int32",
    **kwargs: "Unpack[Named]",
) -> list[NDArray]: ...
@overload
def multinomial(
    data: NDArray,
    shape: ShapeLike = _Null,
    get_prob: bool = False,
    out: NDArray | Sequence[NDArray] | None = None,
    dtype: DTypeLike = "int32",
    **kwargs: "Unpack[Named]",
) -> NDArray | list[NDArray]: ...
def multinomial(
    data: NDArray,
    shape: ShapeLike = _Null,
    get_prob: bool = False,
    out: NDArray | Sequence[NDArray] | None = None,
    dtype: DTypeLike = "int32",
    **kwargs: "Unpack[Named]",
) -> NDArray | list[NDArray]:
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


def shuffle(data: NDArray, **kwargs: "Unpack[_Shuffled]") -> NDArray:
    """The slices along the first axis in random order, each kept whole; `out=data` shuffles in place."""
    extra: dict[str, Any] = {**kwargs}
    return _call("_shuffle", [data], extra.pop("out", None), {}, extra)


def randint(
    low: Number,
    high: Number,
    shape: ShapeLike = _Null,
    dtype: DTypeLike | None = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: "Unpack[Named]",
) -> NDArray:
    """Whole numbers from `low` to `high` - 1, of int32 or int64. The other arguments are those of `uniform`."""
    bounds: tuple[tuple[str, Any], ...] = (("low", low), ("high", high))
    for name, value in bounds:
        if isinstance(value, NDArray):
            raise OpTypeError(
                f"[nd.random.randint] {name}: received an NDArray; expected a whole number. "
                f"Read it: int({name}.asscalar())."
            )
    return _from_numbers(
        "_random_randint", {"low": low, "high": high, "shape": shape, "dtype": dtype, "ctx": ctx}, out, kwargs
    )


_LIKE = [name for name in __all__ if name.endswith("_like")]
globals().update({name: make_function(find(f"_random_{name}"), name, NDArray) for name in _LIKE})
