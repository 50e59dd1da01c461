"""Iterators over data in memory and in files: `mx.io`."""

from . import io, utils
from .io import *  # noqa: F403
from .utils import _getdata_by_idx, _has_instance, _init_data
