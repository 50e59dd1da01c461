"""Random numbers in graphs: `mx.sym.random`."""

from regluon.symbol.random import *  # noqa: F403
from regluon.symbol.random import Parameter as Parameter
from regluon.symbol.random import Symbol as Symbol
from regluon.symbol.random import __all__ as __all__
from regluon.symbol.random import _Null as _Null
from regluon.symbol.random import numeric_types as numeric_types
