"""Random numbers: the seed, and the functions of `mx.nd.random`."""

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
from .rng import generator, seed_all

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
        ctx: a Context to seed alone: two contexts seeded so with one number then draw the same. By default all are
            seeded, each to draw its own numbers.
    """
    if not isinstance(seed_state, integer_types):
        raise OpParamError(f"[random.seed] seed_state: received {seed_state!r}; expected an int.")
    if not isinstance(ctx, (Context, str)):
        raise OpTypeError(f"[random.seed] ctx: received {ctx!r}; expected a Context, or 'all'.")
    if ctx == "all":
        seed_all(int(seed_state))
    else:
        # The lower 63 bits: what torch's generators take, whatever the sign.
        generator(context_of(ctx)).manual_seed(int(seed_state) & 0x7FFF_FFFF_FFFF_FFFF)
