"""The profiler of the process: whether it runs, and what it has seen."""

import atexit
import logging
import os
import threading
import time
from typing import Any

from regluon.array import native_arithmetic
from regluon.array.arithmetic import renew_kernels
from regluon.config import process, read
from regluon.native import runner
from regluon.ops.registry import names
from regluon.torch_private import start_trace, stop_trace

from ..base import MXNetError
from ._records import Record
from ._report import Statistics, TraceFile
from ._settings import Settings, from_environment
from ._tracer import Attribution, Tracer


class Profiler:
    """Starts and stops torch's profiler, and collects what it has timed."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._settings = from_environment()
        self._statistics = Statistics()
        self._records: list[Record] = []  # not yet in the file
        self._is_on = self._is_paused = self._has_run = False
        self._tracer: Tracer | None = None
        self._attribution = Attribution(False)
        self._trace: Any = None
        self._thread = self._lane = self._started = self._origin = 0
        self._file: TraceFile | None = None
        self._due = 0.0  # when to write next
        self._had_native_arithmetic = False
        self.store: Any = None  # what `set_kvstore_handle` was given

    @property
    def is_active(self) -> bool:
        """Whether something is being timed now."""
        return self._tracer is not None

    def note(self, record: Record) -> None:
        """Takes what was seen elsewhere, while the profiler is active."""
        if self._tracer is not None:
            self._records.append(record)
            self._statistics.add((record,))

    # -- states -----------------------------------------------------------------------------------------------------

    def configure(self, settings: Settings) -> None:
        """Changes what is looked at from now on, and where it is written."""
        with self._lock:
            self._leave()
            if settings.filename != self._settings.filename:
                self._file = None
            self._settings = settings
            self._adjust()

    def switch(self, on: bool) -> None:
        """Runs or stops; a profiler that is switched is not paused."""
        with self._lock:
            self._is_on, self._is_paused = on, False
            self._adjust()

    def pause(self, is_paused: bool) -> None:
        """Looks away, or looks again if it runs."""
        with self._lock:
            self._is_paused = is_paused
            self._adjust()

    def _adjust(self) -> None:
        if self._is_on and not self._is_paused:
            self._enter()
        else:
            self._leave()

    def _enter(self) -> None:
        if self._tracer is not None:
            return
        settings = self._settings
        symbolic, imperative, api = map(settings.sees, ("symbolic", "imperative", "api"))
        self._attribution = Attribution(settings.sees("memory"))
        self._begin_trace()
        if not self._has_run:
            self._origin = self._started
        self._has_run = True
        self._due = time.monotonic() + settings.dump_period
        self._put_in_place(Tracer(symbolic, imperative, api, self.note, self._write_when_due))

    def _leave(self) -> None:
        if self._tracer is None:
            return
        if threading.get_ident() != self._thread:
            raise MXNetError(
                "[profiler] it was started in another thread, which torch times; stop, pause or configure it there."
            )
        self._collect(goes_on=False)
        self._put_in_place(None)

    # -- what was timed ---------------------------------------------------------------------------------------------

    def _begin_trace(self) -> None:
        self._started = time.time_ns()
        try:
            self._trace = start_trace(self._settings.sees("memory"))
        except RuntimeError as error:
            self.forget()
            raise MXNetError(
                f"[profiler] torch cannot start a trace ({str(error).splitlines()[0]}); expected that none is running "
                "in this process. Stop the other one first, such as a `with torch.profiler.profile():`."
            ) from error
        self._thread, self._lane = threading.get_ident(), threading.get_native_id()

    def _collect(self, goes_on: bool = True) -> None:
        """Takes over what torch has timed; other threads than the one it times cannot."""
        if self._tracer is None or threading.get_ident() != self._thread:
            return
        events = stop_trace(self._trace, self._started)
        if goes_on:
            self._begin_trace()
        found = self._attribution.records(events, self._tracer.ranges, self._lane)
        self._records += found
        self._statistics.add(found)

    def text(self, is_json: bool, sort_by: str, ascending: bool, reset: bool) -> str:
        """The statistics."""
        with self._lock:
            self._collect()
            show = self._statistics.json if is_json else self._statistics.table
            found = show(sort_by, ascending)
            if reset:
                self._statistics.clear()
            return found

    def dump(self, is_finished: bool) -> None:
        """Writes what was seen to the file.

        Args:
            is_finished: whether to stop; the next run begins a new file.
        """
        with self._lock:
            if not self._has_run:
                raise MXNetError(
                    "[profiler] there is nothing to dump: it has not run since the last dump. Call "
                    "profiler.set_state('run') first."
                )
            if is_finished:
                self.switch(False)
            else:
                self._collect()
            if self._file is None:
                self._file = TraceFile(self._settings.filename, self._origin)
            self._file.append(self._records)
            self._records = []
            self._due = time.monotonic() + self._settings.dump_period
            if is_finished:
                self._has_run, self._file = False, None

    def _write_when_due(self) -> None:
        if time.monotonic() >= self._due and self._settings.continuous_dump and threading.get_ident() == self._thread:
            self.dump(False)

    def finish(self) -> None:
        """Writes what is not yet written, at the end of the program."""
        if self._has_run and (self._tracer is None or threading.get_ident() == self._thread):
            try:
                self.dump(True)
            except MXNetError as error:  # nobody is left to catch it
                logging.getLogger("mxnet").warning("%s", error)

    def forget(self) -> None:
        """Ends without looking at the trace."""
        self._is_on = False
        if self._tracer is not None:
            self._put_in_place(None)

    def _put_in_place(self, tracer: Tracer | None) -> None:
        """Has the lower packages time what they do, or not.

        Where calls would notice that something is looked up, they are given other functions instead.
        """
        self._tracer = process.tracer = tracer
        for _, operator in names():
            operator.renew_eager()
        renew_kernels()
        if tracer is not None:
            self._had_native_arithmetic = native_arithmetic.remove()
        elif self._had_native_arithmetic and (native := runner()) is not None:
            native_arithmetic.install(native)


profiler = Profiler()


def _forget_in_child() -> None:
    """A forked process is not the one that was asked for, and must not write its file."""
    profiler.forget()
    atexit.unregister(profiler.finish)


atexit.register(profiler.finish)
os.register_at_fork(after_in_child=_forget_in_child)
if read("MXNET_PROFILER_AUTOSTART") == "1":
    profiler.switch(True)
