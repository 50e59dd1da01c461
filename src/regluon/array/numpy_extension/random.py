"""Samplers beyond NumPy: `npx.random`."""

from typing import TYPE_CHECKING, Any

from ...context import Context
from ...dtypes import default_dtype
from ..numpy.random import sample

if TYPE_CHECKING:
    from ..numpy.array import ndarray

__all__ = ["bernoulli", "normal_n", "uniform_n"]


def bernoulli(
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: Any = None,
) -> "ndarray":
    """Ones with a probability, zeros otherwise.

    Args:
        prob: the probability of a one, a number or an array; or
        logit: the logarithm of its odds.
        size: the shape of the result; that of the parameter if not given.
        dtype: of the result; float32 by default.
        ctx: where to put it, if the parameter is a number.
        out: an array for the result.
    """
    if (prob is None) == (logit is None):
        raise ValueError(f"[npx.random.bernoulli] received prob={prob}, logit={logit}; expected one of them.")
    given = {"prob": prob} if logit is None else {"logit": logit}
    params = {"prob": None, "logit": None, "size": size, "dtype": default_dtype(dtype), "is_logit": logit is not None}
    return sample("_npi_bernoulli", given, params, ctx, out)


def uniform_n(
    low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Context | None = None
) -> "ndarray":
    """Numbers spread evenly over [low, high): `batch_shape` of them for each element of the parameters."""
    params = {"size": batch_shape, "dtype": default_dtype(dtype)}
    return sample("_npi_uniform_n", {"low": low, "high": high}, params, ctx)


def normal_n(
    loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Context | None = None
) -> "ndarray":
    """Numbers of the normal distribution: `batch_shape` of them for each element of the parameters."""
    params = {"size": batch_shape, "dtype": default_dtype(dtype)}
    return sample("_npi_normal_n", {"loc": loc, "scale": scale}, params, ctx)
