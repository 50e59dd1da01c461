"""Hung ranks under `python -m mxnet.launch`: the launcher ends all ranks, and its last line names the hung one."""

import inspect

import pytest
from torch.distributed.elastic.multiprocessing import PContext

from regluon.distributed.launch import local
from tests.test_launch import ON_LINUX, Launcher, wait_for_end

# The hung rank writes its process id and hangs at a point of the program; the other ranks go on.
HANG = """
import os, signal, sys, time
folder, point, how, hung_rank = sys.argv[1:]
rank = os.environ["RANK"]
with open(os.path.join(folder, rank), "w") as stream:
    stream.write(str(os.getpid()))
os.rename(stream.name, stream.name + ".pid")

def reach(place):
    if (place, rank) != (point, hung_rank):
        return
    if how == "stops":
        os.kill(os.getpid(), signal.SIGSTOP)
    if how == "ignores SIGTERM":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)

reach("import")
import mxnet as mx
from mxnet import autograd, gluon, nd

store = mx.kv.create("dist_sync")
reach("init")
store.init("w", nd.zeros(10))
reach("push")
store.push("w", nd.ones(10))
net = gluon.nn.Sequential()
net.add(gluon.nn.Dense(64, in_units=64), gluon.nn.Dense(64, in_units=64), gluon.nn.Dense(64, in_units=64))
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01}, kvstore=store)
for step in range(6):
    with autograd.record():
        loss = net(nd.ones((2, 64))).sum()
    if step == 4:
        reach("backward")
    loss.backward()
    trainer.step(2)
"""

SILENT = "hung or ended: no heartbeat for 3 seconds"
BEHIND = "hung: its process runs, but did not reach"


@ON_LINUX
@pytest.mark.parametrize(
    ("size", "hung", "point", "how", "call", "reason"),
    [
        (2, 1, "push", "sleeps", "kvstore.push", BEHIND),
        (2, 0, "init", "stops", "kvstore.init", SILENT),
        (3, 2, "backward", "ignores SIGTERM", "Trainer", BEHIND),
        (2, 1, "import", "sleeps", "kvstore.create('dist_sync')", "did not join within 3 seconds"),
    ],
)
@pytest.mark.sample(one_in=2)
def test_the_hung_rank_is_named_and_ended(tmp_path, size, hung, point, how, call, reason):
    options = ["-n", str(size), "--timeout", "3"]
    env = {"MXNET_KVSTORE_BUCKET_MB": "0.01"}
    launcher = Launcher(tmp_path, HANG, *options, arguments=[str(tmp_path), point, how, str(hung)], **env)
    workers = launcher.workers(size)
    code, _, err = launcher.finish()
    last = err.splitlines()[-1]
    assert code != 0
    assert last.startswith(f"[mxnet.launch] rank {hung} of {size} {reason}"), err
    (rank,) = [rank for rank in range(size) if last.endswith(f"; rank {rank} waited in {call}.")]
    assert rank != hung
    wait_for_end(workers)


def test_the_agent_kills_workers_soon(monkeypatch):
    """The launcher overrides a default of torch's agent, which has no option for it."""
    assert list(inspect.signature(PContext.close).parameters) == ["self", "death_sig", "timeout"]
    timeouts = []
    monkeypatch.setattr(PContext, "close", lambda context, death_sig, timeout: timeouts.append(timeout))
    local._shorten_shutdown()
    PContext.close(None)
    PContext.close(None, None, 30)
    assert timeouts == [local.SHUTDOWN_SECONDS, 30]
