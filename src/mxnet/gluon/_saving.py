"""Files of blocks: parameters under whichever names they were saved, and how a network is built up."""

import json
from collections import OrderedDict
from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from regluon.formats.atomic import atomic_write, open_current

from ..ndarray import NDArray, load
from ._parameter_dict import assign, plain_name
from .parameter import Parameter, ParameterError

__all__ = ["load_by_layout", "load_structure", "save_structure"]


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
