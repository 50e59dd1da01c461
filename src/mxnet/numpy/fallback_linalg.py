"""MXNet's public path of the linear algebra that the official NumPy carries out."""

from regluon.array.numpy.fallback_linalg import *  # noqa: F403
from regluon.array.numpy.fallback_linalg import __all__ as __all__  # noqa: PLC0414 # a re-export, to type checkers too
