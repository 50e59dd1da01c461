"""What programs time and count by themselves: tasks, frames, events, counters, markers."""

import threading
import time
from typing import Any

from ..base import MXNetError
from ._records import Instant, Span, Value
from ._state import profiler
from ._tracer import CPU

SCOPES = ("global", "process", "thread", "task", "marker")


class Domain:
    """A name under which tasks, frames, counters and markers are grouped.

    Args:
        name: its name.

    Example:
        >>> domain = mx.profiler.Domain("my program")
        >>> task = domain.new_task("reading")
        >>> task.start()
        >>> task.stop()
    """

    __module__ = "mxnet.profiler"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> "Task":
        """A task of this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> "Frame":
        """A frame of this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: int | None = None) -> "Counter":
        """A counter of this domain, set to a value if one is given."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> "Marker":
        """A marker of this domain."""
        return Marker(self, name)


class _Duration:
    """Something with a beginning and an end; seen if the profiler runs at both."""

    _is_async = False

    def __init__(self, name: str, category: str) -> None:
        self.name = name
        self._category = category
        self._begun: int | None = None

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Begins."""
        self._begun = time.time_ns() if profiler.is_active else None

    def stop(self) -> None:
        """Ends."""
        if self._begun is not None:
            duration, lane = time.time_ns() - self._begun, threading.get_native_id()
            profiler.note(
                Span(self._category, self.name, "", self._begun, duration, CPU, lane, is_async=self._is_async)
            )
            self._begun = None


class Task(_Duration):
    """A piece of work, which may begin and end in different threads; its times are summed up.

    Args:
        domain: the Domain it belongs to.
        name: its name.
    """

    __module__ = "mxnet.profiler"
    _is_async = True

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, str(domain))


class Frame(_Duration):
    """One pass of something that is repeated, such as a batch.

    Args:
        domain: the Domain it belongs to.
        name: its name.
    """

    __module__ = "mxnet.profiler"

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, f"{domain},frame")


class Event(_Duration):
    """A stretch of code in one thread, without a domain.

    Args:
        name: its name.
    """

    __module__ = "mxnet.profiler"

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Counter:
    """A whole number that changes with time; `counter += 1` and `counter -= 1` change it too.

    Args:
        domain: the Domain it belongs to.
        name: its name.
        value: what to set it to.
    """

    __module__ = "mxnet.profiler"

    def __init__(self, domain: Domain, name: str, value: int | None = None) -> None:
        self.name = name
        self._category = str(domain)
        self._value = 0
        self._lock = threading.Lock()
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: int) -> None:
        """Sets it."""
        with self._lock:
            self._set(int(value))

    def increment(self, delta: int = 1) -> None:
        """Adds to it."""
        with self._lock:
            self._set(self._value + int(delta))

    def decrement(self, delta: int = 1) -> None:
        """Subtracts from it."""
        self.increment(-int(delta))

    def __iadd__(self, delta: int) -> "Counter":
        self.increment(delta)
        return self

    def __isub__(self, delta: int) -> "Counter":
        self.decrement(delta)
        return self

    def _set(self, value: int) -> None:
        self._value = value
        if profiler.is_active:
            profiler.note(Value(self._category, self.name, time.time_ns(), value))


class Marker:
    """A moment.

    Args:
        domain: the Domain it belongs to.
        name: its name.
    """

    __module__ = "mxnet.profiler"

    def __init__(self, domain: Domain, name: str) -> None:
        self.name = name
        self.domain = domain

    def mark(self, scope: Any = "process") -> None:
        """Marks this moment.

        Args:
            scope: what it concerns: 'global', 'process', 'thread', 'task' or 'marker'.
        """
        if scope not in SCOPES:
            raise MXNetError(f"[Marker] scope: received {scope!r}; expected one of {', '.join(SCOPES)}.")
        if profiler.is_active:
            lane = threading.get_native_id()
            profiler.note(Instant(f"{self.domain},instant_marker", self.name, time.time_ns(), lane, scope))
