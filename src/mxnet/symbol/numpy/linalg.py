"""Linear algebra on symbols: `mx.sym.np.linalg`."""

import mxnet.ndarray.numpy.linalg as _linalg

from .functions import functions_of

_functions = functions_of(_linalg)
__all__ = list(_functions)
globals().update(_functions)
