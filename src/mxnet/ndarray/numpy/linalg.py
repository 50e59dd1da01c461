"""Linear algebra: `np.linalg`."""

from regluon.array.numpy.linalg import *  # noqa: F403
from regluon.array.numpy.linalg import __all__ as __all__
