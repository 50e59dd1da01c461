"""Functions on arrays that MXNet calls contributed: `mx.nd.contrib`."""

from regluon.array.contrib import *  # noqa: F403
from regluon.array.contrib import __all__ as __all__
from regluon.array.contrib_op import *  # noqa: F403
