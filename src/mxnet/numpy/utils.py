"""Dtypes and constants, under the names that NumPy had in MXNet's time."""

from builtins import bool

from numpy import bool_, e, finfo, float16, float32, float64, inf, int8, int32, int64, nan, pi, uint8

__all__ = [
    "float16",
    "float32",
    "float64",
    "uint8",
    "int32",
    "int8",
    "int64",
    "bool",
    "bool_",
    "finfo",
    "pi",
    "e",
    "inf",
    "nan",
    "PINF",
    "NINF",
    "PZERO",
    "NZERO",
    "NAN",
    "NaN",
    "newaxis",
]

PINF = inf
NINF = -inf
PZERO = 0.0
NZERO = -0.0
NAN = NaN = nan
newaxis = None
