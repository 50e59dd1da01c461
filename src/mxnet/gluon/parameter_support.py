"""What parameters are made with: their errors, lists of contexts, values while a network is traced."""

from collections.abc import Sequence
from typing import Any

from ..base import MXNetError
from ..config import switches
from ..context import Context, current_context
from ..dtypes import dtype_name
from ..error import OpTypeError
from ..initializer import Initializer
from ..nearest import nearest
from ..registry import get_registry
from ..scopes import Setting

_NEARLY = 0.75  # how much of a name must agree with a registered one to be taken for a misspelling of it


class DeferredInitializationError(MXNetError):
    """A parameter was read before its shape was known."""


class ShapeInferenceError(DeferredInitializationError, ValueError):
    """The data do not tell the shape of a parameter: MXNet raised a ValueError there."""


class ParameterError(MXNetError, ValueError, AssertionError):
    """A parameter was asked for what it does not fit: MXNet raised an AssertionError or a ValueError there."""


class UnknownParameterError(MXNetError, KeyError):
    """There is no parameter of that name."""

    __str__ = Exception.__str__  # KeyError shows texts in quotes


class StorageTypeError(MXNetError, RuntimeError):
    """A parameter was asked for what its storage type does not allow."""


def check_attributes(name: str, init: Any, dtype: Any) -> None:
    """Refuses an initializer or a dtype that is misspelt.

    MXNet looks an initializer up when it is used, so one that is registered until then is fine: only names that are
    nearly those of a registered one are refused.
    """
    if isinstance(init, str) and init[:1] not in ("[", "{") and init.lower() not in get_registry(Initializer):
        near = nearest(init, get_registry(Initializer), cutoff=_NEARLY)
        if near:
            raise ParameterError(
                f"[Parameter {name}] initializer: received {init!r}, which is not registered; did you mean "
                f"{near[0]!r}? Your own: decorate its class with @mx.init.register before."
            )
    if isinstance(dtype, str):
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
