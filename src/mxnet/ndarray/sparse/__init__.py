"""Sparse arrays: `mx.nd.sparse`."""

from regluon.array.sparse import *  # noqa: F403
from regluon.array.sparse import __all__ as __all__
