"""Linear algebra on symbols: `mx.sym.np.linalg`."""

from regluon.symbol.numpy.linalg import *  # noqa: F403
from regluon.symbol.numpy.linalg import __all__ as __all__
