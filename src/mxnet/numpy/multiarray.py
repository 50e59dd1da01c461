"""MXNet's public path of the array class of `mx.np` and of most of its functions."""

from ..ndarray.numpy.arithmetic import *  # noqa: F403
from ..ndarray.numpy.array import ndarray as ndarray  # noqa: PLC0414
from ..ndarray.numpy.axes import *  # noqa: F403
from ..ndarray.numpy.creation import *  # noqa: F403
from ..ndarray.numpy.elementwise import *  # noqa: F403
from ..ndarray.numpy.fallback import *  # noqa: F403
from ..ndarray.numpy.joining import *  # noqa: F403
from ..ndarray.numpy.products import *  # noqa: F403
from ..ndarray.numpy.reduction import *  # noqa: F403
from ..ndarray.numpy.searching import *  # noqa: F403
from ..ndarray.numpy.statistics import *  # noqa: F403
