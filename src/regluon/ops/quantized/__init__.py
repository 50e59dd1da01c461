"""Integers of eight bits in place of real numbers."""

from . import calibration, elementwise, layers
