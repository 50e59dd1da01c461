"""Switches for NumPy behaviour, and small helpers that MXNet programs import from here."""

import functools
import inspect
import os
from collections.abc import Callable, Generator
from typing import Any, TypeVar

import torch

from regluon.array.numpy.dispatch import check_options
from regluon.array.numpy.dispatch import is_legal_option as np_ufunc_legal_option
from regluon.config import process, switches
from regluon.native import forget_calls
from regluon.scopes import Setting, ending

from .base import MXNetError, c_str, check_call, py_str
from .context import Context, num_gpus
from .context import gpu_memory_info as _gpu_memory_info

__all__ = [
    "c_str",
    "check_call",
    "check_labels",
    "deterministic",
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "np_ufunc_legal_option",
    "py_str",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
]

F = TypeVar("F")
Result = TypeVar("Result")


def is_np_shape() -> bool:
    """Whether shapes mean what they mean to NumPy: () is a scalar, a length of 0 is an empty axis."""
    return switches.np_shape


def is_np_array() -> bool:
    """Whether layers work with NumPy arrays (`mx.np`) instead of `mx.nd` ones."""
    return switches.np_array


def _check_np_shape(active: bool) -> None:
    if not active and switches.np_array:
        raise ValueError(
            "[np_shape] received False while NumPy arrays are on, which need NumPy shapes. Call npx.reset_np() to "
            "switch both off."
        )


def set_np_shape(active: int) -> bool:
    """Switch NumPy shapes on (1) or off (0) for this thread, or on for all threads (2), and return the former state.

    Raises ValueError if NumPy arrays are on and `active` is 0.
    """
    _check_np_shape(bool(active))
    before, switches.np_shape = switches.np_shape, bool(active)
    if active == 2:
        type(switches).np_shape = True
    elif not active:
        type(switches).np_shape = False
    return before


def _set_np_array(active: bool) -> bool:
    before, switches.np_array = switches.np_array, bool(active)
    return before


class _NumpyShapeScope(Setting):
    """A block in which shapes have NumPy's meaning, or not; None changes nothing.

    The end of the block restores the former state if the block had another one, and raises ValueError if that would
    leave NumPy arrays without NumPy shapes.
    """

    def __init__(self, is_np_shape: bool | None) -> None:
        super().__init__(switches, **({} if is_np_shape is None else {"np_shape": bool(is_np_shape)}))

    def __enter__(self) -> "_NumpyShapeScope":
        before, own, values = switches.np_shape, vars(switches), self._values
        _check_np_shape(values.get("np_shape", True))
        changes = values.get("np_shape", before) != before
        self.close = ending(_restoring_np_shape(own, before if changes else None))  # type: ignore[method-assign]
        own |= values
        return self


def _restoring_np_shape(own: dict[str, Any], before: bool | None) -> Generator[None, None, None]:
    """Wait for the end of a block, then restore the former state; None leaves the state as it is.

    Nothing is called before the state is restored: Python may raise KeyboardInterrupt after any call.
    """
    try:
        yield
    except GeneratorExit:  # the block was never entered
        before = None
        raise
    finally:
        if before is not None:
            if before or not switches.np_array:
                own["np_shape"] = before
            else:
                _check_np_shape(before)


class _ArrayScopes:
    """The NumPy array scope in force in the current thread, under MXNet's name."""

    @property
    def value(self) -> "_NumpyArrayScope":
        return _NumpyArrayScope(switches.np_array)

    @value.setter
    def value(self, scope: "_NumpyArrayScope") -> None:
        switches.np_array = scope._is_np_array


class _NumpyArrayScope(Setting):
    """A block in which layers work with NumPy arrays, or not."""

    _current = _ArrayScopes()

    def __init__(self, is_np_array: bool) -> None:
        super().__init__(switches, np_array=bool(is_np_array))
        self._is_np_array = bool(is_np_array)


class _Deterministic:
    """What `deterministic` returns: leaving a `with` block restores the former state."""

    def __init__(self, active: bool) -> None:
        self._before = _set_deterministic(active)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _set_deterministic(self._before)


def _set_deterministic(active: bool) -> bool:
    before, process.deterministic = process.deterministic, bool(active)
    if torch.cuda.is_available():
        # cuBLAS reads it when it is first used; without it torch refuses its matrix products.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(process.deterministic)
    return before


def deterministic(active: bool = True) -> _Deterministic:
    """Makes results bit-equal from run to run, in all threads: at once, or for a `with` block.

    The same program with the same seed, on the same machine with the same number of threads, computes the same bits:
    no kernel is chosen by timing, and none whose result depends on the order in which threads finish. Kernels in C++
    stay in use. Networks that were compiled before are compiled again. On a GPU this calls
    `torch.use_deterministic_algorithms`, which refuses the operations that have no such kernel. `MXNET_DETERMINISTIC=1`
    does the same from the start.

    Example:
        >>> mx.util.deterministic()
        >>> with mx.util.deterministic(False):
        ...     net(x)  # as quick as can be
    """
    return _Deterministic(active)


if process.deterministic:
    _set_deterministic(True)


class _CheckLabels:
    """What `check_labels` returns: leaving a `with` block restores the former state."""

    def __init__(self, active: bool) -> None:
        self._before, process.check_indices = process.check_indices, bool(active)
        forget_calls()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        process.check_indices = self._before
        forget_calls()


def check_labels(active: bool = True) -> _CheckLabels:
    """Refuses labels and indices out of range, in all threads: at once, or for a `with` block.

    MXNet takes the nearest class or row for an index that does not exist. Without this switch classification losses
    warn once about a label above the classes and compute what MXNet computes. With it `SoftmaxCrossEntropyLoss`,
    `SoftmaxOutput`, `Embedding`, `take`, `pick` and `one_hot` say which index is wrong, what is allowed, and which
    layer it was given to. The values are looked at and hybridized networks run operator by operator, so it is for
    finding mistakes, not for training. `MXNET_CHECK_INDICES=1` does the same from the start, and modules must be bound
    while it is on.

    Example:
        >>> with mx.util.check_labels():
        ...     loss(net(x), label)
    """
    return _CheckLabels(active)


def np_shape(active: bool | None = True) -> Setting:
    """`with np_shape():` switches NumPy shapes on inside the block; `np_shape(False)` off, and None changes nothing.

    Raises ValueError if NumPy arrays are on where shapes would be switched off.
    """
    return _NumpyShapeScope(active)


def np_array(active: bool = True) -> Setting:
    """`with np_array():` switches NumPy arrays on inside the block."""
    return _NumpyArrayScope(active)


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switches NumPy shapes and arrays on or off together."""
    if array and not shape:
        raise ValueError("[set_np] received shape=False, array=True; NumPy arrays need NumPy shapes: pass shape=True.")
    _set_np_array(array)  # first: set_np_shape(False) refuses while NumPy arrays are on
    set_np_shape(shape)


def reset_np() -> None:
    """Switches NumPy shapes and arrays off."""
    set_np(shape=False, array=False)


def _scoped(function: Any, scope: Callable[[], Setting]) -> Any:
    """A function, or every method of a class, that runs inside a scope.

    Public methods that the class inherits count: `net.initialize()` makes the arrays that `hybrid_forward` asks for.
    """
    if inspect.isclass(function):
        own = dict(vars(function))
        for name, member in inspect.getmembers(function, inspect.isfunction):
            is_public = name == "__call__" or not name.startswith("_")
            if inspect.isfunction(inspect.getattr_static(function, name)) and (name in own or is_public):
                setattr(function, name, _scoped(member, scope))
        for name, member in own.items():
            if isinstance(member, property):
                get, put, delete = (part and _scoped(part, scope) for part in (member.fget, member.fset, member.fdel))
                setattr(function, name, property(get, put, delete, member.__doc__))
        return function
    if not callable(function):
        raise TypeError(f"[use_np] received {type(function).__name__}; expected a function or a class.")

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return function(*args, **kwargs)

    return inside


def use_np_shape(func: F) -> F:
    """Decorates a function or a class to run with NumPy shapes."""
    return _scoped(func, np_shape)


def use_np_array(func: F) -> F:
    """Decorates a function or a class to run with NumPy arrays."""
    return _scoped(func, np_array)


def use_np(func: F) -> F:
    """Decorates a function or a class to run with NumPy shapes and arrays."""
    return use_np_shape(use_np_array(func))


def set_module(module: str | None) -> Callable[[F], F]:
    """Decorates a function or a class to say that it belongs to another module."""

    def decorate(func: F) -> F:
        if module is not None:
            func.__module__ = module
        return func

    return decorate


def wrap_np_unary_func(func: Callable[..., Result]) -> Callable[..., Result]:
    """Decorates a NumPy-like function of one array to refuse options it does not have."""

    @functools.wraps(func)
    def checked(x: Any, out: Any = None, **kwargs: Any) -> Result:
        check_options(func.__name__, kwargs)
        return func(x, out=out)

    return checked


def wrap_np_binary_func(func: Callable[..., Result]) -> Callable[..., Result]:
    """Decorates a NumPy-like function of two arrays to refuse options it does not have."""

    @functools.wraps(func)
    def checked(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Result:
        check_options(func.__name__, kwargs)
        return func(x1, x2, out=out)

    return checked


def get_gpu_count() -> int:
    """How many GPUs there are."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Free and total bytes of a GPU's memory."""
    return _gpu_memory_info(gpu_dev_id)


def get_cuda_compute_capability(ctx: Context) -> int:
    """The compute capability of a CUDA device: 86 for 8.6."""
    if ctx.device_type != "gpu" or ctx.device.type != "cuda":
        raise MXNetError(f"[get_cuda_compute_capability] received {ctx}; expected a CUDA device, such as mx.gpu(0).")
    major, minor = torch.cuda.get_device_capability(ctx.device)
    return 10 * major + minor


def getenv(name: str) -> str | None:
    """The value of an environment variable, None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Sets an environment variable of this process; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
