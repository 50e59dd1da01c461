"""Contributed operators on symbols, under the path that older programs use; the same as `mx.sym.contrib`."""

from ..symbol.contrib import *  # noqa: F403
