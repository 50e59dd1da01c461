"""MXNet's public path of the array class of `mx.np` and of most of its functions."""

from regluon.array.numpy.arithmetic import *  # noqa: F403
from regluon.array.numpy.array import ndarray as ndarray  # noqa: PLC0414
from regluon.array.numpy.axes import *  # noqa: F403
from regluon.array.numpy.concatenation import *  # noqa: F403
from regluon.array.numpy.creation import *  # noqa: F403
from regluon.array.numpy.elementwise import *  # noqa: F403
from regluon.array.numpy.fallback import *  # noqa: F403
from regluon.array.numpy.products import *  # noqa: F403
from regluon.array.numpy.reduction import *  # noqa: F403
from regluon.array.numpy.search import *  # noqa: F403
from regluon.array.numpy.statistics import *  # noqa: F403
