"""What the processes of one training agree on."""

import struct
from typing import Any

from regluon.distributed import ProcessGroup, joined

from ....kvstore.base import is_within_process

__all__ = ["is_any", "is_first", "mean", "peers", "step_size"]


def peers() -> ProcessGroup | None:
    """The processes that train together; None where this one trains alone."""
    group = joined()
    return None if group is None or group.size == 1 else group


def is_first() -> bool:
    """Whether this process writes what all of them have: logs, checkpoints and curves."""
    group = peers()
    return group is None or group.rank == 0


def mean(value: float, what: str) -> float:
    """The mean of a number over all processes, the same bits on all of them; NaN if it is NaN on one."""
    group = peers()
    if group is None:
        return value
    parts = group.all_gather_bytes(struct.pack("<d", value), what)
    return float(sum(struct.unpack("<d", part)[0] for part in parts) / len(parts))


def is_any(flag: bool, what: str) -> bool:
    """Whether a flag is set on some process."""
    group = peers()
    return flag if group is None else b"\1" in group.all_gather_bytes(bytes([flag]), what)


def step_size(trainer: Any, batch_size: int) -> int:
    """What gradients are divided by: the samples of all processes whose gradients the trainer's store adds up."""
    store = trainer._kvstore_kind  # there may be no other before the first step
    if store is None or _is_async(store) or (isinstance(store, str) and is_within_process(store)):
        return batch_size
    group = peers()
    return batch_size * int(getattr(store, "num_workers", 1 if group is None else group.size))


def waits_for_others(trainer: Any) -> bool:
    """Whether all processes make the same number of steps, so that they can decide together."""
    return peers() is not None and not _is_async(trainer._kvstore_kind)


def _is_async(store: Any) -> bool:
    return "async" in str(store if isinstance(store, str) else getattr(store, "type", ""))
