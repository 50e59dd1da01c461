"""Threads that compute parts of one thing meet: each brings a part, and all get what comes of the whole."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...base import MXNetError
from ...distributed.group import timeout_seconds


class MeetingError(MXNetError, TimeoutError):
    """A thread waited for others that did not come."""


class _Round:
    """One meeting: who has come, and what came of it."""

    def __init__(self) -> None:
        self.came: list[tuple[Any, Any]] = []  # where each stands in the order of parts, and its part
        self.results: Sequence[Any] = ()
        self.error: BaseException | None = None
        self.is_over = threading.Event()

    def conclude(self, combine: Callable[[list[Any]], Sequence[Any]]) -> None:
        """Makes the results, in the order of the parts and not of their coming: it must not depend on chance."""
        try:
            order = sorted(range(len(self.came)), key=lambda number: self.came[number][0])
            found = combine([self.came[number][1] for number in order])
            self.results = [found[order.index(number)] for number in range(len(order))]
        except BaseException as error:
            self.error = error
        self.is_over.set()


_lock = threading.Lock()
_open: dict[tuple[str, int], _Round] = {}  # meetings that somebody is still awaited at


def meet(key: str, size: int, place: Any, part: Any, combine: Callable[[list[Any]], Sequence[Any]], who: str) -> Any:
    """Waits until as many threads have come, and returns what was made for this one.

    Args:
        key: the name of the meeting; when all have come, the next one may begin under the same name.
        size: how many threads come.
        place: where this one's part stands among the parts.
        part: what it brings.
        combine: makes a result for each part from all of them; called once, in the thread that comes last.
        who: waits, for errors.

    Raises:
        MeetingError: not all have come in the time of MXNET_KVSTORE_TIMEOUT.
    """
    with _lock:
        own = _open.setdefault((key, size), _Round())
        number = len(own.came)
        own.came.append((place, part))
        is_last = len(own.came) == size
        if is_last:
            del _open[key, size]
    if is_last:
        own.conclude(combine)
    elif not own.is_over.wait(seconds := timeout_seconds()):
        with _lock:
            is_missed = _open.get((key, size)) is own
            if is_missed:
                del _open[key, size]
                own.error = _missed(who, key, size, len(own.came), seconds)
                own.is_over.set()
        if not is_missed:
            own.is_over.wait()  # the last one has come meanwhile, and is at work
    if own.error is not None:
        raise own.error
    return own.results[number]


def _missed(who: str, key: str, size: int, came: int, seconds: float) -> MeetingError:
    return MeetingError(
        f"[{who}] {came} of {size} threads came to the meeting {key!r} in {seconds:g} seconds "
        "(MXNET_KVSTORE_TIMEOUT). Each of the devices needs a thread of its own that runs the network on its part of "
        "the batch at the same time; parts that one thread computes one after the other must be computed by the main "
        f"thread. If there are not {size} devices, say so where the layer is made: SyncBatchNorm(num_devices=...)."
    )
