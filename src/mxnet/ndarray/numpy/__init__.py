"""NumPy's functions on arrays: what `F.np` is where F is `mx.nd`."""

from . import _internal, _op
from .array import ndarray
