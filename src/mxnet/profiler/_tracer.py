"""Ranges around operators, blocks and calls of the interface, for as long as a profiler runs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from regluon.compiler.profiling import SHOWN_NAMES
from regluon.torch_private import trace_range

from ._records import API, BLOCK, CUSTOM, OPERATOR, Span

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
