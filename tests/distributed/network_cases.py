"""Ranks on a network that is slow, then silent: run in a network namespace of its own by test_network.py."""

import json
import os
import subprocess
import sys
import tempfile
import time

import torch

from regluon.distributed import WorkerLostError, world
from tests.distributed.ranks import start_ranks


def _shape(*words):
    """Changes what the loopback device does with packets."""
    subprocess.run(["tc", "qdisc", "replace", "dev", "lo", "root", *words], check=True)


def _calls(pipe):
    group = world()
    value = torch.ones(200_000)
    group.all_reduce(value)
    with open(pipe, "rb" if group.rank == 0 else "wb"):  # which waits until the other rank has its sum, too
        pass
    if group.rank == 0:
        _shape("pfifo", "limit", "0")  # room for no packet: all are dropped
    begin = time.monotonic()
    try:
        group.all_reduce(value, "Trainer")
        group.all_reduce(value, "Trainer")
    except WorkerLostError as error:
        return value[0].item(), time.monotonic() - begin, str(error)
    return None


def main():
    """Prints what each rank saw."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    _shape("tbf", "rate", "400mbit", "burst", "1mbit", "latency", "100ms")  # beyond that packets are lost
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"{folder}/pipe"
        os.mkfifo(pipe)
        outcomes = start_ranks(_calls, 2, pipe, env={"MXNET_KVSTORE_TIMEOUT": "5"}).outcomes(90)
    print(json.dumps([outcome.result or outcome.error for outcome in outcomes]))


if __name__ == "__main__":
    sys.exit(main())
