"""Stores of workers that do not wait for each other."""

import atexit
import os
import signal
import time
from datetime import timedelta
from hashlib import blake2b

import numpy as np
import pytest
import torch.distributed as dist

import mxnet as mx
from mxnet import nd
from mxnet.kvstore._asynchronous import AsyncKVStore
from mxnet.kvstore._local import ValueMismatchError
from regluon.distributed import WorkerLostError
from regluon.distributed.environment import NotLaunchedError
from tests.distributed import ranks


def _program(function, *args):
    """A whole program: processes of `multiprocessing` skip what others do at their end."""
    result = function(*args)
    atexit._run_exitfuncs()
    return result


def run_ranks(function, size, *args, **kwargs):
    return ranks.run_ranks(_program, size, function, *args, **kwargs)


def _events():
    """Keys that ranks can set and wait for, in the store where they met."""
    where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return dist.TCPStore(*where, is_master=False, timeout=timedelta(seconds=50), wait_for_workers=False)


def _one_of_each(size):
    """A key for each rank, which keeps it."""
    names = [f"w{n}" for n in range(40)]
    owners = [int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") % size for name in names]
    return [names[owners.index(rank)] for rank in range(size)]


def _pulled(store, key, shape=(2,), dtype="float32"):
    out = nd.zeros(shape, dtype=dtype)
    store.pull(key, out=out)
    return out.asnumpy().tolist()


def _store(optimizer=None, **values):
    store = AsyncKVStore("dist_async")
    if values:
        store.init(list(values), list(values.values()))
    store.set_optimizer(optimizer or mx.optimizer.create("test"))
    return store


def _basics():
    store = AsyncKVStore("dist_async")
    facts = store.type, store.rank, store.num_workers, store.is_capable("optimizer"), store.num_dead_node()
    first = nd.zeros((2,))
    store.broadcast("w", nd.ones((2,)) * (store.rank + 1), out=first)
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=2.0))
    for _ in range(10):
        store.push("w", [nd.ones((2,)), nd.ones((2,)) * store.rank])
    store.barrier()
    return facts, first.asnumpy().tolist(), _pulled(store, "w"), {store._owner(f"w{n}") for n in range(20)}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pushes_of_all_workers_add_up(size):
    results = run_ranks(_basics, size)
    total = 1 + sum(2.0 * 10 * (1 + rank) for rank in range(size))
    for rank, (facts, first, last, owners) in enumerate(results):
        assert facts == ("dist_async", rank, size, True, 0)
        assert first == [1, 1]
        assert last == [total, total]
        assert owners == set(range(size))


def _lists():
    store = AsyncKVStore("dist_async")
    keys = list(range(7))
    store.init(keys, [nd.full((2, n + 1), n) for n in keys])
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.5))
    outs = [[nd.zeros((2, n + 1)), nd.zeros((2, n + 1), mx.cpu(1))] for n in keys]
    grads = [[nd.ones((2, n + 1))] * 2 for n in keys]
    store.pushpull(keys, grads, out=outs)
    seen = [pair[1].asnumpy().max() for pair in outs]  # its own update, at least
    store.push(keys, grads)
    store.barrier()
    store.pull(keys, out=outs)
    return [float(n - peak) for n, peak in enumerate(seen)], [out[1].asnumpy().tolist() for out in outs]


def test_lists_of_keys():
    for seen, last in run_ranks(_lists, 3):
        assert all(step in (1.0, 2.0, 3.0, 4.0, 5.0) for step in seen)
        assert last == [np.full((2, n + 1), n - 0.5 * 2 * 2 * 3).tolist() for n in range(7)]


def _go_on_alone():
    keys = _one_of_each(2)
    store = _store(**dict.fromkeys(keys, nd.zeros((2,))))
    events = _events()
    assert [store._owner(key) for key in keys] == [0, 1]
    if store.rank == 1:
        assert [_pulled(store, key) for key in keys] == [[0, 0]] * 2
        events.set("read", "1")
        events.wait(["go"])  # rank 0 makes all of its calls while rank 1 is here
        store.push(keys, [nd.ones((2,))] * 2)
    else:
        events.wait(["read"])
        for step in range(1, 51):
            store.push(keys, [nd.ones((2,))] * 2)
            assert [_pulled(store, key) for key in keys] == [[step, step]] * 2
        events.set("go", "1")
    store.barrier()
    return [_pulled(store, key)[0] for key in keys]


def test_no_worker_waits_for_another():
    assert run_ranks(_go_on_alone, 2) == [[51.0] * 2] * 2  # the last update was made from values 50 steps old


def _write_after_push():
    store = _store(**{f"w{n}": nd.zeros((300, 1000)) for n in range(4)})
    store.barrier()
    grad = nd.zeros((300, 1000))
    for _ in range(5):
        for n in range(4):
            grad[:] = n + 1
            store.push(f"w{n}", grad)
            grad[:] = 1e6
    store.barrier()
    totals = [np.unique(_pulled(store, f"w{n}", (300, 1000))).tolist() for n in range(4)]
    return totals, len(store._pushes)


def test_a_pushed_array_may_be_written_at_once():
    assert run_ranks(_write_after_push, 2) == [([[10.0], [20.0], [30.0], [40.0]], 0)] * 2


def _torn():
    shape = (1000, 1000)
    store = _store(w=nd.zeros(shape), v=nd.zeros(shape))
    one, out = nd.ones(shape), nd.zeros(shape)
    uneven = 0
    for _ in range(8):
        for key in "wv":
            store.push(key, one)
            store.pull(key, out=out)
            uneven += int(out.min().asscalar() != out.max().asscalar())
    store.barrier()
    store.pushpull(["w", "v"], [one * 0, one * 0], out=[out, out])
    return uneven, out.asnumpy().max()


def test_nobody_sees_half_of_an_update_of_a_big_array():
    assert run_ranks(_torn, 3) == [(0, 24.0)] * 3


def _rows():
    store = AsyncKVStore("dist_async")
    zeros = nd.sparse.zeros("row_sparse", (1000, 2))
    keys = _one_of_each(2)
    store.init(keys, [zeros, zeros])
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0, lazy_update=True))
    results, sent = [], 0
    for key in keys:
        number = store.rank * 10
        grad = nd.sparse.row_sparse_array((-nd.ones((2, 2)), nd.array([5, number + 7])), shape=(1000, 2))
        before = store.group.bytes_sent
        store.push(key, grad)
        sent += store.group.bytes_sent - before
        store.barrier()
        out = nd.sparse.zeros("row_sparse", (1000, 2))
        store.row_sparse_pull(key, out=out, row_ids=nd.array([17, 5, 5, 7, 900]))
        results.append((out.indices.asnumpy().tolist(), out.data.asnumpy()[:, 0].tolist()))
    dense = nd.zeros((1000, 2))
    store.pull(keys[0], out=dense)
    with pytest.raises(mx.MXNetError, match=r"out under 'w\d+' is default; expected row_sparse"):
        store.row_sparse_pull(keys[0], out=dense, row_ids=nd.array([1]))
    return results, float(dense.sum().asscalar()), sent


def test_rows_only_are_sent():
    for results, total, sent in run_ranks(_rows, 2):
        for indices, values in results:
            found = dict(zip(indices, values))
            assert {row: value for row, value in found.items() if value} == {5: 2.0, 7: 1.0, 17: 1.0}
            assert set(indices) <= {5, 7, 17, 900}
        assert total == 8
        assert sent == 2 * 2 * 4 + 2 * 8


def _half():
    store = AsyncKVStore("dist_async")
    store.init(["w", "x"], [nd.ones((4,), dtype="float16")] * 2)
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1e-4, multi_precision=True))
    for _ in range(50):
        store.push(["w", "x"], [nd.ones((4,), dtype="float16")] * 2)
    store.barrier()
    out = nd.zeros((4,), dtype="float16")
    store.pull("w", out=out)
    return str(out.dtype.__name__), out.asnumpy().tolist()


def test_half_precision_with_a_copy_in_single():
    for dtype, values in run_ranks(_half, 2):
        assert dtype == "float16"
        np.testing.assert_allclose(values, [0.99] * 4, atol=1e-3)  # steps of 1e-4 are lost without the copy


def _momentum(path):
    store = AsyncKVStore("dist_async")
    keys = [*_one_of_each(2), "x", "y"]
    store.init(keys, [nd.zeros((2,))] * 4)
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0, momentum=0.5))
    if store.rank == 0:
        for _ in range(3):
            store.push(keys, [nd.ones((2,)) * n for n in range(4)])
        store.save_optimizer_states(path, dump_optimizer=True)
        store.push(keys, [nd.ones((2,))] * 4)
        store.load_optimizer_states(path)
    store.barrier()
    store.push(keys[store.rank], nd.zeros((2,)))  # the momentum goes on, as it was loaded
    store.barrier()
    return [_pulled(store, key)[0] for key in keys], {store._owner(key) for key in keys}


def test_states_are_saved_together_and_loaded_by_a_local_store(tmp_path):
    path = str(tmp_path / "states")
    (values, owners), _ = run_ranks(_momentum, 2, path)
    assert owners == {0, 1}
    local = mx.kv.create("local")
    keys = [*_one_of_each(2), "x", "y"]
    local.init(keys, [nd.zeros((2,))] * 4)
    local.set_optimizer(mx.optimizer.SGD(learning_rate=7.0))
    local.load_optimizer_states(path)
    optimizer = local._updater.optimizer
    assert (optimizer.lr, optimizer.momentum, optimizer.num_update) == (1.0, 0.5, 3)
    assert optimizer._index_update_count == dict.fromkeys(keys, 3)
    momenta = [local._updater.states[key].asnumpy()[0] for key in keys]
    assert momenta == [-1.75 * n for n in range(4)]
    by_hand = [-4.25 * n for n in range(4)]
    by_hand = [weight + 0.5 * momentum - 1 for weight, momentum in zip(by_hand, momenta)]
    for n in range(2):
        by_hand[n] += 0.5 * momenta[n]
    assert values == by_hand


def _train():
    rng = np.random.RandomState(7)
    weight = rng.randn(5, 1).astype("float32")
    store = AsyncKVStore("dist_async")
    w, b = nd.zeros((5, 1)), nd.zeros((1,))
    store.broadcast(["w", "b"], [w, b], out=[w, b])
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))
    rng = np.random.RandomState(store.rank)
    for _ in range(150):
        x = nd.array(rng.randn(16, 5))
        y = nd.dot(x, nd.array(weight)) + 0.5
        w.attach_grad()
        b.attach_grad()
        with mx.autograd.record():
            loss = ((nd.dot(x, w) + b - y) ** 2).mean()
        loss.backward()
        store.push(["w", "b"], [w.grad, b.grad])
        store.pull(["w", "b"], out=[w, b])
    store.barrier()
    store.pull(["w", "b"], out=[w, b])
    return float(np.abs(w.asnumpy() - weight).max()), float(abs(b.asscalar() - 0.5))


def test_a_regression_converges():
    for errors in run_ranks(_train, 2):
        assert max(errors) < 1e-4


def _trainer(path):
    mx.random.seed(3)
    rng = np.random.RandomState(int(os.environ["RANK"]))
    net = mx.gluon.nn.Dense(1, in_units=5, use_bias=True)
    net.initialize(mx.init.Normal(0.1))
    net.bias.lr_mult = 0.0
    store = AsyncKVStore("dist_async")
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5}, kvstore=store)
    for _ in range(100):
        x = nd.array(rng.randn(16, 5))
        with mx.autograd.record():
            loss = (net(x) - x.sum(axis=1, keepdims=True)) ** 2
        loss.backward()
        trainer.step(16)
    store.barrier()
    if store.rank == 1:
        trainer.save_states(path)
        trainer.load_states(path)
    store.barrier()
    weight = nd.zeros((1, 5))
    store.pull(trainer._param2idx[net.weight.name], out=weight)
    return float(np.abs(weight.asnumpy() - 1).max()), net.bias.data().asscalar(), trainer._optimizer.num_update


def test_a_trainer_with_multipliers(tmp_path):
    results = run_ranks(_trainer, 2, str(tmp_path / "states"))
    assert max(error for error, _, _ in results) < 1e-3
    assert [bias for _, bias, _ in results] == [0.0, 0.0]  # a multiplier of a Parameter, which no file holds
    assert results[1][2] == 200  # steps of both workers


def _compressed():
    store, keys = AsyncKVStore("dist_async"), _one_of_each(2)
    store.init(keys, [nd.zeros((64,))] * 2)
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    store.set_optimizer(mx.optimizer.create("test"))
    store.barrier()
    store.group.bytes_sent = 0
    for _ in range(4):
        store.push(keys, [nd.full((64,), 0.2)] * 2)
    sent = store.group.bytes_sent
    num_remote = sum(store._owner(key) != store.rank for key in keys)
    store.barrier()
    return [_pulled(store, key, (64,))[0] for key in keys], sent, num_remote


def test_compressed_gradients():
    for values, sent, num_remote in run_ranks(_compressed, 2):
        assert values == [1.0] * 2  # 0.5 of 0.2 + 0.2 + 0.2, from each of two
        assert sent == 4 * num_remote * 16


def _functions():
    store, keys = AsyncKVStore("dist_async"), _one_of_each(2)
    rank, commands = store.rank, []
    store.init(keys, [nd.zeros((2,))] * 2)

    def update(key, pushed, stored):
        stored += pushed * (10 if rank == 0 else 1)

    store.set_updater(update)
    store.set_controller(lambda head, body: commands.append((head, body)))
    store.barrier()
    if rank == 0:
        store.push(keys, [nd.ones((2,))] * 2)
        store.send_command_to_servers(7, "hello")
    store.barrier()
    with pytest.raises(mx.MXNetError, match=r"\[kvstore\] has no optimizer, hence no states"):
        store.save_optimizer_states("nowhere")
    return commands, [_pulled(store, key)[0] == (10 if store._owner(key) == 0 else 1) for key in keys]


def test_functions_and_commands():
    assert run_ranks(_functions, 2) == [([(7, "hello")], [True] * 2)] * 2


def _errors():
    store = AsyncKVStore("dist_async")
    keys = _one_of_each(2)
    store.init(["a", *keys], [nd.zeros((2,))] * 3)
    texts = []

    def note(call, kind=mx.MXNetError):
        with pytest.raises(kind) as raised:
            call()
        texts.append((type(raised.value), str(raised.value)))

    def refuse(key, pushed, stored):
        raise KeyError("no such thing")

    note(lambda: store.push("z", nd.zeros((2,))))
    note(lambda: store.pull("z", out=nd.zeros((2,))))
    note(lambda: store.pull("a"), TypeError)
    note(lambda: store.init("a", nd.zeros((2,))))
    note(lambda: store.init(5, nd.zeros((2,))))
    note(lambda: store.init("s", nd.zeros((2, 2)).tostype("csr")))
    note(lambda: store.push("a", nd.zeros((3,))))
    for key in keys:  # kept here or elsewhere
        note(lambda key=key: (store.push(key, nd.zeros((2,))), store.pull(key, out=nd.zeros((2,)))))
    store.barrier()
    store.set_updater(refuse)
    store.barrier()
    store.push(keys[1 - store.rank], nd.zeros((2,)))  # returns before anybody knows
    note(store.barrier)
    store.barrier()
    second = AsyncKVStore("dist_async")
    second.init("a", nd.ones((2,)))  # a store of its own
    return texts, _pulled(second, "a")


def test_errors_say_what_to_do():
    for rank, (texts, other) in enumerate(run_ranks(_errors, 2)):
        assert other == [1, 1]
        expected = [
            (mx.MXNetError, "[kvstore] there is no value under 'z'; call init('z', value) first."),
            (mx.MXNetError, "[kvstore] there is no value under 'z'; call init('z', value) first."),
            (TypeError, "[kvstore.pull] out is missing; expected arrays to write to."),
            (mx.MXNetError, "[kvstore] there is a value under 'a' already."),
            (mx.MXNetError, "[kvstore] Mixed key types are not allowed: received 5, and 'a' is there already."),
            (mx.MXNetError, "[kvstore.init] received a csr array for key 's'; expected a dense or row_sparse one."),
            (ValueMismatchError, "[kvstore.push] received shape (3,) for key 'a'; expected (2,)."),
            *[
                (
                    mx.MXNetError,
                    "[kvstore.push] there is no optimizer, and 'dist_async' does not add up over workers; call "
                    "set_optimizer() on all workers first, or use 'dist_sync'.",
                )
            ]
            * 2,
            (
                mx.MXNetError,
                f"[kvstore.push] rank {1 - rank}, which keeps the value, failed with KeyError: 'no such thing'",
            ),
        ]
        assert texts == expected


def _lose_owner(how):
    keys = _one_of_each(3)
    store = _store(**dict.fromkeys(keys, nd.zeros((2,))))
    store.barrier()
    # A process that is killed at once may not have sent its part of the barrier yet.
    if store.rank == 1:
        store._agent._connect().wait(["passed/0", "passed/2"], timedelta(seconds=30))
        os.kill(os.getpid(), {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}[how])
    store._agent._connect().set(f"passed/{store.rank}", "")
    store._agent.timeout = 2.0
    while True:  # it may live a moment longer
        store.push(keys[store.rank], nd.ones((2,)))
        try:
            store.push(keys[1], nd.ones((2,)))
            store.pull(keys[1], out=nd.zeros((2,)))
        except WorkerLostError as error:
            return error.ranks, str(error), _pulled(store, keys[store.rank])[0] >= 1


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_an_owner_that_is_lost_is_named_and_nobody_waits_for_it_at_the_end(how):
    started = ranks.start_ranks(_program, 3, _lose_owner, how)
    for rank in (0, 2):
        outcome = started._outcome(rank, time.monotonic() + 60)
        assert outcome.exitcode == 0, outcome.error
        lost, text, goes_on = outcome.result
        assert lost == (1,)
        assert goes_on
        assert (
            f"] failed on rank {rank} of 3: rank 1 of 3, which keeps a share of the keys, does not answer: killed"
            in text
        )
        assert "start all ranks again from the last checkpoint" in text
    started.kill()


def _leave_early():
    keys = _one_of_each(2)
    store = _store(**dict.fromkeys(keys, nd.zeros((2,))))
    store.barrier()
    if store.rank == 0:
        store.push(keys, [nd.ones((2,))] * 2)
        return None  # and goes on serving
    store._agent._connect().wait(["done/0"], timedelta(seconds=30))
    for _ in range(20):
        store.pushpull(keys, [nd.ones((2,))] * 2, out=[nd.zeros((2,))] * 2)
    return [_pulled(store, key)[0] for key in keys]


def test_a_worker_that_is_done_goes_on_serving():
    assert run_ranks(_leave_early, 2) == [None, [21.0] * 2]


def _optimizer_of_nobody():
    store = AsyncKVStore("dist_async")
    store.init("a", nd.zeros((2,)))
    if store.rank == 1:
        store._agent.timeout = 0.1
        with pytest.raises(WorkerLostError, match=r"rank 0 of 2 did not call set_optimizer\(\) within 0.1 seconds"):
            store.set_optimizer(mx.optimizer.SGD())
    return True


def test_an_optimizer_that_rank_0_does_not_set():
    assert run_ranks(_optimizer_of_nobody, 2) == [True, True]


def test_a_process_that_was_not_launched(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    for name in ("OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "DMLC_WORKER_ID"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        NotLaunchedError, match=r"\[kvstore.create\('dist_async'\)\] this process is not one of several"
    ):
        AsyncKVStore("dist_async")
