"""Collective calls between processes."""

import os
import signal
import time

import pytest
import torch
from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

from regluon.distributed import WorkerLostError, launched, report_lost_ranks, world
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
        ("killed", "rank 1 of 3 hung or ended: no heartbeat for 3 seconds"),
        ("stopped", "rank 1 of 3 hung or ended: no heartbeat for 3 seconds"),
        ("hung", "rank 1 of 3 hung: its process runs, but did not reach Trainer.step"),
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


def _lose_one_of_calls_in_flight():
    group = world()
    group.barrier()
    num_calls = {0: 3, 1: 0, 2: 1}[group.rank]
    pending = [group.start_all_reduce(torch.zeros(4), f"bucket {call}") for call in range(num_calls)]
    if group.rank == 1:
        time.sleep(60)
    with pytest.raises(WorkerLostError) as raised:
        pending[0].wait()
    return raised.value.ranks, str(raised.value).partition(". ")[0]


def test_ranks_that_wait_in_the_failed_call_are_not_named():
    """Rank 0 has begun calls that rank 2 has not, but both wait in the same call."""
    ranks = start_ranks(_lose_one_of_calls_in_flight, 3, env={"MXNET_KVSTORE_TIMEOUT": "3"})
    for rank in (0, 2):
        result = ranks._outcome(rank, time.monotonic() + 60).result
        text = f"[bucket 0] failed on rank {rank} of 3: rank 1 of 3 hung: its process runs, but did not reach bucket 0"
        assert result == ((1,), text)
    ranks.kill()


def _report(path):
    os.environ["TORCHELASTIC_ERROR_FILE"] = path
    launch = launched()
    error = report_lost_ranks(
        launch, "kvstore.push", [1], "rank 1 of 2 hung", RuntimeError("[x.cc:1] timed out\nstack")
    )
    return error.ranks, str(error)


def test_the_report_is_what_the_agent_of_torch_reads(tmp_path):
    path = str(tmp_path / "error.json")
    assert run_ranks(_report, 1, path) == [
        (
            (1,),
            "[kvstore.push] failed on rank 0 of 1: rank 1 of 2 hung. Training cannot go on; start all ranks again from "
            "the last checkpoint (`--max-restarts` of the launcher does it). Torch said: timed out",
        )
    ]
    failure = ProcessFailure(local_rank=0, pid=1, exitcode=1, error_file=path)
    assert failure.message == "rank 1 of 2 hung; rank 0 waited in kvstore.push"
    assert failure.error_file_data["lost_ranks"] == [1]
    assert abs(failure.timestamp - time.time()) < 600
    assert [entry.name for entry in tmp_path.iterdir()] == ["error.json"]


_NOT_JOINED = (
    r"^\[distributed\] failed on rank 0 of 2: rank 1 of 2 did not join within 1 seconds at 127.0.0.1:\d+: hung before "
    r"the first use of a store, ended, or was not started\. Training cannot go on"
)


def _wait_for_nobody():
    if int(os.environ["RANK"]) == 1:
        return None
    with pytest.raises(WorkerLostError, match=_NOT_JOINED) as raised:
        world()
    return raised.value.ranks


def test_a_rank_that_never_comes_is_named():
    assert run_ranks(_wait_for_nobody, 2, env={"MXNET_KVSTORE_TIMEOUT": "1"}) == [(1,), None]
