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

    __module__ = "mxnet.gluon.parameter"


class ParameterError(MXNetError, ValueError, AssertionError):
    """A parameter was asked for what it does not fit: MXNet raised an AssertionError or a ValueError there."""

    __module__ = "mxnet.gluon.parameter"


class UnknownParameterError(MXNetError, KeyError):
    """There is no parameter of that name."""

    __module__ = "mxnet.gluon.parameter"

    __str__ = Exception.__str__  # KeyError shows texts in quotes


class StorageTypeError(MXNetError, RuntimeError):
    """A parameter was asked for what its storage type does not allow."""

    __module__ = "mxnet.gluon.parameter"


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


def uninitialized_error(who: str, shape: tuple[int, ...] | None, is_deferred: bool) -> MXNetError:
    """Return the error for reading the array of a parameter that has none yet.

    Args:
        who: the parameter, as error texts name it.
        shape: the parameter's shape as far as it is known; 0 marks an unknown length.
        is_deferred: whether initialization waits for the shape.
    """
    if is_deferred and shape and all(shape):
        return DeferredInitializationError(
            f"{who} has the shape {shape} by now, but its array is made when the network is first called. "
            "Call it once on a batch before reading parameters."
        )
    if is_deferred:
        return DeferredInitializationError(
            f"{who} has the shape {shape}: 0 is a length that only the data tell, and none has passed through "
            "yet. Either call the network once on a batch before reading parameters, or give the layer its input "
            "size: in_units, in_channels, ..."
        )
    return MXNetError(
        f"{who} has not been initialized. Call initialize() on the network; and pass net.collect_params(), not "
        "net.params, to a Trainer: the latter lacks the parameters of the layers inside."
    )


def load_problem(parameter: Any, data: Any, contexts: list[Context] | None, cast_dtype: bool) -> str:
    """Return why a parameter cannot take an array that was read from a file; an empty text if it can."""
    if parameter._shape is not None and not fits(parameter._shape, data.shape):
        return f"has shape {parameter.shape}; the file has {data.shape}"
    if not cast_dtype and dtype_name(parameter.dtype) != dtype_name(data.dtype):
        return (
            f"has dtype {dtype_name(parameter.dtype)}; the file has {dtype_name(data.dtype)}. Pass cast_dtype=True to "
            "convert, and dtype_source='saved' to take the file's"
        )
    if contexts is not None and parameter._data is not None and set(contexts) != set(parameter.list_ctx()):
        return f"is on {parameter.list_ctx()}; cannot load it to {contexts}. Use reset_ctx() first"
    return ""
