"""MXNet's public path of the functions that the official NumPy carries out."""

from regluon.array.numpy.fallback import *  # noqa: F403
from regluon.array.numpy.fallback import __all__ as __all__  # noqa: PLC0414 # a re-export, to type checkers too
