"""Contributed operators on arrays, under the path that older programs use; the same as `mx.nd.contrib`."""

from ..ndarray.contrib import *  # noqa: F403
