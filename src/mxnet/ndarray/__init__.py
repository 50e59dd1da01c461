"""Arrays and the operators on them: `mx.nd`."""

from . import _internal, contrib, linalg, op, random, utils
from .ndarray import *  # noqa: F403
from .op import *  # noqa: F403
from .utils import load, load_frombuffer, save
