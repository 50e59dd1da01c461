"""Random numbers: `np.random`.

The parameters of a distribution are numbers or arrays, which broadcast; `size` is the shape of the result, and that of
the parameters if it is not given.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as onp

from ...base import ShapeLike
from ...context import Context
from ...dtypes import DTypeLike, default_dtype
from .arithmetic import divide
from .dispatch import call, is_array, make
from .elementwise import exp

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "beta",
    "chisquare",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "pareto",
    "power",
    "rand",
    "randint",
    "randn",
    "rayleigh",
    "shuffle",
    "uniform",
    "weibull",
]


Parameter: TypeAlias = "ndarray | float | onp.number[Any]"


class _Drawn(TypedDict, total=False):
    dtype: DTypeLike | None
    ctx: Context | None
    out: "ndarray | None"


def sample(
    operator: str,
    given: dict[str, Any],
    params: dict[str, Any],
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Draws numbers.

    Args:
        operator: which one.
        given: the distribution's parameters by name: arrays become inputs, in this order.
        params: its other parameters.
        ctx: where to put the numbers, where no parameter is an array.
        out: an array for them.
    """
    params = {**params, **{name: None if is_array(value) else value for name, value in given.items()}}
    params["size"] = None if params["size"] == () else params["size"]
    if out is not None and params["size"] is None:
        params["size"] = out.shape
    inputs = [value for value in given.values() if is_array(value)]
    return call(operator, inputs, params, out) if inputs else make(operator, params, ctx, out)


def uniform(
    low: Parameter = 0.0,
    high: Parameter = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers spread evenly over [low, high)."""
    return sample("_npi_uniform", {"low": low, "high": high}, {"size": size, "dtype": default_dtype(dtype)}, ctx, out)


def normal(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers of the normal distribution with mean `loc` and standard deviation `scale`."""
    return sample("_npi_normal", {"loc": loc, "scale": scale}, {"size": size, "dtype": default_dtype(dtype)}, ctx, out)


def lognormal(
    mean: Parameter = 0.0,
    sigma: Parameter = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers whose logarithm is of the normal distribution."""
    return exp(normal(mean, sigma, size, dtype, ctx), out=out)


def logistic(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: ShapeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers of the logistic distribution."""
    return sample("_npi_logistic", {"loc": loc, "scale": scale}, {"size": size}, ctx, out)


def gumbel(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: ShapeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers of the Gumbel distribution."""
    return sample("_npi_gumbel", {"loc": loc, "scale": scale}, {"size": size}, ctx, out)


def rayleigh(
    scale: Parameter = 1.0, size: ShapeLike | None = None, ctx: Context | None = None, out: "ndarray | None" = None
) -> "ndarray":
    """Numbers of the Rayleigh distribution."""
    return sample("_npi_rayleigh", {"scale": scale}, {"size": size}, ctx, out)


def exponential(
    scale: Parameter = 1.0, size: ShapeLike | None = None, ctx: Context | None = None, out: "ndarray | None" = None
) -> "ndarray":
    """Numbers of the exponential distribution with mean `scale`."""
    return sample("_npi_exponential", {"scale": scale}, {"size": size}, ctx, out)


def weibull(
    a: Parameter, size: ShapeLike | None = None, ctx: Context | None = None, out: "ndarray | None" = None
) -> "ndarray":
    """Numbers of the Weibull distribution of scale 1 and shape `a`."""
    return sample("_npi_weibull", {"a": a}, {"size": size}, ctx, out)


def pareto(
    a: Parameter, size: ShapeLike | None = None, ctx: Context | None = None, out: "ndarray | None" = None
) -> "ndarray":
    """Numbers of the Pareto distribution, moved to begin at 0, of shape `a`."""
    return sample("_npi_pareto", {"a": a}, {"size": size}, ctx, out)


def power(a: Parameter, size: ShapeLike | None = None) -> "ndarray":
    """Numbers in [0, 1] with a density of a * x ** (a - 1)."""
    return sample("_npi_powerd", {"a": a}, {"size": size})


def gamma(
    shape: Parameter,
    scale: Parameter = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Numbers of the gamma distribution."""
    params = {"size": size, "dtype": default_dtype(dtype)}
    return sample("_npi_gamma", {"shape": shape, "scale": scale}, params, ctx, out)


def beta(
    a: Parameter,
    b: Parameter,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> "ndarray":
    """Numbers of the beta distribution."""
    first = gamma(a, 1, size, "float64", ctx)
    second = gamma(b, 1, size, "float64", ctx)
    return divide(first, first + second).astype(default_dtype(dtype))


def chisquare(
    df: Parameter, size: ShapeLike | None = None, dtype: DTypeLike | None = None, ctx: Context | None = None
) -> "ndarray":
    """Numbers of the chi-square distribution with `df` degrees of freedom."""
    # As in MXNet, whose scale is 1/2 where the distribution's definition has 2.
    return gamma(df / 2, 1 / 2, size, dtype, ctx)


def randint(
    low: int,
    high: int | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Integers from [low, high), or from [0, low) if `high` is not given."""
    if high is None:
        low, high = 0, low
    params = {
        "low": low,
        "high": high,
        "shape": () if size is None else size,
        "dtype": "int" if dtype is None else dtype,
    }
    return make("_npi_random_randint", params, ctx, out)


def choice(
    a: Parameter,
    size: ShapeLike | None = None,
    replace: bool = True,
    p: "ndarray | None" = None,
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Draws from the elements of an array, or from the numbers below `a`.

    Args:
        a: a vector or a number.
        size: the shape of the result.
        replace: whether an element can be drawn several times.
        p: an array of the elements' probabilities; all the same if not given.
        ctx: where to put the result, if neither `a` nor `p` is an array.
        out: an array for the result, if `a` is a number.
    """
    params: dict[str, Any] = {"size": None if size == () else size, "replace": replace, "weighted": p is not None}
    weights = () if p is None else (p,)
    if is_array(a):
        return call("_npi_take", (a, call("_npi_choice", (a, *weights), {**params, "a": None})), {"axis": 0})
    params["a"] = a
    return call("_npi_choice", weights, params, out) if weights else make("_npi_choice", params, ctx, out)


def multinomial(n: int, pvals: Any, size: ShapeLike | None = None) -> "ndarray":
    """How often each of several outcomes came in `n` trials."""
    if is_array(pvals):
        return call("_npi_multinomial", (pvals,), {"n": n, "size": size})
    if isinstance(pvals, onp.ndarray):
        raise ValueError("[np.random.multinomial] pvals: received a NumPy array; expected a list or an mx.np array.")
    if any(isinstance(each, (list, tuple)) for each in pvals):
        raise ValueError("[np.random.multinomial] pvals: received nested lists; expected one list of probabilities.")
    return make("_npi_multinomial", {"n": n, "pvals": tuple(pvals), "size": size})


def multivariate_normal(
    mean: "ndarray", cov: "ndarray", size: int | Sequence[int] | None = None, check_valid: Any = None, tol: Any = None
) -> "ndarray":
    """Vectors of the normal distribution with a mean vector and a covariance matrix, both arrays."""
    if check_valid is not None or tol is not None:
        raise NotImplementedError("[np.random.multivariate_normal] check_valid and tol are not available.")
    extra = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    length = mean.shape[-1]
    batch = onp.broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    dtype = onp.promote_types(onp.promote_types(mean.dtype, cov.dtype), "float32")
    noise = normal(size=(*extra, *batch, length, 1), dtype=dtype.name, ctx=mean.ctx)
    lower = call("_npi_cholesky", (cov.astype(dtype, copy=False),))  # there is none in half precision
    drawn = call("_npi_matmul", (lower, noise)).astype(mean.dtype, copy=False)
    return mean + call("_np_reshape", (drawn,), {"newshape": (*extra, *batch, length)})


def rand(*size: int, **kwargs: "Unpack[_Drawn]") -> "ndarray":
    """Numbers spread evenly over [0, 1), in a shape given length by length."""
    return uniform(0, 1, size=size, **kwargs)


def randn(*size: int, **kwargs: "Unpack[_Drawn]") -> "ndarray":
    """Numbers of the standard normal distribution, in a shape given length by length."""
    return normal(0, 1, size=size, **kwargs)


def shuffle(x: "ndarray") -> None:
    """Puts the elements, or the slices along the first axis, of an array into random order, in its memory."""
    call("_npi_shuffle", (x,), out=x)
