"""Batches that workers read."""

import io
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import data
from mxnet.gluon.data import dataloader
from mxnet.gluon.data.vision import transforms

ARRAYS = data.ArrayDataset(nd.arange(46).reshape((23, 2)), np.arange(23))
KINDS = [(0, False), (1, False), (2, False), (2, True)]


def contents(loader):
    return [[part.asnumpy().tolist() for part in batch] for batch in loader]


def rows(loader):
    return [row for batch in loader for row in batch.asnumpy().tolist()]


@pytest.mark.parametrize(("num_workers", "thread_pool"), KINDS[1:])
@pytest.mark.parametrize("last_batch", ["keep", "discard", "rollover"])
@pytest.mark.parametrize("prefetch", [None, 0, 7])
def test_workers_give_what_one_process_gives(num_workers, thread_pool, last_batch, prefetch):
    alone = data.DataLoader(ARRAYS, 4, shuffle=True, last_batch=last_batch)
    many = data.DataLoader(
        ARRAYS,
        4,
        shuffle=True,
        last_batch=last_batch,
        num_workers=num_workers,
        thread_pool=thread_pool,
        prefetch=prefetch,
    )
    mx.random.seed(5)
    expected = [contents(alone) for _ in range(3)]
    mx.random.seed(5)
    assert [contents(many) for _ in range(3)] == expected


def noisy(x):
    """Draws from everything there is."""
    return nd.array([random.random(), np.random.rand(), nd.random.uniform().asscalar(), x])


def noisy_operators(x):
    return nd.concat(nd.random.uniform(shape=2), nd.random.normal(shape=1), nd.array([x]), dim=0)


def test_the_seed_fixes_what_processes_draw():
    def passes(num_workers):
        mx.random.seed(7)
        loader = data.DataLoader(
            data.SimpleDataset(range(10)).transform(noisy), 3, shuffle=True, num_workers=num_workers
        )
        return [rows(loader), rows(loader)]

    first = passes(1)
    assert first[0] != first[1]
    assert len({tuple(row[:3]) for row in first[0] + first[1]}) == 20
    assert passes(2) == passes(3) == first
    mx.random.seed(8)
    assert rows(data.DataLoader(data.SimpleDataset(range(10)).transform(noisy), 3, num_workers=2)) != first[0]


def test_the_seed_fixes_what_operators_in_threads_draw():
    source = data.SimpleDataset(range(40)).transform(noisy_operators)
    loader = data.DataLoader(source, 3, num_workers=3, thread_pool=True)
    mx.random.seed(7)
    first = [rows(loader), rows(loader)]
    mx.random.seed(7)
    assert [rows(loader), rows(loader)] == first
    assert first[0] != first[1]
    # Threads leave the numbers of everybody else alone.
    mx.random.seed(7)
    list(loader)
    after = nd.random.uniform(shape=3).asnumpy().tolist()
    mx.random.seed(7)
    list(data.DataLoader([1], 1, num_workers=1, thread_pool=True))
    assert nd.random.uniform(shape=3).asnumpy().tolist() == after


def test_augmentations_follow_the_seed():
    images = nd.array(np.random.RandomState(0).randint(0, 256, (12, 8, 8, 3)), dtype="uint8")
    augmented = data.SimpleDataset(images).transform(
        transforms.Compose(
            [
                transforms.RandomResizedCrop(6),
                transforms.RandomFlipLeftRight(),
                transforms.RandomColorJitter(0.4, 0.4, 0.4, 0.4),
                transforms.ToTensor(),
                transforms.RandomRotation((-20.0, 20.0)),
            ]
        )
    )
    found = []
    for num_workers, thread_pool in [(1, False), (2, False), (2, True), (0, False), (0, False)]:
        loader = data.DataLoader(augmented, 5, num_workers=num_workers, thread_pool=thread_pool)
        mx.random.seed(3)
        found.append(rows(loader))
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4]


class Broken(data.Dataset):
    """Sample 13 cannot be read."""

    def __len__(self):
        return 20

    def __getitem__(self, index):
        if index == 13:
            raise LookupError("no such thing")
        return index


@pytest.mark.parametrize(("num_workers", "thread_pool"), KINDS)
def test_errors_show_where(num_workers, thread_pool):
    loader = data.DataLoader(Broken(), 3, num_workers=num_workers, thread_pool=thread_pool)
    for _ in range(2):
        batches = iter(loader)
        assert [len(next(batches)) for _ in range(4)] == [3] * 4
        with pytest.raises(LookupError, match="no such thing") as caught:
            next(batches)
        text = "".join(traceback.format_exception(caught.value)) + str(caught.value.__notes__)
        assert "while reading sample 13 of Broken" in text
        assert "in __getitem__" in text


def test_a_pass_goes_on_after_an_error():
    batches = data.DataLoader(Broken(), 4, num_workers=1)._prefetch_iter()
    found = []
    for _ in range(5):
        try:
            found.append(next(batches).shape)
        except LookupError:
            found.append("error")
    assert found == [(4,), (4,), (4,), "error", (4,)]


def test_a_killed_worker_is_an_error_within_seconds():
    loader = data.DataLoader(data.SimpleDataset(range(40)).transform(slowly), 2, num_workers=2)
    batches = iter(loader)
    next(batches)
    start = time.monotonic()
    os.kill(loader._worker_pool._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(mx.MXNetError, match=r"was killed by SIGKILL.*may be out of memory"):
        list(batches)
    assert time.monotonic() - start < 10
    # The next pass has new workers.
    assert len(list(loader)) == 20


def slowly(x):
    time.sleep(0.02)
    return x


def forever(x):
    time.sleep(60)
    return x


@pytest.mark.parametrize("thread_pool", [False, True])
def test_timeouts(thread_pool):
    released = threading.Event()

    def until_released(x):
        released.wait(60)
        return x

    sleepy = data.SimpleDataset([1]).transform(until_released if thread_pool else forever)
    loader = data.DataLoader(sleepy, 1, num_workers=1, thread_pool=thread_pool, timeout=0.005 if thread_pool else 0.2)
    with pytest.raises(
        multiprocessing.TimeoutError, match=r"\[DataLoader\] no worker answered within 0.* seconds"
    ) as found:
        list(loader)
    released.set()
    assert isinstance(found.value, mx.MXNetError)


def impatient(x):
    raise multiprocessing.TimeoutError("of the data set's own")


def test_a_timeout_of_the_data_set_stays_what_it_is():
    loader = data.DataLoader(data.SimpleDataset([1]).transform(impatient), 1, num_workers=1, thread_pool=True)
    with pytest.raises(multiprocessing.TimeoutError, match="of the data set's own"):
        list(loader)


def test_passes_inside_each_other():
    loader = data.DataLoader([1, 2, 3, 4], 2, num_workers=2)
    assert [(a[0].asscalar(), b[0].asscalar()) for a in loader for b in loader] == [(1, 1), (1, 3), (3, 1), (3, 3)]


def test_a_pass_may_be_left():
    loader = data.DataLoader(ARRAYS, 4, num_workers=2)
    for _ in range(5):
        next(iter(loader))
    assert len(contents(loader)) == 6


def test_a_pass_keeps_its_loader():
    batches = iter(data.DataLoader(ARRAYS, 4, num_workers=1))
    assert len(list(batches)) == 6


def test_reading_ahead():
    loader = data.DataLoader(ARRAYS, 4, num_workers=1, auto_reload=True)
    assert loader._iter is not None
    assert len(loader._iter._data_buffer) == 2
    assert contents(loader) == contents(data.DataLoader(ARRAYS, 4))
    assert loader._iter is not None


def test_pinned_batches():
    batch = next(iter(data.DataLoader(ARRAYS, 4, num_workers=1, pin_memory=True)))
    assert {part.context for part in batch} == {mx.cpu_pinned(0)}


def test_lambdas_and_other_batches():
    tagged = data.DataLoader(
        ARRAYS.transform(lambda x, y: (x * 2, f"sample {y}")),
        2,
        batchify_fn=lambda samples: {"names": [name for _, name in samples], "images": [image for image, _ in samples]},
        num_workers=1,
    )
    batch = next(iter(tagged))
    assert batch["names"] == ["sample 0", "sample 1"]
    assert batch["images"][1].asnumpy().tolist() == [4, 6]


def test_switches_reach_threads():
    seen = []
    with mx.util.np_shape(True):
        loader = data.DataLoader(
            data.SimpleDataset([1]).transform(lambda x: seen.append(mx.is_np_shape()) or x),
            1,
            num_workers=1,
            thread_pool=True,
        )
    list(loader)
    assert seen == [True]


def test_negative_numbers_of_workers_are_none():
    assert data.DataLoader(ARRAYS, 4, num_workers=-3)._num_workers == 0


shared = {}


def set_dataset(dataset):
    shared["dataset"] = dataset


def transformed(samples, transform, batchify):
    buffer = io.BytesIO()
    ForkingPickler(buffer, 5).dump(batchify([transform(shared["dataset"][i]) for i in samples]))
    return buffer.getvalue()


def plainly(samples, batchify, dataset):
    return batchify(dataset[i] for i in samples)


def double(x):
    return x * 2


def test_pools_of_a_program():
    # gluon-cv makes its own pool, and overrides _push_next.
    class Iter(dataloader._MultiWorkerIter):
        def _push_next(self):
            indices = next(self._iter, None)
            if indices is not None:
                arguments = (indices, double, self._batchify_fn)
                self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
                self._sent_idx += 1

    with multiprocessing.Pool(1, set_dataset, [nd.arange(6).reshape((3, 2))]) as pool:
        sampler = data.BatchSampler(data.SequentialSampler(3), 2)
        batches = Iter(pool, dataloader.default_mp_batchify_fn, sampler, worker_fn=transformed, prefetch=1)
        assert len(batches) == 2
        assert [batch.asnumpy().tolist() for batch in batches] == [[[0, 2], [4, 6]], [[8, 10]]]
        loaded = dataloader._MultiWorkerIter(pool, sum, [[0, 1], [2]], worker_fn=plainly, dataset=[5, 6, 7], prefetch=1)
        assert list(loaded) == [11, 7]
        pool.terminate()
        pool.join()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_nothing_leaks_over_many_passes():
    loader = data.DataLoader(ARRAYS, 4, shuffle=True, num_workers=2)
    kept = list(loader)

    def state():
        own = len(os.listdir("/proc/self/fd"))
        theirs = [len(os.listdir(f"/proc/{w.process.pid}/fd")) for w in loader._worker_pool._workers]
        shared = len([name for name in os.listdir("/dev/shm") if str(os.getpid()) in name])
        return own, *theirs, shared

    def passes(count):
        for number in range(count):
            if number % 3:
                kept.extend(loader)
            else:
                next(iter(loader))  # leaves batches on their way

    passes(20)
    before = state()
    passes(60)
    # Workers hold a segment for each batch on its way: one may come or go.
    assert all(after <= earlier + 3 for after, earlier in zip(state(), before, strict=True)), (before, state())


SPAWNED = """
    import multiprocessing
    import numpy as np
    import mxnet as mx
    from mxnet import gluon, nd
    from mxnet.gluon.data.vision import transforms

    def main():
        images = nd.array(np.arange(6 * 4 * 4 * 3).reshape((6, 4, 4, 3)) % 256, dtype="uint8")
        steps = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.25)])
        dataset = gluon.data.ArrayDataset(images, np.arange(6)).transform_first(steps)
        mx.random.seed(1)
        alone = list(gluon.data.DataLoader(dataset, 4, shuffle=True))
        mx.random.seed(1)
        for (x, y), (a, b) in zip(gluon.data.DataLoader(dataset, 4, shuffle=True, num_workers=1), alone):
            assert (x.asnumpy() == a.asnumpy()).all() and (y.asnumpy() == b.asnumpy()).all()
        print("alike")

    if __name__ == "__main__":
        multiprocessing.set_start_method("spawn")
        main()
"""


def test_workers_may_be_spawned(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(textwrap.dedent(SPAWNED))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "alike\n", done.stderr


def test_private_attributes():
    # MXNet's programs read attributes of a loader.
    loader = gluon.data.DataLoader(ARRAYS, 4, num_workers=2)
    assert (loader._num_workers, loader._prefetch) == (2, 4)
    assert loader._worker_pool is not None
