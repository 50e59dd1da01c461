"""Rendezvous: ranks join at a store whose address the launcher sets in the environment.

A restarted launch may use the same store, which still has the keys of the previous attempt, and hosts may count
restarts differently. Therefore rank 0 opens a new attempt each time and sends its name to every rank that asks.
"""

import os
import time
import uuid
from datetime import timedelta
from typing import Any, NamedTuple

import torch.distributed as dist

from .environment import Launch
from .failures import WorkerLostError, format_ranks, report_lost_ranks

_POLL_INTERVAL = 0.01  # seconds


class Meeting(NamedTuple):
    """The store of one attempt.

    Attributes:
        store: a view of the rendezvous store with the keys of this attempt only.
        prefix: the prefix of these keys, for other connections to the same store.
    """

    store: Any
    prefix: str


def meet(launch: Launch, timeout: timedelta, who: str = "distributed") -> Meeting:
    """Join and block until all ranks have joined. Raise WorkerLostError with the missing ranks after `timeout`.

    Args:
        launch: the rank of this process and the address of the store.
        timeout: the time limit for all ranks to join.
        who: the call that joins, for error messages.
    """
    store = _connect(launch, timeout, who)
    deadline = time.monotonic() + timeout.total_seconds()
    prefix = _opened(store) if launch.rank == 0 else _asked(store, launch, timeout, who)
    mine = dist.PrefixStore(prefix, store)
    mine.set_timeout(timeout)
    mine.set(f"joined/{launch.rank}", "1")
    missing = list(range(launch.size))
    while missing := [rank for rank in missing if not mine.check([f"joined/{rank}"])]:
        if time.monotonic() > deadline:
            raise _missing(launch, timeout, missing, who)
        if launch.rank == 0:
            _answer(store, prefix)
        time.sleep(_POLL_INTERVAL)
    return Meeting(mine, prefix)


def _connect(launch: Launch, timeout: timedelta, who: str) -> Any:
    for name, value in zip(
        ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
        (launch.rank, launch.size, launch.address, launch.port),
        strict=True,
    ):
        os.environ[name] = str(value)
    try:
        store, _, _ = next(dist.rendezvous("env://", timeout=timeout))
    except (RuntimeError, ValueError) as error:
        reason = (
            f"no rendezvous store answered at {launch.address}:{launch.port} within {timeout.total_seconds():g} "
            "seconds: rank 0 or its launcher, which hosts it, hung, ended, or was not started"
        )
        raise report_lost_ranks(launch, who, [0], reason, error) from error
    store.set_timeout(timeout)
    return store


def _opened(store: Any) -> str:
    """Open a new attempt and return its name. Only rank 0 calls this function."""
    return f"mxnet/{store.add('mxnet/attempts', 1)}"


def _asked(store: Any, launch: Launch, timeout: timedelta, who: str) -> str:
    """Ask rank 0 for the name of the attempt and return its answer."""
    question = uuid.uuid4().hex
    store.set(f"mxnet/question/{store.add('mxnet/questions', 1)}", question)
    try:
        store.wait([f"mxnet/answer/{question}"], timeout)
    except RuntimeError as error:
        raise _missing(launch, timeout, [0], who) from error
    answer: bytes = store.get(f"mxnet/answer/{question}")
    return answer.decode()


def _answer(store: Any, prefix: str) -> None:
    """Answer all open questions. Questions of an earlier attempt are answered too, but their ranks have ended."""
    while store.add("mxnet/answered", 0) < store.add("mxnet/questions", 0):
        number = store.add("mxnet/answered", 1)
        question: bytes = store.get(f"mxnet/question/{number}")
        store.set(f"mxnet/answer/{question.decode()}", prefix)


def _missing(launch: Launch, timeout: timedelta, missing: list[int], who: str) -> WorkerLostError:
    reason = (
        f"{format_ranks(missing, launch.size)} did not join within {timeout.total_seconds():g} seconds at "
        f"{launch.address}:{launch.port}: hung before the first use of a store, ended, or was not started"
    )
    return report_lost_ranks(launch, who, missing, reason)
