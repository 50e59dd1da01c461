"""Symbols and the operators on them: `mx.sym`."""

from . import _internal, contrib, image, linalg, numpy, numpy_extension, op, random, sparse
from . import numpy as np
from . import numpy_extension as npx
from .creation import *  # noqa: F403
from .functions import hypot as hypot
from .functions import maximum as maximum
from .functions import minimum as minimum
from .functions import pow as pow
from .functions import power as power
from .op import *  # noqa: F403
from .structure import split_v2 as split_v2
from .symbol import Group as Group
from .symbol import Symbol as Symbol
from .symbol import Variable as Variable
from .symbol import fromjson as fromjson
from .symbol import load as load
from .symbol import load_json as load_json
from .symbol import var as var
