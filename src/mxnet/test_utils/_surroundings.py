"""What tests want to know of the machine and its settings, and to change for a while."""

import contextlib
import os
import platform
import sys
from collections.abc import Iterator

from ..context import current_context
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
