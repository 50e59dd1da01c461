"""NumPy's functions on arrays: what `F.np` is where F is `mx.nd`."""

from . import _internal, _op, linalg, random
from .arithmetic import *  # noqa: F403
from .array import ndarray as ndarray
from .axes import *  # noqa: F403
from .concatenation import *  # noqa: F403
from .creation import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .products import *  # noqa: F403
from .reduction import *  # noqa: F403
from .search import *  # noqa: F403
from .statistics import *  # noqa: F403
