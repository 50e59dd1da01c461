"""What parameters are made with: their errors, lists of contexts, values while a network is traced."""

from collections.abc import Sequence
from typing import Any

from regluon.config import switches
from regluon.dtypes import dtype_name
from regluon.scopes import Setting

from ..base import MXNetError
from ..context import Context, current_context
from ..error import OpTypeError
from ..initializer import create


class DeferredInitializationError(MXNetError):
    """A parameter was read before its shape was known."""

    __module__ = "mxnet.gluon.parameter"


class ShapeInferenceError(DeferredInitializationError, ValueError):
    """The data do not tell the shape of a parameter: MXNet raised a ValueError there."""


class ParameterError(MXNetError, ValueError, AssertionError):
    """A parameter was asked for what it does not fit: MXNet raised an AssertionError or a ValueError there."""


class UnknownParameterError(MXNetError, KeyError):
    """There is no parameter of that name."""

    __str__ = Exception.__str__  # KeyError shows texts in quotes


class StorageTypeError(MXNetError, RuntimeError):
    """A parameter was asked for what its storage type does not allow."""


def check_shape(name: str, shape: Sequence[Any] | None) -> None:
    """Refuse a shape with lengths that are no integers, or less than the -1 of an unknown length."""
    if any(not hasattr(length, "__index__") or length < -1 for length in shape or ()):
        raise ParameterError(
            f"[Parameter {name}] shape: received {shape}; expected integers not below 0. The first data give "
            "lengths of 0."
        )


def check_initializer(name: str, init: Any) -> None:
    """Refuse the text of an initializer that is not registered, with the parameter's name and the nearest names."""
    if isinstance(init, str):
        try:
            create(init)
        except MXNetError as error:
            raise ParameterError(f"[Parameter {name}] initializer: {str(error).partition('] ')[2]}") from None


def check_dtype(name: str, dtype: Any) -> None:
    """Refuse a dtype that MXNet does not have, with the parameter's name and the nearest dtype."""
    try:
        dtype_name(dtype)
    except OpTypeError as error:
        raise OpTypeError(f"[Parameter {name}] dtype: {str(error).removeprefix('[dtype] ')}") from None


def fits(known: Sequence[int], given: Sequence[int]) -> bool:
    """Whether a shape has the lengths that are known; 0 and -1 are unknown ones."""
    return len(known) == len(given) and all(a in (0, -1, b) for a, b in zip(known, given, strict=True))


def context_list(ctx: Any) -> list[Context]:
    """Contexts given as none, one or several."""
    contexts = [current_context()] if ctx is None else list(ctx) if isinstance(ctx, (list, tuple)) else [ctx]
    if not contexts or not all(isinstance(context, Context) for context in contexts):
        raise TypeError(f"[Parameter] ctx: received {ctx!r}; expected a Context such as mx.cpu(), or a list of them.")
    return contexts


def made_now() -> Setting:
    """Inside the block there are numbers, also while a network is traced: first values are no part of what it computes.

    A network may make a part of itself in its first call.
    """
    return Setting(switches, tracing=False)


def is_of_cpu(context: Context) -> bool:
    """Whether arrays of a context are in memory of the machine, ordinary or not."""
    return context.device_type != "gpu"
