"""Seeds, and samplers beyond NumPy: `npx.random`."""

import mxnet.random

from ..context import Context
from ..ndarray.numpy_extension.random import bernoulli, normal_n, uniform_n

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]


def seed(seed: int, ctx: Context | str = "all") -> None:
    """Seeds the random numbers of one context, or of all."""
    mxnet.random.seed(seed_state=seed, ctx=ctx)
