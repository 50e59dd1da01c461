"""From what torch has timed to operators: whose kernels, whose gradients, whose memory."""

from collections.abc import Iterator, Mapping, Sequence

from regluon.torch_private import TraceEvent

from ._records import CUSTOM, OPERATOR, STORAGE, TORCH, Record, Span, Value
from ._tracer import CPU, Range

_GRADIENT = "autograd::engine::evaluate_function: "
_MEMORY = "[memory]"
_OWN_PROGRAM = f"{_GRADIENT}_RunBackward"  # a compiled program, whose steps have ranges of their own
_OPERATORS = (OPERATOR, CUSTOM)


class _Open:
    """A range that has begun: what it stands for, when it ends, and the bytes that were allocated in it."""

    __slots__ = ("allocated", "end", "key", "start")

    def __init__(self, key: Range, start: int, end: int) -> None:
        self.key, self.start, self.end, self.allocated = key, start, end, 0


class Attribution:
    """Goes through traces, one after another: the gradient of an operator may come in a later one.

    Args:
        knows_memory: whether the traces contain memory.
    """

    def __init__(self, knows_memory: bool) -> None:
        self._knows_memory = knows_memory
        # Operators by the threads and numbers of their gradients: in this trace, and in the one before.
        self._makers: dict[tuple[int, int], _Open] = {}
        self._earlier: dict[tuple[int, int], _Open] = {}
        self._in_use: dict[str, int] = {}  # bytes by device

    def records(self, events: Sequence[TraceEvent], ranges: Mapping[str, Range], lane: int) -> list[Record]:
        """What happened, ordered by start within each thread.

        Args:
            events: a trace.
            ranges: what its ranges stand for.
            lane: the system's number of the thread in which they are.
        """
        self._earlier, self._makers = self._makers, {}
        by_thread: dict[tuple[str, int], list[TraceEvent]] = {}
        for event in events:
            by_thread.setdefault((_place(event), event.thread), []).append(event)
        found: list[Record] = []
        for (place, thread), own in by_thread.items():
            own.sort(key=lambda event: (event.start, -event.duration))
            is_ours = any(event.name in ranges for event in own)
            found += self._thread(own, ranges, place, lane if is_ours else thread)
        found += self._storage(events)
        return found

    def _thread(
        self, events: Sequence[TraceEvent], ranges: Mapping[str, Range], place: str, lane: int
    ) -> Iterator[Span]:
        stack: list[_Open] = []
        closed: list[_Open] = []
        gradients: list[tuple[_Open, int, int]] = []  # the operator, start and end of a gradient
        for event in events:
            end = event.start + event.duration
            while stack and stack[-1].end <= event.start:
                closed.append(stack.pop())
            key = ranges.get(event.name)
            if key is not None:
                stack.append(_Open(key, event.start, end))
            elif event.name == _MEMORY:
                for opened in stack:
                    opened.allocated += max(event.size, 0)
            else:
                self._note_gradient(event, stack, gradients)
                yield Span(TORCH, event.name.removeprefix(_GRADIENT), "", event.start, event.duration, place, lane)
        for opened in (*closed, *stack):
            allocated = opened.allocated if self._knows_memory and opened.key.category in _OPERATORS else None
            yield Span(*opened.key, opened.start, opened.end - opened.start, place, lane, allocated)
        for maker, start, end in gradients:
            category, name, where = maker.key
            yield Span(category, f"_backward_{name}", where, start, end - start, place, lane)

    def _note_gradient(
        self, event: TraceEvent, stack: Sequence[_Open], gradients: list[tuple[_Open, int, int]]
    ) -> None:
        """Finds out whose gradient an event is, or notes whose gradient will have its number."""
        if event.sequence < 0:
            return
        if not event.name.startswith(_GRADIENT):
            inner = next((opened for opened in reversed(stack) if opened.key.category in _OPERATORS), None)
            if inner is not None and not event.forward_thread:
                self._makers[event.thread, event.sequence] = inner
            return
        number = event.forward_thread, event.sequence
        maker = self._makers.get(number) or self._earlier.get(number)
        if maker is None or event.name == _OWN_PROGRAM:
            return
        end = event.start + event.duration
        if gradients and gradients[-1][0] is maker:  # one operator of ours may be several of torch's
            gradients[-1] = maker, gradients[-1][1], end
        else:
            gradients.append((maker, event.start, end))

    def _storage(self, events: Sequence[TraceEvent]) -> Iterator[Value]:
        """The memory in use on each device, beyond what was in use when the profiler was started."""
        changes = sorted((event for event in events if event.name == _MEMORY), key=lambda event: event.start)
        for event in changes:
            place = _place(event)
            self._in_use[place] = self._in_use.get(place, 0) + event.size
            yield Value(STORAGE, f"Memory: {place}", event.start, self._in_use[place])


def _place(event: TraceEvent) -> str:
    """MXNet's name of a device."""
    return CPU if event.device == "cpu" else f"gpu/{event.device_index}"
