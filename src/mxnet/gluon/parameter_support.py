"""What parameters are made with: their errors, lists of contexts, values while a network is traced."""

from collections.abc import Sequence
from typing import Any

from ..base import MXNetError
from ..config import switches
from ..context import Context, current_context
from ..scopes import Setting


class DeferredInitializationError(MXNetError):
    """A parameter was read before its shape was known."""


class ShapeInferenceError(DeferredInitializationError, ValueError):
    """The data do not tell the shape of a parameter: MXNet raised a ValueError there."""


class ParameterError(MXNetError, ValueError, AssertionError):
    """A parameter was asked for what it does not fit: MXNet raised an AssertionError or a ValueError there."""


class StorageTypeError(MXNetError, RuntimeError):
    """A parameter was asked for what its storage type does not allow."""


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
