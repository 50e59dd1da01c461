"""Linear algebra on arrays: `mx.nd.linalg`."""

from regluon.array.linalg import *  # noqa: F403
from regluon.array.linalg import __all__ as __all__
