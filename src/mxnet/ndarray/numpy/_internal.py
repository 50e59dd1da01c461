"""The operators behind `mx.np` that have no public name of their own: `_npi_*`, without the prefix."""

from .operators import functions

globals().update(functions("_npi_"))
