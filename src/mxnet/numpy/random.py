"""Random numbers: `np.random`."""

from ..ndarray.numpy.random import *  # noqa: F403
