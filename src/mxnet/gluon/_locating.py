"""Where in a network an error arose: the path of attributes from the block that was called, in the error's text."""

import inspect
import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, TypeVar

from regluon.config import switches
from regluon.tracebacks import fold, is_refusal

from ..base import NotImplementedForSymbol, shortened
from ..error import OpTypeError
from ._parameter_support import DeferredInitializationError, ShapeInferenceError

__all__ = ["is_binding", "locate", "misfit", "plain_text", "replace"]

# What the library itself waits for: these mean that something is not known yet.
_SIGNALS = (DeferredInitializationError, NotImplementedForSymbol, NotImplementedError)
_LONGEST_REPR = 160

E = TypeVar("E", bound=Exception)


def locate(block: Any, error: Exception) -> bool:
    """Notes in an error's text that it arose in a block, on its way out of each block around it.

    The frames of the library are taken out of its traceback.

    Returns:
        Whether the error is one of this library's; others stay as they are.
    """
    is_signal = isinstance(error, _SIGNALS) and not isinstance(error, ShapeInferenceError)
    if switches.tracing or is_signal or not is_refusal(error):
        return False
    if not (error.args and isinstance(error.args[0], str)):
        return False
    blocks = vars(error).setdefault("_blocks", [])
    text = vars(error).setdefault("_plain_text", error.args[0])
    blocks.append(block)
    error.args = (f"{text}\n  in {_path(blocks, _called_as(block))} ({_shown(blocks[0])})", *error.args[1:])
    fold(error)
    return True


def plain_text(error: Exception) -> str:
    """An error's text without the place where it arose."""
    return str(vars(error).get("_plain_text", error))


def replace(error: Exception, other: E) -> E:
    """An error to raise instead of another one, which arose in the same place."""
    if "_blocks" in vars(error):
        vars(other)["_blocks"] = vars(error)["_blocks"]
    return other


def is_binding(error: TypeError) -> bool:
    """Whether an error that was just caught comes from a call itself, whose arguments do not fit, not from inside."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def misfit(
    block: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Mapping[str, Any] | None = None
) -> OpTypeError:
    """The error for inputs that a block's method has no arguments for.

    Args:
        block: the block.
        name: of the method, `forward` or `hybrid_forward`.
        args: the inputs.
        kwargs: those given by name.
        parameters: what the block adds to them by name.
    """
    declared = inspect.signature(getattr(block, name)).parameters
    names = [each for each in declared if parameters is None or each != next(iter(declared))]
    own = [] if parameters is None else list(parameters)
    is_open = any(each.kind is each.VAR_KEYWORD for each in declared.values())
    unread = [each for each in own if each not in names and not is_open]
    if unread:
        advice = f" Its parameters {', '.join(unread)} arrive under the names of their attributes: add such arguments."
    else:
        needed = [each for each in names if each not in own and declared[each].default is inspect.Parameter.empty]
        advice = f" Call it with {', '.join(needed) or 'nothing'}."
    given = ", ".join([*(type(each).__name__ for each in args), *(f"{each}=..." for each in kwargs)])
    added = f" and the parameters ({', '.join(own)})" if own else ""
    found = OpTypeError(
        f"[{type(block).__name__} {block.name}] received the inputs ({given}){added}; expected what "
        f"{name}({', '.join(names if parameters is None else ['F', *names])}) takes.{advice}"
    )
    found.__suppress_context__ = True  # Python's own text says less
    return found


def _shown(block: Any) -> str:
    """Name and printed form of a block; of one with blocks inside, its class."""
    text = repr(block)
    if "\n" in text:
        text = type(block).__name__
    return f"{block.name}: {shortened(text, _LONGEST_REPR)}" if block.name else shortened(text, _LONGEST_REPR)


def _path(blocks: Sequence[Any], root: str) -> str:
    """The attributes that lead from the block that was called, the last one, to the one that refused."""
    steps = [root]
    for inner, outer in zip(blocks[-2::-1], blocks[:0:-1], strict=True):
        found = _way(outer, inner)
        steps += [f"<{inner.name}>"] if found is None else found
    return ".".join(steps)


def _way(outer: Any, inner: Any) -> list[str] | None:
    """The attributes from a block to one somewhere inside of it."""
    for name, child in outer._children.items():
        if child is inner:
            return [name]
    for name, child in outer._children.items():
        rest = _way(child, inner) if hasattr(child, "_children") else None
        if rest is not None:
            return [name, *rest]
    return None


def _called_as(block: Any) -> str:
    """The variable that the caller has a block in; `net` if there is none."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("mxnet", "regluon"):
        frame = frame.f_back
    if frame is None:
        return "net"
    for variables in (frame.f_locals, frame.f_globals):
        for name, value in list(variables.items()):
            if value is block and name.isidentifier() and name not in ("self", "_"):
                return name
    return "net"
