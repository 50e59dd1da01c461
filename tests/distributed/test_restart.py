"""Ranks that are killed, and brought back by torch's elastic agent: the run ends as if nothing had happened."""

import contextlib
import os
import signal

import numpy as np
import pytest
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon.contrib import _training_state as checkpoints
from regluon.distributed import group as groups
from regluon.formats import atomic
from tests.distributed.ranks import preload

STEPS, KILLED_AT, BATCH = 8, 5, 4
PLACES = ("forward", "backward", "allreduce", "step", "checkpoint")


class _Killer:
    """Kills this process at a place of a step, in the first attempt."""

    def __init__(self, place, rank):
        is_meant = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and int(os.environ["RANK"]) == rank
        self._place, self._is_armed = place, is_meant
        self.step = -1

    def at(self, place):
        if self._is_armed and place == self._place and self.step == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)


class _Deadly(autograd.Function):
    """Kills in the middle of forward or backward."""

    def __init__(self, killer):
        super().__init__()
        self._killer = killer

    def forward(self, x):
        self._killer.at("forward")
        return x

    def backward(self, dy):
        self._killer.at("backward")
        return dy


def _train(folder, place, rank):
    killer = _Killer(place, rank)
    start, opened, update = groups.ProcessGroup.start_all_reduce, atomic.atomic_write, gluon.Trainer._update

    def deadly_all_reduce(self, tensor, what="all_reduce"):
        pending = start(self, tensor, what)
        if what == "Trainer":
            killer.at("allreduce")  # sent, and not received
        return pending

    def deadly_write(path, who):
        killer.at("checkpoint")
        return opened(path, who)

    def deadly_update(self):
        killer.at("step")
        update(self)

    groups.ProcessGroup.start_all_reduce = deadly_all_reduce
    checkpoints.atomic_write = deadly_write
    gluon.Trainer._update = deadly_update
    gluon.Trainer._update_as_before = lambda self: False
    mx.random.seed(3 + int(os.environ["RANK"]))
    net = gluon.nn.HybridSequential(prefix="net_")
    net.add(
        gluon.nn.Dense(8, in_units=5, prefix="a_"), gluon.nn.Dropout(0.5), gluon.nn.Dense(1, in_units=8, prefix="b_")
    )
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}, kvstore="dist_sync")
    checkpoint = gluon.contrib.Checkpoint(folder, net, trainer)
    progress = checkpoint.restore() or {"step": 0}
    for step in range(progress["step"], STEPS):
        killer.step = step
        with autograd.record():
            loss = _Deadly(killer)(net(nd.random.normal(shape=(BATCH, 5)))).square().sum()
        loss.backward()
        trainer.step(BATCH)
        if checkpoint.save(step=step + 1) is None and rank == 1:
            killer.at("checkpoint")  # rank 0 writes, rank 1 waits for it
    return progress["step"], [parameter.data().asnumpy() for parameter in net.collect_params().values()]


def _launched(folder, place, rank):
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        run_id=os.path.basename(folder),
        max_restarts=1,
        monitor_interval=0.05,
        start_method="forkserver",
    )
    preload()
    with _own_signals():
        return elastic_launch(config, _train)(folder, place, rank)


@contextlib.contextmanager
def _own_signals():
    """The agent handles the signals that ask a program to end, and goes on to when it is done."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run ends with that nobody disturbs."""
    return _launched(str(tmp_path_factory.mktemp("undisturbed")), "nowhere", 0)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.sample(one_in=5)
def test_a_killed_rank_comes_back(place, rank, undisturbed, tmp_path):
    results = _launched(str(tmp_path), place, rank)
    for number, (first_step, weights) in results.items():
        assert first_step == (KILLED_AT + 1 if place == "checkpoint" and rank == 1 else KILLED_AT)
        for found, expected in zip(weights, undisturbed[number][1], strict=True):
            np.testing.assert_array_equal(found, expected)
