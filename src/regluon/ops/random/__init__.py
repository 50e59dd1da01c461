"""Operators that draw random numbers, from the generator of the array's context, and densities."""

from . import choice, distributions, numpy, operators
