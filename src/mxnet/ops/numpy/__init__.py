"""Operators of `mx.np` and `mx.npx`."""

from . import arithmetic, choice, creation, joining, linalg, reduction, scalar, series, shape, unary
