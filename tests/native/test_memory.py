"""Large blocks of memory: they serve again, do not pile up, and are right in children of the process."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import mxnet as mx
import regluon.config
from regluon.native import loading

_MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def module(library: loading.Library) -> Any:
    """The runner in C++, through which torch allocates from now on."""
    assert library.runner is not None
    library.runner.keep_blocks()
    library.runner.release_blocks()
    return library.runner


def _filled(megabytes: float) -> torch.Tensor:
    return torch.ones(int(megabytes * _MEGABYTE) // 4)


def test_a_block_serves_again() -> None:
    first = _filled(3)
    place = first.data_ptr()
    del first
    again = _filled(3)
    assert again.data_ptr() == place
    smaller = _filled(2.9)
    assert smaller.data_ptr() != place  # that one is in use
    del again
    assert _filled(2.5).data_ptr() == place
    assert float(smaller.sum()) == smaller.numel()


def test_a_much_larger_block_is_left_for_others() -> None:
    large = _filled(32)
    place = large.data_ptr()
    del large
    assert _filled(4).data_ptr() != place


def test_small_ones_are_left_to_the_c_library(module: Any) -> None:
    for size in (0, 1, 1000):
        torch.ones(size)
    assert module.release_blocks() == 0


def test_releasing(module: Any) -> None:
    kept = _filled(5)
    assert module.release_blocks() == 0
    del kept
    assert 5 * _MEGABYTE <= module.release_blocks() < 5.1 * _MEGABYTE
    assert module.release_blocks() == 0
    tensor = _filled(5)
    del tensor
    mx.cpu().empty_cache()
    assert (module.release_blocks() == 0) == (regluon.config.process.release_memory is not None)


def test_what_is_kept_is_bounded(module: Any) -> None:
    for size in range(1, 60):  # no block fits the next: some 1,770 MB in all
        _filled(size * 1.01)
    assert module.release_blocks() <= (61 + 64) * _MEGABYTE


def test_resized_and_shared_tensors() -> None:
    tensor = _filled(1)
    view = tensor[10:20]
    tensor.resize_(2 * _MEGABYTE // 4)
    assert view.tolist() == [1.0] * 10
    assert tensor[: _MEGABYTE // 4].eq(1).all()
    with pytest.raises(RuntimeError, match=r"memory|allocate"):
        torch.empty(1 << 50)


def test_threads() -> None:
    def work(number: int) -> bool:
        found = True
        for step in range(50):
            tensor = torch.full(((300 + (number * 7 + step) % 5 * 100) * 1024 // 4,), float(number))
            found = found and bool((tensor == number).all())
        return found

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


_PROGRAM = """
import os, torch
import mxnet as mx
kept = [torch.ones(1 << 18) for _ in range(4)]
child = os.fork()
if child == 0:
    more = [torch.full((1 << 18,), 2.0) for _ in range(4)]
    kept.clear()
    ok = all(float(each.sum()) == 2 << 18 for each in more)
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
assert all(float(each.sum()) == 1 << 18 for each in kept)
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("setting", ["1", "0"])
def test_a_forked_child(setting: str) -> None:
    env = {**os.environ, "MXNET_CPU_MEM_POOL": setting, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", _PROGRAM], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_recurrent_training_does_not_grow() -> None:
    """The heap of the C library grew by a megabyte in each of these steps."""
    net, x = mx.gluon.rnn.LSTM(200, 2, input_size=200), mx.nd.random.uniform(shape=(35, 20, 200))
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")

    def step() -> None:
        with mx.autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(20)

    for _ in range(3):
        step()
    before = _resident()
    for _ in range(60):
        step()
    assert _resident() - before < 24


def _resident() -> float:
    """Megabytes."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the system does not tell")
    time.sleep(0.01)
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE
