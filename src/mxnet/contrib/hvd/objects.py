"""Values from process to process: numbers, texts, arrays, and lists and dicts of them. Nothing is pickled."""

from typing import Any

import numpy as np

from regluon.formats import states
from regluon.formats.states import Instance
from regluon.formats.tensors import Stored

from ...ndarray import NDArray
from ...ndarray import array as nd_array
from ...ndarray.utils import from_stored
from .calls import checked_root
from .state import group_of


def broadcast_object(obj: Any = None, root_rank: int = 0, name: str | None = None) -> Any:
    """The value of one process, on all.

    Args:
        obj: what the process of `root_rank` has; that of others is ignored.
        root_rank: whose value it is.
        name: ignored.
    """
    who = "hvd.broadcast_object"
    group, root = group_of(who), checked_root(who, root_rank)
    if group is None or group.size == 1:
        return obj
    data = _encode(obj, who) if group.rank == root else b""
    received = group.broadcast_bytes(data, root, who)
    return obj if group.rank == root else _decode(received, who)


def allgather_object(obj: Any, name: str | None = None) -> list[Any]:
    """The values of all processes."""
    who = "hvd.allgather_object"
    group = group_of(who)
    if group is None:
        return [obj]
    return [_decode(data, who) for data in group.all_gather_bytes(_encode(obj, who), who)]


def _encode(value: Any, who: str) -> bytes:
    return states.encode(_to_records(value), who)


def _decode(data: bytes, who: str) -> Any:
    return _from_records(states.decode(data, who), who)


def _to_records(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value._to_stored()
    if isinstance(value, np.ndarray):
        return Instance("numpy", {"array": nd_array(value, dtype=value.dtype)._to_stored(), "shape": value.shape})
    if isinstance(value, bytes):
        return Instance("bytes", {"text": value.decode("latin-1")})
    if isinstance(value, dict):
        return {key: _to_records(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_to_records(item) for item in value) if type(value) in (list, tuple) else value
    return value


def _from_records(value: Any, who: str) -> Any:
    if isinstance(value, Stored):
        return from_stored(value, who)
    if isinstance(value, Instance):
        if value.kind == "bytes":
            return value.state["text"].encode("latin-1")
        return from_stored(value.state["array"], who).asnumpy().reshape(value.state["shape"])
    if isinstance(value, dict):
        return {key: _from_records(item, who) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_from_records(item, who) for item in value)
    return value
