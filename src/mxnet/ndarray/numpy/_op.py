"""The operators that are functions of `mx.np` as they stand: `_np_*`, without the prefix."""

from .operators import functions

globals().update(functions("_np_"))
