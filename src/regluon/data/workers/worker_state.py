"""Seed workers, limit their threads and transport their errors."""

import contextlib
import multiprocessing
import random
import signal
import sys
import traceback
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, NoReturn

import numpy as np
import torch

from ...base import MXNetError
from ...context import cpu
from ...rng import generator, seed_all


def draw_seed() -> int:
    """A number from the generator that `mx.random.seed` sets: the root of all seeds of one pass."""
    return int(torch.randint(2**62, (), generator=generator(cpu())))


def batch_seed(root: int, number: int) -> int:
    """The seed of one batch of a pass."""
    return int(np.random.SeedSequence((root, number)).generate_state(1, np.uint64)[0]) >> 1


def seed_process(seed: int) -> None:
    """Seeds all that a transform may draw from, in a process where nobody else draws."""
    seed_all(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Operators that this thread calls inside do not wake others.

    Spreading a task of some hundred microseconds over cores costs more than it gains, and far more where other
    programs use the cores too.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def without_opencv_threads() -> Iterator[None]:
    """Inside, OpenCV has no threads of its own: what is forked here begins without.

    Threads do not survive a fork, but OpenCV believes in them: a child that used them, or ended them, would wait for
    ever.
    """
    cv2 = sys.modules.get("cv2")
    if cv2 is None:
        yield
        return
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


class WorkerError(MXNetError):
    """A worker process ended, or could not be started."""


class WorkerTimeoutError(WorkerError, multiprocessing.TimeoutError):
    """A worker did not answer in time."""

    @classmethod
    def after(cls, seconds: float, others: str) -> "WorkerTimeoutError":
        """The error for so many seconds of waiting; `others` is what else could be done."""
        return cls(
            f"[DataLoader] no worker answered within {seconds:g} seconds. If reading a batch takes longer, pass a "
            f"larger timeout; {others}."
        )


class RemoteTraceback(Exception):
    """Where in a worker an error came up: the cause of the error that is raised here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


class Failure(NamedTuple):
    """An error on its way from a worker: itself, as bytes, where it can travel; and its story."""

    error: bytes | None
    summary: str
    story: str


def failure_of(error: BaseException, worker: int) -> Failure:
    """Packs an error up, in a worker."""
    notes = [str(note) for note in getattr(error, "__notes__", ())]
    heading = "".join(f"{note}\n" for note in (f"In worker {worker}:", *notes))
    story = heading + "".join(traceback.format_exception(type(error), error, error.__traceback__))
    summary = f"{type(error).__name__}: {error}"
    try:
        packed = bytes(ForkingPickler.dumps(error))
        is_same = type(ForkingPickler.loads(packed)) is type(error)
    except Exception:  # whatever a class of errors does when it is copied: the story remains
        return Failure(None, summary, story)
    return Failure(packed if is_same else None, summary, story)


def raise_failure(failure: Failure) -> NoReturn:
    """Raises a worker's error, with what happened there as its cause."""
    error: Any = None
    if failure.error is not None:
        error = ForkingPickler.loads(failure.error)
    if error is None:
        error = WorkerError(f"[DataLoader] a worker failed with {failure.summary}")
    raise error from RemoteTraceback(failure.story)


def ending(exitcode: int | None) -> str:
    """How a process ended, in words."""
    if exitcode is None:
        return "closed its connection"
    if exitcode < 0:
        try:
            return f"was killed by {signal.Signals(-exitcode).name}"
        except ValueError:
            return f"was killed by signal {-exitcode}"
    return f"ended with exit code {exitcode}"
