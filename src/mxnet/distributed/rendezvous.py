"""How ranks find each other: at a store whose address the launcher has told them.

A launch that is restarted may meet at the same store, where keys of the ranks before still lie, and hosts may count
restarts differently. So rank 0 opens a new attempt each time, and tells its name to everyone who asks.
"""

import os
import time
import uuid
from datetime import timedelta
from typing import Any, NamedTuple

import torch.distributed as dist

from .environment import Launch
from .failures import WorkerLostError

_PAUSE = 0.01  # seconds between two looks at who has come


class Meeting(NamedTuple):
    """Where the ranks of one attempt leave word for each other.

    Attributes:
        store: of this attempt alone.
        prefix: what its keys begin with, for other connections.
    """

    store: Any
    prefix: str


def meet(launch: Launch, timeout: timedelta) -> Meeting:
    """Waits for all ranks; one that does not come in time is named."""
    store = _connect(launch, timeout)
    deadline = time.monotonic() + timeout.total_seconds()
    prefix = _opened(store) if launch.rank == 0 else _asked(store, launch, timeout)
    mine = dist.PrefixStore(prefix, store)
    mine.set_timeout(timeout)
    mine.set(f"joined/{launch.rank}", "1")
    missing = list(range(launch.size))
    while missing := [rank for rank in missing if not mine.check([f"joined/{rank}"])]:
        if time.monotonic() > deadline:
            raise _missing(launch, timeout, missing)
        if launch.rank == 0:
            _answer(store, prefix)
        time.sleep(_PAUSE)
    return Meeting(mine, prefix)


def _connect(launch: Launch, timeout: timedelta) -> Any:
    for name, value in zip(
        ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
        (launch.rank, launch.size, launch.address, launch.port),
        strict=True,
    ):
        os.environ[name] = str(value)
    try:
        store, _, _ = next(dist.rendezvous("env://", timeout=timeout))
    except (RuntimeError, ValueError) as error:
        raise WorkerLostError(
            f"[distributed] rank {launch.rank} of {launch.size} found no one at {launch.address}:{launch.port} in "
            f"{timeout.total_seconds():g} seconds: rank 0, or its launcher, keeps the meeting point there. Torch said: "
            f"{str(error).splitlines()[0]}",
            (0,),
        ) from error
    store.set_timeout(timeout)
    return store


def _opened(store: Any) -> str:
    """The name of a new attempt: rank 0's part."""
    return f"mxnet/{store.add('mxnet/attempts', 1)}"


def _asked(store: Any, launch: Launch, timeout: timedelta) -> str:
    """The name of the attempt that rank 0 has opened, or will open."""
    question = uuid.uuid4().hex
    store.set(f"mxnet/question/{store.add('mxnet/questions', 1)}", question)
    try:
        store.wait([f"mxnet/answer/{question}"], timeout)
    except RuntimeError as error:
        raise _missing(launch, timeout, [0]) from error
    answer: bytes = store.get(f"mxnet/answer/{question}")
    return answer.decode()


def _answer(store: Any, prefix: str) -> None:
    """Answers all questions that have not been answered; whoever asked in an earlier attempt reads none any more."""
    while store.add("mxnet/answered", 0) < store.add("mxnet/questions", 0):
        number = store.add("mxnet/answered", 1)
        question: bytes = store.get(f"mxnet/question/{number}")
        store.set(f"mxnet/answer/{question.decode()}", prefix)


def _missing(launch: Launch, timeout: timedelta, missing: list[int]) -> WorkerLostError:
    names = ", ".join(map(str, missing))
    return WorkerLostError(
        f"[distributed] rank {launch.rank} of {launch.size} waited {timeout.total_seconds():g} seconds at "
        f"{launch.address}:{launch.port} for rank {names}: not started, or ended before it used a store.",
        tuple(missing),
    )
