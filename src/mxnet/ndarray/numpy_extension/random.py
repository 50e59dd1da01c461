"""Samplers beyond NumPy: `npx.random`."""

from regluon.array.numpy_extension.random import *  # noqa: F403
from regluon.array.numpy_extension.random import __all__ as __all__
