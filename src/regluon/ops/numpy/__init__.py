"""Operators of `mx.np` and `mx.npx`."""

from . import arithmetic, concatenation, creation, elementwise, linalg, reduction, series, shape, statistics
