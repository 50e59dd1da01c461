"""Stores of workers that wait for each other."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.kvstore.base import KVStoreBase
from tests.distributed.ranks import run_ranks

SHAPE = (4, 3)


def _facts():
    return [(kv.type, kv.rank, kv.num_workers, kv.is_capable("optimizer")) for kv in map(mx.kv.create, _NAMES)]


_NAMES = ("dist", "dist_sync", "dist_device_sync", "dist_sync_device")


def test_names():
    assert run_ranks(_facts, 2) == [[(name, rank, 2, True) for name in _NAMES] for rank in range(2)]


def _sums():
    kv = mx.kv.create("dist_sync")
    mine = mx.nd.full(SHAPE, kv.rank + 1)
    kv.init("a", mine)  # rank 0's counts
    kv.init(["b", "c"], [mx.nd.zeros(SHAPE, dtype="float16"), mx.nd.zeros((1200, 1200))])
    out = [mx.nd.zeros(SHAPE), mx.nd.zeros(SHAPE, dtype="float16"), mx.nd.zeros((1200, 1200))]
    kv.pull("a", out[0])
    first = out[0].asnumpy()
    kv.push("a", [mine, mine])  # of two devices
    kv.push(["b", "c"], [mine.astype("float16"), mx.nd.full((1200, 1200), kv.rank + 1)])
    kv.pull(["a", "b", "c"], out)
    kv.pushpull("a", mine)
    kv.barrier()
    return first.max(), [np.unique(each.asnumpy()).tolist() for each in out], mine.asnumpy().max()


def test_sums_over_workers_are_not_divided():
    assert run_ranks(_sums, 3) == [(1.0, [[12.0], [6.0], [6.0]], 6.0)] * 3


def _pull_alone():
    kv = mx.kv.create("dist_sync")
    kv.init(3, mx.nd.ones(SHAPE))
    kv.push(3, mx.nd.ones(SHAPE))
    if kv.rank == 1:
        out = mx.nd.zeros(SHAPE)
        kv.pull(3, out)
        return out.asnumpy().max()
    return None


def test_a_pull_waits_for_nobody():
    assert run_ranks(_pull_alone, 2) == [None, 2.0]


def _updates(steps):
    mx.random.seed(1 + mx.kv.create("dist_sync").rank)
    results = []
    for name, arguments in (("sgd", {"momentum": 0.9}), ("adam", {}), ("sgld", {})):
        kv = mx.kv.create("dist_sync")
        kv.set_optimizer(mx.optimizer.create(name, learning_rate=0.1, **arguments))
        kv.init("w", mx.nd.ones(SHAPE))
        out = mx.nd.zeros(SHAPE)
        for step in range(steps):
            kv.push("w", mx.nd.full(SHAPE, (kv.rank + 1) * (step + 1)))
            kv.pull("w", out)
        results.append(out.asnumpy())
    return results


def test_every_worker_sees_the_same_update():
    first, second = run_ranks(_updates, 2, 3)
    for mine, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, other)  # SGLD draws the same noise
    local = mx.kv.create("local")
    local.set_optimizer(mx.optimizer.create("adam", learning_rate=0.1))
    local.init("w", mx.nd.ones(SHAPE))
    for step in range(3):
        local.push("w", mx.nd.full(SHAPE, 3 * (step + 1)))
    out = mx.nd.zeros(SHAPE)
    local.pull("w", out)
    np.testing.assert_array_equal(first[1], out.asnumpy())


def _own_updater():
    kv = mx.kv.create("dist_sync")
    kv.init(1, mx.nd.ones(SHAPE))

    def update(key, pushed, stored):
        stored[:] = stored * 10 + pushed

    kv.set_updater(update)
    out = mx.nd.zeros(SHAPE)
    kv.pushpull(1, mx.nd.ones(SHAPE), out)
    return out.asnumpy().max()


def test_updaters():
    assert run_ranks(_own_updater, 2) == [12.0, 12.0]


def _rows(dtype):
    kv = mx.kv.create("dist_sync")
    first = mx.nd.full(SHAPE, kv.rank + 1, dtype=dtype).tostype("row_sparse")
    kv.init("w", first)
    kv.set_optimizer(mx.optimizer.create("test", rescale_grad=2))
    dense = mx.nd.zeros(SHAPE, dtype=dtype)
    dense[kv.rank] = kv.rank + 1
    dense[3] = 1
    kv.push("w", dense.tostype("row_sparse"))
    kv.push("w", mx.nd.sparse.zeros("row_sparse", SHAPE, dtype=dtype))  # nothing at all
    out = mx.nd.sparse.zeros("row_sparse", SHAPE, dtype=dtype)
    kv.row_sparse_pull("w", out, row_ids=mx.nd.array([0, 1, 3]))
    return out.asnumpy()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows(dtype):
    expected = np.zeros(SHAPE)
    expected[[0, 1, 3]] = np.array([[3], [5], [5]])
    for result in run_ranks(_rows, 2, dtype):
        np.testing.assert_array_equal(result, expected)


def _compressed(threshold):
    kv = mx.kv.create("dist_sync")
    kv.set_gradient_compression({"type": "2bit", "threshold": threshold})
    kv.init(["a", "b"], [mx.nd.zeros((7, 5)), mx.nd.zeros((7, 5), dtype="float16")])
    rng = np.random.RandomState(kv.rank)
    sent, received = [], []
    for _ in range(4):
        gradient = rng.normal(size=(7, 5)).astype("float32")
        out = mx.nd.zeros((7, 5))
        kv.pushpull("a", mx.nd.array(gradient), out)
        sent.append(gradient)
        received.append(out.asnumpy())
    exact = mx.nd.zeros((7, 5), dtype="float16")  # half precision is not compressed, as in MXNet
    kv.pushpull("b", mx.nd.full((7, 5), 0.25, dtype="float16"), exact)
    before = kv.group.bytes_sent
    kv.init("big", mx.nd.zeros(160_000))
    begin = kv.group.bytes_sent
    kv.push("big", mx.nd.ones(160_000))
    return sent, received, exact.asnumpy().max(), (kv.group.bytes_sent - begin) / (160_000 * 4), before


def test_compression_keeps_what_it_does_not_send():
    threshold = 0.5
    results = run_ranks(_compressed, 2, threshold)
    residuals = [np.zeros((7, 5), "float32") for _ in results]
    for step in range(4):
        total = np.zeros((7, 5))
        for rank, (sent, *_) in enumerate(results):
            residuals[rank] += sent[step]
            code = np.where(residuals[rank] >= threshold, 1, np.where(residuals[rank] <= -threshold, -1, 0))
            residuals[rank] -= (threshold * code).astype("float32")
            total += threshold * code
        for _, received, *_ in results:
            np.testing.assert_allclose(received[step], total, rtol=0, atol=1e-7)
    for _, _, exact, share, _ in results:
        assert exact == 0.5
        assert share == 1 / 16  # of the bytes that a sum over two workers sends


def test_compression_within_a_process():
    kv = mx.kv.create("device")
    kv.set_gradient_compression({"type": "2bit", "threshold": 2.0})
    kv.init("a", mx.nd.zeros((2,)))
    out = mx.nd.zeros((2,))
    for expected in ([2, 0], [4, 2]):
        kv.pushpull("a", [mx.nd.array([1.5, 0.5]), mx.nd.array([2.5, 1.5])], out)
        assert out.asnumpy().tolist() == expected
    with pytest.raises(mx.MXNetError, match="is for 'device' and for stores over several machines, not for 'local'"):
        mx.kv.create("local").set_gradient_compression({"type": "2bit"})
    for params, text in (
        ({"type": "3bit"}, "type: received '3bit'; expected '2bit' or 'none'"),
        ({"type": "2bit", "threshold": 0}, "threshold: received 0.0; expected a number above 0"),
        ({"type": "2bit", "limit": 0}, "received limit; expected 'type' and 'threshold'"),
    ):
        with pytest.raises(mx.MXNetError, match=text):
            kv.set_gradient_compression(params)


def _states(folder):
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create("adam", learning_rate=0.1))
    kv.init("w", mx.nd.ones(SHAPE))
    kv.push("w", mx.nd.ones(SHAPE))
    kv.save_optimizer_states(f"{folder}/{kv.rank}.states", dump_optimizer=True)
    kv.load_optimizer_states(f"{folder}/{kv.rank}.states")
    kv.push("w", mx.nd.ones(SHAPE))
    out = mx.nd.zeros(SHAPE)
    kv.pull("w", out)
    with pytest.raises(mx.MXNetError, match="command 0 carries an optimizer for servers, and there are none"):
        kv.send_command_to_servers(0, "x")
    kv.send_command_to_servers(7, "x")
    return out.asnumpy(), kv.num_dead_node(timeout=30)


def test_states(tmp_path):
    results = run_ranks(_states, 2, str(tmp_path))
    local = mx.kv.create("local")
    local.set_optimizer(mx.optimizer.create("adam", learning_rate=0.1))
    local.init("w", mx.nd.ones(SHAPE))
    local.push("w", mx.nd.full(SHAPE, 2))
    local.load_optimizer_states(str(tmp_path / "1.states"))
    local.push("w", mx.nd.full(SHAPE, 2))
    out = mx.nd.zeros(SHAPE)
    local.pull("w", out)
    for result, num_dead in results:
        np.testing.assert_array_equal(result, out.asnumpy())
        assert num_dead == 0


@pytest.mark.parametrize("name", ["dist", "dist_sync", "dist_device_sync", "dist_sync_device", "horovod"])
def test_a_process_that_was_not_launched_is_refused(name):
    text = rf"\[kvstore.create: '{name}'\] this process is not one of several that were launched. Start one process"
    with pytest.raises(mx.MXNetError, match=text):
        mx.kv.create(name)
    assert KVStoreBase.kv_registry[name].requires_launch


def _horovod():
    kv = mx.kv.create("horovod")
    out = [mx.nd.zeros(SHAPE), mx.nd.zeros(SHAPE)]
    kv.broadcast("a", mx.nd.full(SHAPE, kv.rank + 5), out)
    value = mx.nd.full(SHAPE, kv.rank + 1)
    kv.pushpull("a", value)
    kv.pushpull("b", [mx.nd.ones(SHAPE), mx.nd.ones(SHAPE)], out[1])
    return kv.rank, kv.local_rank, kv.num_workers, *[each.asnumpy().max() for each in (*out, value)]


def test_horovod():
    assert run_ranks(_horovod, 2) == [(rank, rank, 2, 5.0, 4.0, 3.0) for rank in range(2)]
    store = KVStoreBase.kv_registry["horovod"]
    assert not store.is_capable("optimizer")
    with pytest.raises(ValueError, match="received 'flying'; expected 'optimizer'"):
        store.is_capable("flying")
