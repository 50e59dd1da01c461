"""Worker processes."""

import gc
import multiprocessing
import os
import queue
import random
import signal
import time
import traceback
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from regluon.data.workers import Pending, RemoteTraceback, WorkerError, WorkerPool, WorkerTimeoutError
from regluon.data.workers import pool as pool_module
from regluon.data.workers.worker_state import ending


class PickyError(Exception):
    """An error that cannot be copied: its arguments are not those it is made with."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def work(kind, value=None):
    """What the workers of these tests do."""
    return ACTIONS[kind](value)


def fail(error):
    raise error


def pick(_):
    raise PickyError("this", "that")


def with_note(_):
    error = KeyError("lost")
    error.__notes__ = ["while reading sample 17"]
    raise error


ACTIONS = {
    "echo": lambda value: value,
    "pid": lambda _: os.getpid(),
    "sleep": time.sleep,
    "fail": fail,
    "pick": pick,
    "note": with_note,
    "exit": os._exit,
    "ones": nd.ones,
    "draw": lambda _: (random.random(), np.random.rand(), float(nd.random.uniform().asscalar())),
    "unsendable": lambda _: lambda: None,
    "settings": lambda _: (mx.is_np_shape(), mx.is_np_array(), mx.current_context()),
    "parent": lambda _: multiprocessing.parent_process().pid,
}


@pytest.fixture(scope="module")
def pool():
    made = WorkerPool(2, work)
    yield made
    made.terminate()


def same(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (nd.NDArray, np.ndarray)):
        plain_a, plain_b = (x.asnumpy() if isinstance(x, nd.NDArray) else x for x in (a, b))
        return type(a) is type(b) and plain_a.dtype == plain_b.dtype and np.array_equal(plain_a, plain_b)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "text",
        [],
        nd.arange(6).reshape((2, 3)),
        nd.ones((2, 3), dtype="float16"),
        nd.array([True, False], dtype="bool"),
        nd.zeros((3, 1)),
        nd.arange(6).reshape((2, 3)).T,
        np.arange(5),
        np.arange(6).reshape(2, 3).T,
        np.zeros((0, 3), dtype="int8"),
        np.array(["a", "b"]),
        np.float32(3),
        [nd.ones(3), (np.ones(2), {"x": nd.zeros(2), "y": [1, "z"]})],
        {1: nd.ones(1)},
    ],
)
def test_values_travel(pool, value):
    assert same(pool.submit("echo", value).get(20), value)


def test_arrays_have_memory_of_their_own(pool):
    first = pool.submit("ones", (4, 5)).get(20)
    assert first.context == mx.cpu()
    for _ in range(6):
        pool.submit("echo", nd.zeros((4, 5))).get(20)
    assert first.asnumpy().all()
    first[:] = 2
    assert first.asnumpy().sum() == 40


def test_results_come_in_any_order(pool):
    pending = [pool.submit("echo", number) for number in range(20)]
    assert [each.get(20) for each in reversed(pending)] == list(range(19, -1, -1))


def test_all_workers_work(pool):
    pids = {each.get(20) for each in [pool.submit("pid") for _ in range(8)]}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_other_functions(pool):
    assert pool.apply_async(max, (3, 5)).get(20) == 5


def test_errors_arrive_with_their_story(pool):
    with pytest.raises(KeyError, match="lost") as caught:
        pool.submit("note").get(20)
    assert isinstance(caught.value.__cause__, RemoteTraceback)
    text = "".join(traceback.format_exception(caught.value))
    assert "In worker " in text
    assert "while reading sample 17" in text
    assert "in with_note" in text
    assert pool.submit("echo", 1).get(20) == 1


def test_errors_that_cannot_be_copied(pool):
    with pytest.raises(WorkerError, match="a worker failed with PickyError: this and that") as caught:
        pool.submit("pick").get(20)
    assert "in pick" in str(caught.value.__cause__)


def test_results_that_cannot_be_sent(pool):
    with pytest.raises(Exception, match=r"pickle|local object"):
        pool.submit("unsendable").get(20)
    assert pool.submit("echo", 1).get(20) == 1


def test_tasks_that_cannot_be_sent(pool):
    with pytest.raises(Exception, match=r"pickle|local object"):
        pool.submit("echo", lambda: None)
    assert pool.submit("echo", 1).get(20) == 1


def test_seeds(pool):
    first = pool.submit("draw", seed=5).get(20)
    assert {pool.submit("draw", seed=5).get(20) for _ in range(4)} == {first}
    assert pool.submit("draw", seed=6).get(20) != first


def test_timeouts(pool):
    slow = pool.submit("sleep", 1.0)
    with pytest.raises(multiprocessing.TimeoutError, match=r"no worker answered within 0\.05 seconds.*larger timeout"):
        slow.get(0.05)
    assert isinstance(slow, Pending)
    assert slow.get(20) is None
    assert issubclass(WorkerTimeoutError, mx.MXNetError)


def test_workers_take_over_settings():
    with mx.util.np_shape(True), mx.util.np_array(True), mx.cpu(1):
        made = WorkerPool(1, work)
    try:
        assert made.submit("settings").get(20) == (True, True, mx.cpu())
    finally:
        made.terminate()


@pytest.mark.parametrize("ending", ["kill", "exit"])
def test_a_dead_worker_is_noticed_at_once(ending):
    made = WorkerPool(2, work)
    pids = [worker.process.pid for worker in made._workers]
    waiting = [made.submit("sleep", 30), made.submit("sleep", 30)]
    start = time.monotonic()
    if ending == "kill":
        os.kill(pids[1], signal.SIGKILL)
        text = rf"worker 1 \(process {pids[1]}\) was killed by SIGKILL while it had 1 batches to read"
    else:
        made.terminate()
        made = WorkerPool(1, work)
        waiting = [made.submit("exit", 3)]
        text = r"worker 0 \(process \d+\) ended with exit code 3"
    with pytest.raises(WorkerError, match=text):
        waiting[0].get(20)
    assert time.monotonic() - start < 10
    assert not made.is_usable
    with pytest.raises(WorkerError, match="worker"):
        made.submit("echo", 1)


def test_what_was_sent_before_the_end_is_read():
    made = WorkerPool(1, work)
    done, lost = made.submit("echo", 7), made.submit("exit", 1)
    assert done.get(20) == 7
    with pytest.raises(WorkerError, match="exit code 1"):
        lost.get(20)


def test_pools_end_with_their_last_user():
    made = WorkerPool(2, work)
    processes = [worker.process for worker in made._workers]
    pids = [process.pid for process in processes]
    assert made.submit("echo", 1).get(20) == 1
    del made
    gc.collect()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_terminated_pools_say_so():
    made = WorkerPool(1, work)
    waiting = made.submit("sleep", 30)
    made.terminate()
    made.terminate()
    made.join()
    with pytest.raises(WorkerError, match="the workers were ended"):
        waiting.get(5)
    with pytest.raises(WorkerError, match="the workers were ended; make a new DataLoader"):
        made.submit("echo", 1)


def test_a_forked_copy_ends_nobody(pool):
    # The pool's owner is this process: a worker that inherits the object must not end its sisters.
    pool_module._end(pool._workers, os.getpid() + 1)
    assert pool.submit("echo", 1).get(20) == 1


def test_abandoned_results_are_dropped(pool):
    for _ in range(5):
        pool.submit("ones", (100, 100))
    gc.collect()
    assert pool.submit("echo", 2).get(20) == 2
    assert len(pool._waiting) == 0


def count_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_shared_memory_is_used_again():
    made = WorkerPool(1, work)
    try:
        keep = [made.submit("ones", (50, 50)).get(20) for _ in range(3)]
        before = count_files()
        segments = len(made._workers[0].inbox._segments)
        for size in [50] * 100 + [10] * 100:
            keep.append(made.submit("ones", (size, size)).get(20))
        assert count_files() <= before + 1
        assert len(made._workers[0].inbox._segments) <= segments + 1
        # Larger batches get larger segments; the small ones are given up.
        for size in range(60, 100, 10):
            for _ in range(3):
                made.submit("ones", (size, size)).get(20)
        assert len(made._workers[0].inbox._segments) <= segments + 1
    finally:
        made.terminate()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_pools_leave_nothing_open():
    def once():
        made = WorkerPool(1, work)
        made.submit("ones", (5, 5)).get(20)
        made.terminate()

    once()
    before = count_files()
    for _ in range(5):
        once()
    gc.collect()
    assert count_files() <= before


def test_what_cannot_be_sent_is_refused_at_the_start(monkeypatch):
    monkeypatch.setattr(pool_module.multiprocessing, "get_context", multiprocessing.context.SpawnContext)
    with pytest.raises(WorkerError, match=r"could not be started with 'spawn'.*not of lambdas; or pass thread_pool"):
        WorkerPool(1, lambda: None)


def test_arrays_in_queues_of_a_program():
    queue = multiprocessing.SimpleQueue()
    array = nd.arange(12).reshape((3, 4))
    queue.put({"part": array[1:2], "on": nd.ones(2, ctx=mx.cpu(1))})
    found = queue.get()
    assert found["part"].asnumpy().tolist() == [[4, 5, 6, 7]]
    assert found["on"].context == mx.cpu(1)
    queue.close()


class Nobody:
    """A parent that is gone, and a queue that stays empty."""

    def is_alive(self):
        return False

    def get(self, timeout):
        raise queue.Empty


def test_threads_of_opencv_before_the_fork():
    cv2 = pytest.importorskip("cv2")
    before = cv2.getNumThreads()
    cv2.setNumThreads(4)
    try:
        picture = np.zeros((1500, 1500, 3), np.uint8)
        cv2.GaussianBlur(picture, (9, 9), 3)  # wakes them
        pool = WorkerPool(2, work)
        try:
            assert pool.submit("blur", picture).get(60).shape == picture.shape
        finally:
            pool.terminate()
        assert cv2.getNumThreads() == 4
    finally:
        cv2.setNumThreads(before)


def blurred(picture):
    import cv2

    return cv2.GaussianBlur(picture, (9, 9), 3)


ACTIONS["blur"] = blurred


def test_workers_without_a_parent_end(monkeypatch):
    monkeypatch.setattr(pool_module.multiprocessing, "parent_process", Nobody)
    assert pool_module._next_task(Nobody()) is None


def test_work_in_this_process(monkeypatch):
    # What a worker does, step by step: here, where it can be looked at.
    monkeypatch.setattr(pool_module.signal, "signal", lambda *given: None)
    monkeypatch.setattr(pool_module.torch, "set_num_threads", lambda count: None)
    reader, writer = multiprocessing.Pipe(duplex=False)
    tasks = [
        pool_module._Task(0, None, ("ones", (2,)), None, []),
        pool_module._Task(1, None, ("pick",), None, [1]),
        None,
    ]
    monkeypatch.setattr(pool_module, "_next_task", lambda given: given.pop(0))
    pool_module._work_in_process(0, tasks, writer, work, pool_module._Settings(False, False))
    number, packet = ForkingPickler.loads(reader.recv_bytes())
    assert number == 0
    assert packet.segment == 1
    number, failure = ForkingPickler.loads(reader.recv_bytes())
    assert (number, failure.error, failure.summary) == (1, None, "PickyError: this and that")
    reader.close()
    # Nobody listens any more: it ends.
    tasks = [pool_module._Task(2, None, ("echo", 1), None, []), None]
    pool_module._work_in_process(0, tasks, writer, work, pool_module._Settings(False, False))
    assert len(tasks) == 1
    writer.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [(None, "closed its connection"), (2, "ended with exit code 2"), (-9, "was killed by SIGKILL"), (-99, "signal 99")],
)
def test_endings(code, text):
    assert text in ending(code)
