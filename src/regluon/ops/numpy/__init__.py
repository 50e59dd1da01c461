"""Operators of `mx.np` and `mx.npx`."""

from . import arithmetic, creation, joining, linalg, reduction, scalar, series, shape, statistics, unary
