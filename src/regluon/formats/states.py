"""Optimizer states as bytes: a `.params` stream whose first array is a JSON text, so nothing in it can run.

    array 0, named "tree"    uint8: JSON of the whole tree, below
    arrays 1, 2, ...         the arrays of the tree, in order; their names are their paths, such as "states/3/1"

    tree     null, true, 1, 0.5, "text"     themselves
             {"array": 1}                   array 1 of the stream
             {"list": [...]}, {"tuple": [...]}, {"dict": [[key, value], ...]}
             {"instance": kind, "state": {"dict": ...}}   an optimizer ("optimizer:SGD") or scheduler, by name only

Any program that reads `.params`, the real MXNet among them, can look at the arrays.
"""

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FileFormatError, OpTypeError
from . import params
from .stored import Stored

MAX_DEPTH = 32
_HEADER = "tree"


@dataclass(frozen=True, slots=True)
class Instance:
    """An object that is known by name; what stands behind the name is the reader's choice."""

    kind: str
    state: dict[str, Any]


def encode(tree: Any, who: str = "Updater.get_states") -> bytes:
    """The bytes of a tree of plain values, `Stored` arrays and Instances."""
    arrays: list[Stored] = []
    names: list[str] = []

    def simple(value: Any, path: tuple[str, ...]) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            return value.item()
        if isinstance(value, Stored):
            arrays.append(value)
            names.append("/".join(path))
            return {"array": len(arrays)}
        if isinstance(value, (list, tuple)):
            items = [simple(item, (*path, str(i))) for i, item in enumerate(value)]
            return {"tuple" if isinstance(value, tuple) else "list": items}
        if isinstance(value, dict):
            return {"dict": [[simple(key, path), simple(item, (*path, str(key)))] for key, item in value.items()]}
        if isinstance(value, Instance):
            return {"instance": value.kind, "state": simple(value.state, (*path, value.kind))}
        raise OpTypeError(
            f"[{who}] {'/'.join(path)}: received {type(value).__module__}.{type(value).__name__}; expected numbers, "
            "texts, arrays, and lists, tuples or dicts of them: states are saved without pickle."
        )

    text = json.dumps(simple(tree, ())).encode()
    stream = io.BytesIO()
    header = np.frombuffer(text, np.uint8)
    params.write(stream, [header, *arrays], [_HEADER, *names], who=who)
    return stream.getvalue()


def decode(data: bytes, who: str = "Updater.set_states") -> Any:
    """The tree that `encode` wrote; arrays are `Stored` views of the bytes."""
    contents = params.read(data, "states", who)
    if not contents.names or contents.names[0] != _HEADER or contents.arrays[0].dtype != "uint8":
        raise FileFormatError(
            f"[{who}] received a .params stream without the entry {_HEADER!r} at its begin; expected optimizer states. "
            "Load parameters with nd.load or load_parameters."
        )
    try:
        tree = json.loads(contents.arrays[0].data.tobytes())
        return _restored(tree, contents.arrays, 0)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise FileFormatError(f"[{who}] the tree of the states is damaged: {error}.") from None


def _restored(value: Any, arrays: list[Stored], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} levels")
    if not isinstance(value, dict):
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise ValueError(f"a bare {type(value).__name__}")
    if "instance" in value:
        return Instance(str(value["instance"]), dict(_restored(value["state"], arrays, depth + 1)))
    ((kind, content),) = value.items()
    if kind == "array":
        if not 0 < content < len(arrays):
            raise ValueError(f"there is no array {content}")
        return arrays[content]
    if kind == "dict":
        return {key: _restored(item, arrays, depth + 1) for key, item in content}
    items = [_restored(item, arrays, depth + 1) for item in content]
    return {"list": list, "tuple": tuple}[kind](items)
