"""Random arrays: `mx.nd.random`."""

from regluon.array.random import *  # noqa: F403
from regluon.array.random import Named as Named
from regluon.array.random import NDArray as NDArray
from regluon.array.random import Number as Number
from regluon.array.random import Parameter as Parameter
from regluon.array.random import __all__ as __all__
from regluon.array.random import _Null as _Null
from regluon.array.random import current_context as current_context
from regluon.array.random import numeric_types as numeric_types
