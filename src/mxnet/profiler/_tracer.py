"""Trace operator calls and attribute time to blocks."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from regluon.compiler.profiling import SHOWN_NAMES
from regluon.torch_private import TraceEvent, trace_range

from ._records import API, BLOCK, CUSTOM, OPERATOR, STORAGE, TORCH, Record, Span, Value

CPU = "cpu/0"


class Range(NamedTuple):
    """What a range of a trace stands for."""

    category: str
    name: str
    where: str


class _Nesting(threading.local):
    """What a thread is inside of."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.custom = ""  # the operator written in Python whose code runs
        self.num_open = 0  # ranges of blocks and calls
        self.is_whole = False  # whether an operator runs whose parts are not shown


class Tracer:
    """Names what is timed. Lower packages find it as `config.process.tracer`.

    Args:
        symbolic: whether to time the operators of graphs.
        imperative: whether to time operators that are called one by one.
        api: whether to time calls of the interface.
        note: takes what is timed here: torch times the thread that the profiler was started in.
        between: called now and then while no block is running.
    """

    def __init__(
        self,
        symbolic: bool,
        imperative: bool,
        api: bool,
        note: Callable[[Span], None],
        between: Callable[[], None],
    ) -> None:
        self._symbolic, self._imperative, self._api = symbolic, imperative, api
        self._note, self._between = note, between
        self._thread = threading.get_ident()
        self._nesting = _Nesting()
        self._labels: dict[Range, str] = {}
        self.ranges: dict[str, Range] = {}  # by their names in the trace

    # -- what lower packages call -----------------------------------------------------------------------------------

    def timed(self, operator: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of an operator for calls on arrays, in a range."""
        if not self._imperative:
            return function
        name = SHOWN_NAMES.get(operator.name, operator.name)

        def eager(*tensors: Any, **params: Any) -> Any:
            with self._operator(name, ""):
                return function(*tensors, **params)

        return eager

    def step(self, name: str, where: str = "") -> AbstractContextManager[Any]:
        """A range around an operator of a graph, by its name and that of its node."""
        return self._operator(name, where) if self._symbolic else nullcontext()

    @contextmanager
    def whole(self, name: str) -> Iterator[None]:
        """A range around an operator that is called on arrays, and may be computed by others: these are not shown."""
        nesting = self._nesting
        with self._operator(name, "") if self._imperative else nullcontext():
            before, nesting.is_whole = nesting.is_whole, True
            try:
                yield
            finally:
                nesting.is_whole = before

    @contextmanager
    def block(self, name: str) -> Iterator[None]:
        """A range around the call of a block: operators in it are shown with its name."""
        nesting = self._nesting
        nesting.blocks.append(name)
        nesting.num_open += 1
        try:
            with self._range(Range(BLOCK, name, "")):
                yield
        finally:
            nesting.num_open -= 1
            nesting.blocks.pop()

    @contextmanager
    def api(self, name: str) -> Iterator[None]:
        """A range around a call of the interface."""
        nesting = self._nesting
        nesting.num_open += 1
        try:
            with self._range(Range(API, name, self._block())) if self._api else nullcontext():
                yield
        finally:
            nesting.num_open -= 1

    @contextmanager
    def custom(self, name: str) -> Iterator[None]:
        """A range around the code of an operator written in Python: operators in it are shown as its own."""
        nesting = self._nesting
        before = nesting.custom, nesting.is_whole
        nesting.custom, nesting.is_whole = name, False
        nesting.num_open += 1
        try:
            with self._range(Range(CUSTOM, f"{name}::pure_python", self._block())):
                yield
        finally:
            nesting.num_open -= 1
            nesting.custom, nesting.is_whole = before

    # -- ranges -----------------------------------------------------------------------------------------------------

    def _block(self) -> str:
        blocks = self._nesting.blocks
        return blocks[-1] if blocks else ""

    def _operator(self, name: str, where: str) -> AbstractContextManager[Any]:
        nesting = self._nesting
        if nesting.is_whole:
            return nullcontext()
        if not nesting.num_open:
            self._between()
        if nesting.custom:
            return self._range(Range(CUSTOM, f"{nesting.custom}::{name}", where or self._block()))
        return self._range(Range(OPERATOR, name, where or self._block()))

    def _range(self, key: Range) -> AbstractContextManager[Any]:
        if threading.get_ident() != self._thread:
            return self._timed_here(key)
        label = self._labels.get(key)
        if label is None:
            label = self._labels[key] = "mxnet::" + "::".join(key)
            self.ranges[label] = key
        return trace_range(label)

    @contextmanager
    def _timed_here(self, key: Range) -> Iterator[None]:
        """A range in a thread that torch does not time."""
        start = time.time_ns()
        try:
            yield
        finally:
            self._note(Span(*key, start, time.time_ns() - start, CPU, threading.get_native_id()))


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
