"""NumPy's functions on arrays: what `F.np` is where F is `mx.nd`."""

from regluon.array.numpy.arithmetic import *  # noqa: F403
from regluon.array.numpy.array import ndarray as ndarray
from regluon.array.numpy.axes import *  # noqa: F403
from regluon.array.numpy.concatenation import *  # noqa: F403
from regluon.array.numpy.creation import *  # noqa: F403
from regluon.array.numpy.elementwise import *  # noqa: F403
from regluon.array.numpy.products import *  # noqa: F403
from regluon.array.numpy.reduction import *  # noqa: F403
from regluon.array.numpy.search import *  # noqa: F403
from regluon.array.numpy.statistics import *  # noqa: F403

from . import _internal, _op, linalg, random
