"""The linear algebra of `mx.np` that the official NumPy carries out: see official.py."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as onp

from .official import official

if TYPE_CHECKING:
    from .array import ndarray

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]

cond: Callable[..., "ndarray | onp.number[Any]"] = official("linalg.cond", onp.linalg.cond)
lstsq: Callable[..., tuple["ndarray", "ndarray", int, "ndarray"]] = official("linalg.lstsq", onp.linalg.lstsq)
matrix_power: Callable[..., "ndarray"] = official("linalg.matrix_power", onp.linalg.matrix_power)
matrix_rank: Callable[..., "ndarray | onp.number[Any]"] = official("linalg.matrix_rank", onp.linalg.matrix_rank)
multi_dot: Callable[..., "ndarray"] = official("linalg.multi_dot", onp.linalg.multi_dot)
qr: Callable[..., tuple["ndarray", "ndarray"]] = official("linalg.qr", onp.linalg.qr)
