"""A pool of worker processes that says which one failed, where, and when one dies."""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, NoReturn

import torch

from ...config import switches
from ...context import cpu
from .segments import Inbox, Outbox, Packet
from .worker_state import (
    Failure,
    WorkerError,
    WorkerTimeoutError,
    ending,
    failure_of,
    raise_failure,
    seed_process,
    without_opencv_threads,
)

# How often a worker looks whether its parent still lives, and how long one that is told to end may take, in seconds.
_WATCH = 5.0
_PATIENCE = 2.0


class _Task(NamedTuple):
    """Something to do: a call of `function`, or of the pool's own work if there is none."""

    number: int
    function: Callable[..., Any] | None
    arguments: tuple[Any, ...]
    seed: int | None
    released: list[int]


class _Settings(NamedTuple):
    """What a worker takes over from the thread that starts it."""

    np_shape: bool
    np_array: bool


class Pending:
    """A result that is on its way."""

    def __init__(self, pool: "WorkerPool") -> None:
        self._pool = pool
        self.is_done = False
        self.value: Any = None
        self.failure: Failure | None = None

    def get(self, timeout: float | None = None) -> Any:
        """Waits for the result.

        Args:
            timeout: seconds to wait at most; without end by default.

        Raises:
            WorkerTimeoutError: it did not come in time.
            WorkerError: a worker process died.
        """
        self._pool._wait_for(self, timeout)
        if self.failure is not None:
            raise_failure(self.failure)
        return self.value


class _Worker:
    """One process, seen from its parent."""

    def __init__(self, number: int, work: Callable[..., Any], settings: _Settings) -> None:
        context = multiprocessing.get_context()
        self.tasks: Any = context.Queue()
        self.replies: Connection
        self.replies, theirs = context.Pipe(duplex=False)
        self.inbox = Inbox()
        self.load = 0  # tasks it was given and has not answered
        self.process = context.Process(
            target=_work_in_process,
            args=(number, self.tasks, theirs, work, settings),
            name=f"DataLoader worker {number}",
            daemon=True,
        )
        try:
            self.process.start()
        except Exception as error:
            self.close()
            raise WorkerError(
                f"[DataLoader] a worker could not be started with {context.get_start_method()!r}: "
                f"{type(error).__name__}: {error}. Started this way, a worker receives a copy of the dataset, its "
                "transforms and batchify_fn: make them of functions and classes at the top of a module, not of "
                "lambdas; or pass thread_pool=True."
            ) from error
        finally:
            theirs.close()

    def close(self) -> None:
        """Frees what the parent holds for it."""
        self.replies.close()
        self.tasks.cancel_join_thread()
        self.tasks.close()


class WorkerPool:
    """Processes that wait for work.

    Args:
        num_workers: their number.
        work: what each of them does with the arguments of a task; it travels once, when the worker is started.
    """

    def __init__(self, num_workers: int, work: Callable[..., Any]) -> None:
        settings = _Settings(switches.np_shape, switches.np_array)
        self._lock = threading.Lock()
        self._waiting: weakref.WeakValueDictionary[int, Pending] = weakref.WeakValueDictionary()
        self._count = 0
        self._failure: str | None = None
        self._workers: list[_Worker] = []
        self._finalizer = weakref.finalize(self, _end, self._workers, os.getpid())
        try:
            with without_opencv_threads():
                for number in range(num_workers):
                    self._workers.append(_Worker(number, work, settings))
        except BaseException:
            self.terminate()
            raise

    @property
    def is_usable(self) -> bool:
        """Whether all workers live."""
        return self._failure is None and self._finalizer.alive

    def submit(self, *arguments: Any, seed: int | None = None) -> Pending:
        """Gives the pool's work to the worker that has least to do.

        Args:
            arguments: what the work is called with.
            seed: what to seed all random numbers in the worker with before.
        """
        return self._send(None, arguments, seed)

    def apply_async(self, func: Callable[..., Any], args: tuple[Any, ...] = ()) -> Pending:
        """Gives any other function to a worker, as pools of the standard library do."""
        return self._send(func, tuple(args), None)

    def _send(self, function: Callable[..., Any] | None, arguments: tuple[Any, ...], seed: int | None) -> Pending:
        with self._lock:
            if not self.is_usable:
                raise WorkerError(self._failure or "[DataLoader] the workers were ended; make a new DataLoader.")
            worker = min(self._workers, key=lambda each: each.load)
            task = _Task(self._count, function, arguments, seed, worker.inbox.released)
            # Here, not in the thread of the queue: what cannot be sent is an error of this call.
            message = bytes(ForkingPickler.dumps(task))
            worker.tasks.put(message)
            worker.inbox.released = []
            worker.load += 1
            pending = Pending(self)
            self._waiting[self._count] = pending
            self._count += 1
        return pending

    def _wait_for(self, pending: Pending, timeout: float | None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while not pending.is_done:
            with self._lock:
                if not pending.is_done:
                    self._receive(None if deadline is None else max(0.0, deadline - time.monotonic()), timeout)

    def _receive(self, remaining: float | None, timeout: float | None) -> None:
        """Waits for answers and takes them; finds out if a worker died."""
        if not self.is_usable:
            raise WorkerError(self._failure or "[DataLoader] the workers were ended while a batch was on its way.")
        places: dict[Any, _Worker] = {worker.replies: worker for worker in self._workers}
        ends: dict[Any, _Worker] = {worker.process.sentinel: worker for worker in self._workers}
        ready = wait([*places, *ends], remaining)
        if not ready:
            assert timeout is not None
            raise WorkerTimeoutError.after(timeout, "if the machine runs out of memory, use fewer workers")
        answered = [places[each] for each in ready if each in places]
        for worker in answered:
            self._take(worker)
        # What a worker sent before it ended is read first: it may be all that was asked for.
        dead = [ends[each] for each in ready if each in ends]
        if dead and not answered:
            self._give_up(dead[0])

    def _take(self, worker: _Worker) -> None:
        try:
            number, answer = ForkingPickler.loads(worker.replies.recv_bytes())
        except (EOFError, OSError):
            self._give_up(worker)
        worker.load -= 1
        pending = self._waiting.pop(number, None)
        if isinstance(answer, Packet):
            # Read even if nobody waits for it any more: the segment is to be used again.
            value = worker.inbox.unpack(answer)
            if pending is not None:
                pending.value = value
        elif pending is not None:
            pending.failure = answer
        if pending is not None:
            pending.is_done = True

    def _give_up(self, worker: _Worker) -> NoReturn:
        worker.process.join(_PATIENCE)
        self._failure = (
            f"[DataLoader] worker {self._workers.index(worker)} (process {worker.process.pid}) "
            f"{ending(worker.process.exitcode)} while it had {worker.load} batches to read. If nobody else ended it, "
            "the machine may be out of memory: use fewer workers or smaller batches. A worker that ends at once may "
            "lack `if __name__ == '__main__':` around the main program, or crash in a transform: num_workers=0 shows "
            "where."
        )
        self.terminate()
        raise WorkerError(self._failure)

    def terminate(self) -> None:
        """Ends all workers; what is on its way is lost."""
        self._finalizer()

    close = terminate

    def join(self) -> None:
        """Waits until the workers ended; terminate() has done so."""


def _end(workers: list[_Worker], owner: int) -> None:
    """Ends processes. Their copies in processes that were forked from the owner are not theirs to end."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join(_PATIENCE)
        worker.close()
        with contextlib.suppress(ValueError):  # one that even kill did not end yet
            worker.process.close()
    workers.clear()


# -- in the worker --------------------------------------------------------------------------------------------------


def _work_in_process(
    number: int, tasks: Any, replies: Connection, work: Callable[..., Any], settings: _Settings
) -> None:
    """What a worker does until it is told to end or its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    # The workers themselves are the threads. A forked one has OpenCV's number from its parent, and must not set it.
    torch.set_num_threads(1)
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
    switches.np_shape, switches.np_array = settings
    outbox = Outbox()
    with cpu():
        while (task := _next_task(tasks)) is not None:
            outbox.release(task.released)
            message = _answer(number, task, work, outbox)
            try:
                replies.send_bytes(message)
            except BrokenPipeError:
                return


def _next_task(tasks: Any) -> _Task | None:
    parent = multiprocessing.parent_process()
    while True:
        try:
            message = tasks.get(timeout=_WATCH)
        except queue.Empty:
            if parent is not None and not parent.is_alive():
                return None
        else:
            task: _Task = ForkingPickler.loads(message)
            return task


def _answer(number: int, task: _Task, work: Callable[..., Any], outbox: Outbox) -> Any:
    try:
        if task.seed is not None:
            seed_process(task.seed)
        result = (task.function or work)(*task.arguments)
        return ForkingPickler.dumps((task.number, outbox.pack(result)))
    except Exception as error:
        return ForkingPickler.dumps((task.number, failure_of(error, number)))
