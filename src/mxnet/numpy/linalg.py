"""Linear algebra: `np.linalg`."""

from regluon.array.numpy.fallback_linalg import *  # noqa: F403

from ..ndarray.numpy.linalg import *  # noqa: F403
