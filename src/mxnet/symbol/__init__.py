"""Symbols and the operators on them: `mx.sym`."""

from regluon.symbol import hypot as hypot
from regluon.symbol import maximum as maximum
from regluon.symbol import minimum as minimum
from regluon.symbol import pow as pow
from regluon.symbol import power as power
from regluon.symbol import split_v2 as split_v2
from regluon.symbol.creation import *  # noqa: F403
from regluon.symbol.op import *  # noqa: F403

from . import _internal, contrib, image, linalg, numpy, numpy_extension, op, random, register, sparse, symbol
from . import numpy as np
from . import numpy_extension as npx
from .symbol import Group as Group
from .symbol import Symbol as Symbol
from .symbol import Variable as Variable
from .symbol import fromjson as fromjson
from .symbol import load as load
from .symbol import load_json as load_json
from .symbol import var as var
