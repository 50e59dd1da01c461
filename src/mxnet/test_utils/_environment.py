"""Set up contexts, environments and tolerances of tests."""

import contextlib
import numbers
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from ..context import Context, current_context
from ..ndarray import waitall
from ..runtime import Features
from ..util import get_gpu_count

__all__ = [
    "EnvManager",
    "discard_stderr",
    "environment",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "list_gpus",
    "set_env_var",
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


def list_gpus() -> range:
    """The numbers of the GPUs of this machine."""
    return range(get_gpu_count())


@contextlib.contextmanager
def environment(*args: str | dict[str, str | None] | None) -> Iterator[None]:
    """`with environment(name, value):` or `with environment({name: value}):` sets variables of the environment.

    None removes one. Afterwards they are as they were.
    """
    if len(args) == 1 and isinstance(args[0], dict):
        wanted = args[0]
    elif len(args) == 2 and isinstance(args[0], str) and not isinstance(args[1], dict):
        wanted = {args[0]: args[1]}
    else:
        raise AssertionError(f"[environment] received {args!r}; expected a dict, or a name and a value.")
    before = {name: os.environ.get(name) for name in wanted}
    try:
        _set(wanted)
        yield
    finally:
        waitall()  # what is still being computed may read them
        _set(before)


def _set(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class EnvManager:
    """`with EnvManager(key, val):` sets a variable of the environment; the older form of `environment`."""

    __module__ = "mxnet.test_utils"

    def __init__(self, key: str, val: str) -> None:
        self._scope = environment(key, val)

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(self, *exc_info: object) -> None:
        self._scope.__exit__(None, None, None)


def set_env_var(key: str, val: str, default_val: str = "") -> str:
    """Sets a variable of the environment and returns what it was, or `default_val` if it was not set."""
    before = os.environ.get(key, default_val)
    os.environ[key] = val
    return before


@contextlib.contextmanager
def discard_stderr() -> Iterator[None]:
    """`with discard_stderr():` sends what is written to the error output nowhere, libraries' output included."""
    try:
        number = sys.stderr.fileno()
    except (AttributeError, OSError):  # a notebook's or a test's, which is no file
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere):
            yield
        return
    kept = os.dup(number)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), number)
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


def is_cd_run() -> bool:
    """Whether this is a run that publishes a release: `CD_JOB` is 1."""
    return os.environ.get("CD_JOB") == "1"


def is_aarch64_run() -> bool:
    """Whether the machine is an ARM one of 64 bits."""
    return platform.machine() == "aarch64"


def has_tvm_ops() -> bool:
    """Whether operators made by TVM are there."""
    features = Features()
    return "TVM_OP" in features and features.is_enabled("TVM_OP")


def is_op_runnable() -> bool:
    """Whether operators run in the current context: on a CPU always, on a GPU unless TVM's are there and too new."""
    return current_context().device_type != "gpu" or not has_tvm_ops()


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
