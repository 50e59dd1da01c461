"""Random numbers: `np.random`."""

from regluon.array.numpy.random import *  # noqa: F403
from regluon.array.numpy.random import Parameter as Parameter
from regluon.array.numpy.random import __all__ as __all__
from regluon.array.numpy.random import sample as sample
