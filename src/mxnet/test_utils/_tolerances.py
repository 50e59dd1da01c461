"""Where and how exactly to compare: the default context, dtypes, and tolerances by dtype."""

import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ..context import Context, current_context

__all__ = [
    "default_atols",
    "default_context",
    "default_dtype",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
    "set_default_context",
]

DType = np.dtype[Any]
_FLOAT64 = np.dtype(np.float64)
_EXACT = (np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64)


def default_context() -> Context:
    """The context that tests run on: the current one."""
    return current_context()


def set_default_context(ctx: Context) -> None:
    """Makes a context the default one of this thread."""
    Context.default_ctx = ctx


def default_dtype() -> type[Any]:
    """The dtype of arrays for tests: float32."""
    return np.float32


def _by_dtype(half: float, single: float, double: float) -> dict[DType, float]:
    floats: dict[DType, float] = {np.dtype(np.float16): half, np.dtype(np.float32): single, _FLOAT64: double}
    return {**floats, **{np.dtype(kind): 0 for kind in _EXACT}}


def default_rtols() -> dict[DType, float]:
    """Relative tolerances by dtype."""
    return _by_dtype(1e-2, 1e-4, 1e-5)


def default_atols() -> dict[DType, float]:
    """Absolute tolerances by dtype."""
    return _by_dtype(1e-1, 1e-3, 1e-20)


def default_numeric_eps() -> dict[DType, float]:
    """Steps of finite differences by dtype: powers of two, which are added without rounding."""
    return {np.dtype(np.float16): 2.0**-6, np.dtype(np.float32): 2.0**-9, _FLOAT64: 2.0**-14}


def effective_dtype(dat: Any) -> DType:
    """The dtype that tells how exact an array can be: GPUs that shorten float32 in products count as float16."""
    dtype = np.dtype(dat.dtype)
    context = getattr(dat, "ctx", None)
    shortens = (
        dtype == np.float32
        and isinstance(context, Context)
        and context.device.type == "cuda"
        and torch.cuda.get_device_capability(context.device) >= (8, 0)
        and os.environ.get("NVIDIA_TF32_OVERRIDE") != "0"
    )
    return np.dtype(np.float16) if shortens else dtype


def get_tolerance(dat: Any, tol: Any, default_tol: Mapping[DType, float]) -> float:
    """The tolerance for an array.

    Args:
        dat: the array.
        tol: a number, a dict by dtype, or None.
        default_tol: by dtype, for those that `tol` says nothing of.
    """
    if isinstance(tol, numbers.Number):
        given: Any = tol
        return given
    dtype = effective_dtype(dat)
    found: float = tol[dtype] if tol is not None and dtype in tol else default_tol[dtype]
    return found


def get_tols(x: Any, y: Any, rtol: Any, atol: Any) -> tuple[float, float]:
    """The relative and the absolute tolerance for comparing two arrays: the larger ones."""
    both = [each if hasattr(each, "dtype") else np.asarray(each) for each in (x, y)]
    return (
        max(get_tolerance(each, rtol, default_rtols()) for each in both),
        max(get_tolerance(each, atol, default_atols()) for each in both),
    )


def get_atol(atol: float | None = None, dtype: DType = _FLOAT64) -> float:
    """The absolute tolerance: as given, or that of the dtype."""
    return default_atols()[dtype] if atol is None else atol


def get_rtol(rtol: float | None = None, dtype: DType = _FLOAT64) -> float:
    """The relative tolerance: as given, or that of the dtype."""
    return default_rtols()[dtype] if rtol is None else rtol


def get_etol(etol: float | None = None) -> float:
    """The part of elements that may differ: as given, or none."""
    return 0 if etol is None else etol
