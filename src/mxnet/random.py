"""Random numbers: the seed, and the functions of `mx.nd.random`."""

from regluon.rng import seed_all, seed_one

from .base import integer_types
from .context import Context, context_of
from .error import OpParamError, OpTypeError
from .ndarray.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)

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
    "seed",
    "shuffle",
    "uniform",
]


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Makes all random numbers that follow reproducible: samplers, shuffling, dropout, initializers.

    NumPy, PyTorch and the `random` module of Python keep their own seeds, which this leaves alone.

    Args:
        seed_state: any whole number.
        ctx: a Context whose device to seed alone: two devices seeded so with one number draw the same. By default
            all are seeded, each to draw its own numbers. All CPU contexts are one device.
    """
    if not isinstance(seed_state, integer_types):
        raise OpParamError(f"[random.seed] seed_state: received {seed_state!r}; expected an int.")
    if not isinstance(ctx, (Context, str)):
        raise OpTypeError(f"[random.seed] ctx: received {ctx!r}; expected a Context, or 'all'.")
    if ctx == "all":
        seed_all(int(seed_state))
    else:
        seed_one(int(seed_state), context_of(ctx))
