"""Symbols and the operators on them: `mx.sym`."""

from . import _internal, contrib, image, linalg, numpy, numpy_extension, op, random, sparse
from . import numpy as np
from . import numpy_extension as npx
from .creation import *  # noqa: F403
from .expression import hypot, maximum, minimum, pow, power
from .op import *  # noqa: F403
from .shaping import split_v2
from .symbol import Group, Symbol, Variable, fromjson, load, load_json, var
