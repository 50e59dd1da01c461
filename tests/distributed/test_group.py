"""Collective calls between processes."""

import os
import signal
import time

import pytest
import torch

from mxnet.distributed import WorkerLostError, world
from tests.distributed.ranks import run_ranks, start_ranks


def _collective_calls():
    group = world()
    total = torch.full((3,), float(group.rank + 1))
    group.all_reduce(total)
    copied = torch.full((2,), float(group.rank))
    group.broadcast(copied, root=1)
    rows = [part.tolist() for part in group.all_gather_rows(torch.full((group.rank, 2), group.rank))]
    texts = group.all_gather_bytes(b"x" * group.rank)
    group.barrier()
    return total.tolist(), copied.tolist(), rows, texts, group.broadcast_bytes(b"hello" if group.rank == 0 else b"")


def test_every_rank_gets_the_same():
    results = run_ranks(_collective_calls, 3)
    assert results == [([6.0] * 3, [1.0] * 2, [[], [[1, 1]], [[2, 2], [2, 2]]], [b"", b"x", b"xx"], b"hello")] * 3


def test_one_process_is_a_group_too():
    assert run_ranks(_collective_calls_of_one, 1) == [([2.0], [b"a"])]


def _collective_calls_of_one():
    group = world()
    value = torch.tensor([2.0])
    group.all_reduce(value)
    return value.tolist(), group.all_gather_bytes(b"a")


def _lose_one(how):
    group = world()
    group.barrier()
    if group.rank == 1:
        if how == "hung":
            time.sleep(60)
        os.kill(os.getpid(), {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}[how])
    try:
        group.all_reduce(torch.zeros(4), "Trainer.step")
    except WorkerLostError as error:
        return error.ranks, str(error)
    return None


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("killed", "rank 1 gave no sign of life for 5 seconds"),
        ("stopped", "rank 1 gave no sign of life"),
        ("hung", "rank 1 lives, but did not come to this call in time"),
    ],
)
def test_a_rank_that_is_lost_is_named(how, text):
    ranks = start_ranks(_lose_one, 3, how, env={"MXNET_KVSTORE_TIMEOUT": "3"})
    for rank in (0, 2):
        outcome = ranks._outcome(rank, time.monotonic() + 60)
        missing, message = outcome.result
        assert missing == (1,)
        assert message.startswith(f"[Trainer.step] failed on rank {rank} of 3: ")
        assert text in message
        assert "start all ranks again from the last checkpoint" in message
    ranks.kill()


def _wait_for_nobody():
    if int(os.environ["RANK"]) == 1:
        return None
    with pytest.raises(WorkerLostError, match=r"rank 0 of 2 waited 1 seconds at .* for rank 1: not started") as raised:
        world()
    return raised.value.ranks


def test_a_rank_that_never_comes_is_named():
    assert run_ranks(_wait_for_nobody, 2, env={"MXNET_KVSTORE_TIMEOUT": "1"}) == [(1,), None]
