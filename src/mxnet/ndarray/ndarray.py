"""MXNet's public path of the NDArray class and of the functions that make and combine arrays."""

from regluon.array.ndarray import *  # noqa: F403
from regluon.array.ndarray import __all__ as __all__
