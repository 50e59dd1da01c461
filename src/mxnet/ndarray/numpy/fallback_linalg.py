"""The linear algebra of `mx.np` that the official NumPy carries out: see official.py."""

import numpy as onp

from .official import official

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]

cond = official("linalg.cond", onp.linalg.cond)
lstsq = official("linalg.lstsq", onp.linalg.lstsq)
matrix_power = official("linalg.matrix_power", onp.linalg.matrix_power)
matrix_rank = official("linalg.matrix_rank", onp.linalg.matrix_rank)
multi_dot = official("linalg.multi_dot", onp.linalg.multi_dot)
qr = official("linalg.qr", onp.linalg.qr)
