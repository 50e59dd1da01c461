"""Save and load the parameters of blocks and locate published weights."""

import inspect
import json
import sys
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from types import FrameType
from typing import Any, TypeVar

from regluon.config import switches
from regluon.formats.atomic import atomic_write, open_current
from regluon.tracebacks import fold, is_refusal

from ..base import NotImplementedForSymbol, shortened
from ..error import OpTypeError
from ..ndarray import NDArray, load
from ._parameter_dict import assign, plain_name
from ._parameter_support import DeferredInitializationError, ShapeInferenceError
from .parameter import Parameter, ParameterError

__all__ = [
    "load_by_layout",
    "load_structure",
    "save_structure",
    "is_binding",
    "locate",
    "misfit",
    "plain_text",
    "replace",
]


# -- parameters -----------------------------------------------------------------------------------------------------


def load_by_layout(
    block: Any,
    filename: str | PathLike[str],
    ctx: Any,
    allow_missing: bool,
    ignore_extra: bool,
    cast_dtype: bool,
    dtype_source: str,
) -> None:
    """Loads a file of parameters into a block: see Block.load_parameters."""
    loaded = load(filename)
    if not isinstance(loaded, dict):
        if not loaded and not block._collect_params_with_prefix():
            return
        raise ParameterError(f"[load_parameters] {fspath(filename)} holds a list; expected names and arrays.")
    given = {plain_name(name): value for name, value in loaded.items()}
    assign(
        _layout_of(block, given),
        given,
        source=fspath(filename),
        ctx=ctx,
        allow_missing=allow_missing,
        ignore_extra=ignore_extra,
        cast_dtype=cast_dtype,
        dtype_source=dtype_source,
    )


def _layout_of(block: Any, given: dict[str, NDArray]) -> dict[str, Parameter]:
    """The parameters by the kind of names that the file uses: the kind that finds most of them."""
    by_attribute: dict[str, Parameter] = block._collect_params_with_prefix()
    by_name: dict[str, Parameter] = dict(block.collect_params().items())
    stripped = {name.removeprefix(block.prefix): parameter for name, parameter in by_name.items()}
    # Another instance of the network, numbered differently, differs in what all its names begin with.
    ours, theirs = _common_beginning(by_name), _common_beginning(given)
    renumbered = {theirs + name.removeprefix(ours): parameter for name, parameter in by_name.items()}
    layouts = (by_attribute, by_name, stripped, renumbered)
    best = max(layouts, key=lambda layout: sum(name in given for name in layout))
    # A shared parameter may have been saved under one of its names only.
    saved = {id(parameter) for name, parameter in best.items() if name in given}
    return {name: p for name, p in best.items() if name in given or id(p) not in saved}


def _common_beginning(names: Iterable[str]) -> str:
    """What all names begin with, up to an underscore."""
    smallest, largest = min(names, default=""), max(names, default="")
    common = next((smallest[:i] for i, (a, b) in enumerate(zip(smallest, largest, strict=False)) if a != b), smallest)
    return common[: common.rfind("_") + 1]


# -- structure ------------------------------------------------------------------------------------------------------


def save_structure(block: Any, prefix: str | PathLike[str]) -> None:
    """Writes `<prefix>-model.json`, in MXNet's layout: each block with its name and, inside, its children."""
    described: dict[str, Any] = {}
    _describe(block, described, [0])
    with atomic_write(f"{fspath(prefix)}-model.json", "Block.save") as stream:
        stream.write(json.dumps(described).encode())


def _describe(block: Any, outer: dict[str, Any], counter: list[int]) -> None:
    entry: dict[str, Any] = {"orig_name": block.name}
    outer[_key(block, counter)] = entry
    if hasattr(block, "_active"):
        entry["hybridized"] = False  # no compiled graph is written along
    entry["children"] = {}
    for attribute, child in block._children.items():
        counter[0] += 1
        entry["children"][child.name] = attribute
        _describe(child, entry, counter)


def load_structure(block: Any, prefix: str | PathLike[str]) -> None:
    """Gives blocks and children the names they had when saved, if `<prefix>-model.json` describes this network."""
    path = f"{fspath(prefix)}-model.json"
    with open_current(path) as stream:
        described = json.loads(stream.read().decode())
    _check(block, described, [0], path)
    _rename(block, described, [0])


def _check(block: Any, outer: Any, counter: list[int], path: str) -> None:
    """Refuses another network before anything is renamed."""
    key = _key(block, counter)
    entry = outer.get(key) if isinstance(outer, dict) else None
    if not isinstance(entry, dict) or len(entry.get("children", ())) != len(block._children):
        raise ParameterError(
            f"[Block.load] {path} describes another network: it has no {type(block).__name__} with "
            f"{len(block._children)} children in the place of {block.name} ({key!r}). Build the network as it was "
            "saved."
        )
    for child in block._children.values():
        counter[0] += 1
        _check(child, entry, counter, path)


def _rename(block: Any, outer: dict[str, Any], counter: list[int]) -> None:
    entry = outer[_key(block, counter)]
    block._name = entry["orig_name"]
    own = block.params
    own._params = OrderedDict((f"{block.name}_{name[len(own.prefix) :]}", p) for name, p in own.items())
    attributes = list(entry["children"].values())
    for child in block._children.values():
        counter[0] += 1
        _rename(child, entry, counter)
    block._children = OrderedDict(zip(attributes, block._children.values(), strict=True))


def _key(block: Any, counter: list[int]) -> str:
    return f"{type(block).__name__.lower()}{counter[0]}"


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
