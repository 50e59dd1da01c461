"""What a profiler sees: spans of time, values of counters, instants."""

from typing import NamedTuple

OPERATOR = "operator"
CUSTOM = "Custom Operator"
API = "API"
BLOCK = "block"
TORCH = "torch"
STORAGE = "Device Storage"
OPERATOR_MEMORY = "Operator Memory"
MEMORY_CATEGORIES = frozenset((STORAGE, OPERATOR_MEMORY))


class Span(NamedTuple):
    """A time that something took.

    Attributes:
        category: the table it belongs to; of tasks the name of their domain.
        name: what took the time.
        where: the node of a graph, or the block, that it was part of.
        start: nanoseconds since the epoch.
        duration: nanoseconds.
        place: the name of the device, such as `cpu/0`.
        lane: the thread or the stream.
        allocated: bytes that were allocated for it; None where that is not known.
        is_async: whether it may begin and end in different threads.
    """

    category: str
    name: str
    where: str
    start: int
    duration: int
    place: str
    lane: int
    allocated: int | None = None
    is_async: bool = False


class Value(NamedTuple):
    """What a counter was set to."""

    category: str
    name: str
    time: int
    value: int


class Instant(NamedTuple):
    """A moment that was marked; `scope` is what it concerns, see Marker."""

    category: str
    name: str
    time: int
    lane: int
    scope: str


Record = Span | Value | Instant
