"""Trainers of several processes: the same weights as one process that has the whole batch."""

import os

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.kvstore.base import KVStoreBase, TestStore
from regluon.native import loading
from tests.compiled_kernels import compiled_library
from tests.distributed.ranks import run_ranks

STEPS, BATCH = 20, 8
MANY_BUCKETS = {"MXNET_KVSTORE_BUCKET_MB": "0.0005"}


def _network(hybridize, dtype="float64"):
    mx.random.seed(3)
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Conv2D(4, 3, in_channels=1), gluon.nn.Activation("relu"), gluon.nn.Flatten())
        net.add(gluon.nn.Dense(16, activation="tanh", in_units=4 * 36), gluon.nn.Dense(3, in_units=16))
    net.initialize(mx.init.Xavier())
    net.cast(dtype)
    if hybridize:
        net.hybridize()
    return net


def _batches(rank, size, dtype="float64"):
    rng = np.random.RandomState(5)
    for _ in range(STEPS):
        data, label = rng.normal(size=(BATCH, 1, 8, 8)), rng.randint(3, size=BATCH)
        yield nd.array(data[rank::size], dtype=dtype), nd.array(label[rank::size])


def _weights(net):
    return [parameter.data().asnumpy() for parameter in net.collect_params().values()]


def _train(how="", hybridize=True, store="dist_sync", optimizer="adam", dtype="float64", **options):
    """Return the weights after training on this rank's share of the data; `how` selects a variant of the loop."""
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    net = _network(hybridize, dtype)
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.05}, kvstore=store, **options)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    if how == "add":
        net.collect_params().setattr("grad_req", "add")
    for step, (data, label) in enumerate(_batches(rank, size, dtype)):
        with autograd.record():
            total = loss(net(data), label).sum()
            if how == "twice" or (how == "parts from step 5" and step >= 5):  # two runs, two parts of every gradient
                total = total + loss(net(data * 0.5), label).sum()
        total.backward()
        if how == "again":  # what was written is written anew
            with autograd.record():
                total = loss(net(data * 0.5), label).sum()
            total.backward()
        if how == "twice from step 5" and step >= 5:
            with autograd.record():
                total = loss(net(data), label).sum() + loss(net(data * 0.5), label).sum()
            total.backward()
        if how == "add":
            with autograd.record():
                total = loss(net(data * 0.5), label).sum()
            total.backward()
        if how == "clip":
            for parameter in net.collect_params().values():
                gradient = parameter.grad()
                gradient[:] = nd.clip(gradient, -0.5, 0.5)
        if options.get("update_on_kvstore") is False and how == "clip sums":
            trainer.allreduce_grads()
            gluon.utils.clip_global_norm([parameter.grad() for parameter in net.collect_params().values()], 1.0)
            trainer.update(BATCH)
        else:
            trainer.step(BATCH)
        if how == "add":
            net.collect_params().zero_grad()
    return _weights(net)


def _alone(how, **options):
    return _train(how, store=None, **{"hybridize": True, **options})


# One process and several add up a batch's gradients in different orders, so sums differ by rounding. Adam divides a
# gradient by its own size: near zero, a difference of 1e-10 becomes one of 1e-4. Adam's weights are therefore compared
# in float64, where the same amplification leaves 1e-12. SGD does not amplify: a step adds at most learning rate * eps
# times the sum of the magnitudes of a gradient's terms (16 in the last layer: two losses of 8 samples, terms below 1).
TOLERANCE = {"float64": 1e-10, "float32": STEPS * 0.05 * 2**-23 * 16}


def _check(results, expected):
    for weights in results[1:]:
        for mine, first in zip(weights, results[0], strict=True):
            np.testing.assert_array_equal(mine, first)  # bit by bit between the workers
    for mine, weight in zip(results[0], expected, strict=True):
        np.testing.assert_allclose(mine, weight, rtol=0, atol=TOLERANCE[weight.dtype.name])


HOW = ["", "twice", "again", "twice from step 5", "parts from step 5", "add"]


@pytest.mark.parametrize("env", [{}, MANY_BUCKETS], ids=["one bucket", "many"])
@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.sample(one_in=3)
def test_two_processes_train_as_one(how, hybridize, env):
    results = run_ranks(_run, 2, {"how": how, "hybridize": hybridize}, env=env)
    _check(results, _alone(how))


def _run(options):
    return _train(**options)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.sample(one_in=3)
def test_captured_programs(how):
    compiled_library()  # skips the test if the kernels are not built
    options = {"optimizer": "sgd", "dtype": "float32"}  # native kernels compute in float32
    _check(run_ranks(_run_natively, 2, how, options, env=MANY_BUCKETS), _alone(how, **options))


def _run_natively(how, options):
    loading.the_library = compiled_library()
    return _train(how, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"update_on_kvstore": True},
        {"update_on_kvstore": False},
        {"update_on_kvstore": False, "how": "clip sums"},
        {"store": "horovod"},
        {"store": "dist_device_sync", "optimizer": "sgd"},
        {"shard_optimizer": True},
        {"shard_optimizer": True, "optimizer": "sgd"},
    ],
    ids=str,
)
def test_options(options):
    results = run_ranks(_run, 2, options, env=MANY_BUCKETS)
    how = options.get("how", "")
    if how == "clip sums":
        _check(results, results[0])
        return
    _check(results, _alone(how, optimizer=options.get("optimizer", "adam")))


def test_four_processes():
    _check(run_ranks(_run, 4, {}, env=MANY_BUCKETS), _alone(""))


def _two_contexts(compression):
    """Two processes of two contexts each: a quarter of the batch for each context."""
    rank = int(os.environ["RANK"])
    contexts = [mx.cpu(0), mx.cpu(1)]
    mx.random.seed(3)
    net = gluon.nn.Dense(3, in_units=5, dtype="float64")
    net.initialize(mx.init.Xavier(), ctx=contexts)
    options = {"compression_params": {"type": "2bit", "threshold": 1e-3}} if compression else {}
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05}, kvstore="dist_sync", **options)
    rng = np.random.RandomState(5)
    for _ in range(4):
        data = nd.array(rng.normal(size=(BATCH, 5))[rank::2], dtype="float64")
        with autograd.record():
            losses = [net(part).square().sum() for part in gluon.utils.split_and_load(data, contexts)]
        autograd.backward(losses)
        trainer.step(BATCH)
    first, second = (net.weight.data(context).asnumpy() for context in contexts)
    np.testing.assert_array_equal(first, second)
    return first


def test_several_contexts_in_each_process():
    first, second = run_ranks(_two_contexts, 2, False)
    np.testing.assert_array_equal(first, second)
    mx.random.seed(3)
    net = gluon.nn.Dense(3, in_units=5, dtype="float64")
    net.initialize(mx.init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    rng = np.random.RandomState(5)
    for _ in range(4):
        with autograd.record():
            loss = net(nd.array(rng.normal(size=(BATCH, 5)), dtype="float64")).square().sum()
        loss.backward()
        trainer.step(BATCH)
    np.testing.assert_allclose(first, net.weight.data().asnumpy(), rtol=0, atol=TOLERANCE["float64"])


def test_compressed_gradients():
    first, second = run_ranks(_two_contexts, 2, True)
    np.testing.assert_array_equal(first, second)


def _async():
    rank = int(os.environ["RANK"])
    net = gluon.nn.Dense(1, in_units=2, weight_initializer="zeros")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05}, kvstore="dist_async")
    rng = np.random.RandomState(rank)
    for _ in range(200):
        data = rng.normal(size=(8, 2))
        with autograd.record():
            loss = (net(nd.array(data)).reshape(-1) - nd.array(data @ [2.0, -3.0] + 1)).square().sum()
        loss.backward()
        trainer.step(8)
    with pytest.raises(
        mx.MXNetError, match=r"step\(4\): received another batch size than before, and 'dist_async' goes"
    ):
        trainer.step(4)
    trainer._kvstore.barrier()
    return net.weight.data().asnumpy()


def test_workers_that_do_not_wait_learn():
    for weight in run_ranks(_async, 2):
        np.testing.assert_allclose(weight, [[2, -3]], atol=0.05)


def test_a_registered_store_goes_by_its_name(monkeypatch):
    made = []

    class Doubling(TestStore):
        """Counts every gradient twice, to be seen."""

        def __init__(self):
            made.append(self)

        def pushpull(self, key, value, out=None, priority=0):
            super().pushpull(key, [array * 2 for array in value], value if out is None else out, priority)

    monkeypatch.setattr(KVStoreBase, "kv_registry", {**KVStoreBase.kv_registry, "doubling": Doubling})
    weight = gluon.Parameter("weight", shape=(2,))
    weight.initialize(init="zeros")
    trainer = gluon.Trainer([weight], "sgd", {"learning_rate": 1.0}, kvstore="doubling")
    with autograd.record():
        total = weight.data().sum()
    total.backward()
    trainer.step(1)
    assert weight.data().asnumpy().tolist() == [-2, -2]
    assert len(made) == 1


def _clipped():
    """Gradients that a program looks at are its own until the step, and stay so where the store updates."""
    rank = int(os.environ["RANK"])
    weight = gluon.Parameter("weight", shape=(4,))
    weight.initialize(init="zeros")
    trainer = gluon.Trainer([weight], "sgd", {"learning_rate": 1.0}, kvstore="dist_sync")
    seen = []
    for step in range(5):
        with autograd.record():
            total = (weight.data() * (rank + 1) * (step + 1)).sum()
        total.backward()
        gradient = weight.grad()
        seen.append(gradient.asnumpy()[0])
        gradient[:] = nd.clip(gradient, -3, 3)
        trainer.step(1)
        seen.append(weight.grad().asnumpy()[0])
    return seen, weight.data().asnumpy()[0]


def test_gradients_that_a_program_looks_at():
    results = run_ranks(_clipped, 2)
    for rank, (seen, _) in enumerate(results):
        own = [(rank + 1.0) * (step + 1) for step in range(5)]
        assert seen[::2] == own
        assert seen[1::2] == [min(value, 3) for value in own]
    expected = -sum(min(step, 3) + min(2 * step, 3) for step in range(1, 6))
    assert [weight for _, weight in results] == [expected] * 2


def _leaves_out():
    """Rank 1 does not use the second parameter in odd steps."""
    rank = int(os.environ["RANK"])
    first, second = (gluon.Parameter(name, shape=(4,)) for name in ("first", "second"))
    for parameter in (first, second):
        parameter.initialize(init="zeros")
    trainer = gluon.Trainer([first, second], "sgd", {"learning_rate": 1.0}, kvstore="dist_sync")
    for step in range(6):
        with autograd.record():
            total = first.data().sum()
            if rank == 0 or step % 2 == 0:
                total = total + 10 * second.data().sum()
        total.backward()
        trainer.step(1, ignore_stale_grad=True)
    return first.data().asnumpy()[0], second.data().asnumpy()[0]


def test_parameters_that_one_worker_leaves_out():
    assert run_ranks(_leaves_out, 2) == [(-12.0, -90.0)] * 2


def _sharded_leaves_out(is_sharded):
    """Momenta of a parameter that some steps leave out stay with the worker that has them."""
    sizes = (8, 6, 4, 2)
    params = [gluon.Parameter(f"p{size}", shape=(size,)) for size in sizes]
    for parameter in params:
        parameter.initialize(init="zeros")
    options = {"learning_rate": 1.0, "momentum": 0.5}
    trainer = gluon.Trainer(params, "sgd", options, kvstore="dist_sync", shard_optimizer=is_sharded)
    for step in range(6):
        with autograd.record():
            total = sum(each.data().sum() for place, each in enumerate(params) if step % 2 == 0 or place)
        total.backward()
        trainer.step(1, ignore_stale_grad=True)
    return [parameter.data().asnumpy().tolist() for parameter in params]


def test_shares_do_not_depend_on_what_a_step_uses():
    assert run_ranks(_sharded_leaves_out, 2, True) == run_ranks(_sharded_leaves_out, 2, False)


def _disagrees():
    rank = int(os.environ["RANK"])
    weight = gluon.Parameter("weight", shape=(4,))
    weight.initialize(init="zeros")
    trainer = gluon.Trainer([weight], "sgd", {"learning_rate": 1.0}, kvstore="dist_sync", update_on_kvstore=False)
    for _ in range(2):
        with autograd.record():
            total = weight.data().sum()
        total.backward()
        trainer.step(1)
    trainer._workers._reducer._round += rank
    with autograd.record():
        total = weight.data().sum()
    total.backward()
    with pytest.raises(
        mx.MXNetError, match=rf"rank {rank} makes step {3 + rank}, others another one: every worker must"
    ):
        trainer.step(1)


def test_different_numbers_of_steps_are_an_error():
    run_ranks(_disagrees, 2)


def _rows():
    rank = int(os.environ["RANK"])
    layer = gluon.nn.Embedding(6, 2, sparse_grad=True, weight_initializer="zeros")
    dense = gluon.nn.Dense(1, in_units=2, weight_initializer="ones", use_bias=False)
    for block in (layer, dense):
        block.initialize()
    params = {**layer.collect_params(), **dense.collect_params()}
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1.0}, kvstore="dist_sync")
    for _ in range(3):
        with autograd.record():
            total = dense(layer(nd.array([rank, 3]))).sum()
        total.backward()
        trainer.step(1)
    return layer.weight.data().asnumpy(), dense.weight.data().asnumpy()


def test_rows_of_embeddings():
    (first, dense), (second, other) = run_ranks(_rows, 2)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(dense, other)
    assert (first[[0, 1, 3]] != 0).all()
    assert (first[[2, 4, 5]] == 0).all()
    np.testing.assert_allclose(first[3], first[0] + first[1])


def _draws():
    mx.random.seed(int(os.environ["RANK"]))
    weight = gluon.Parameter("weight", shape=(4,))
    weight.initialize(init="zeros")
    trainer = gluon.Trainer([weight], "sgld", {"learning_rate": 0.1}, kvstore="dist_sync")
    for _ in range(4):
        with autograd.record():
            total = weight.data().sum()
        total.backward()
        trainer.step(1)
    return weight.data().asnumpy().tolist(), nd.random.uniform(shape=1).asscalar()


def test_updates_that_draw_numbers():
    (first, mine), (second, other) = run_ranks(_draws, 2)
    assert first == second
    assert mine != other


def _first_weights():
    mx.random.seed(int(os.environ["RANK"]))
    net = gluon.nn.Dense(3, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.0}, kvstore="dist_sync")
    before = net.weight.data().asnumpy()
    with autograd.record():
        total = net(nd.ones((1, 2))).sum()
    total.backward()
    trainer.step(1)
    return before, net.weight.data().asnumpy()


def test_first_weights_are_those_of_rank_0():
    (zero, _), (one, after) = run_ranks(_first_weights, 2)
    assert (zero != one).any()
    np.testing.assert_array_equal(after, zero)


def _saves(folder, load):
    net = _network(True)
    trainer = gluon.Trainer(net.collect_params(), "adam", kvstore="dist_sync", shard_optimizer=True)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    batches = list(_batches(rank, size))
    if load:
        net.load_parameters(f"{folder}/net.params")
        trainer.load_states(f"{folder}/0.states")
    for data, label in batches[3:6] if load else batches[:6]:
        with autograd.record():
            total = loss(net(data), label).sum()
        total.backward()
        trainer.step(BATCH)
        if not load and data is batches[2][0]:
            trainer.save_states(f"{folder}/{rank}.states")
            if rank == 0:
                net.save_parameters(f"{folder}/net.params")
    return _weights(net), sorted(trainer._updaters[0].states)


def test_shares_of_states_go_to_another_number_of_processes(tmp_path):
    whole = run_ranks(_saves, 2, str(tmp_path), False)
    kept = [states for _, states in whole]
    assert sorted(kept[0] + kept[1]) == list(range(6))
    assert kept[0]
    assert kept[1]
    assert (tmp_path / "0.states").read_bytes() == (tmp_path / "1.states").read_bytes()
    for size in (1, 3):
        resumed = run_ranks(_saves, size, str(tmp_path), True)
        _check([weights for weights, _ in resumed], whole[0][0])


@pytest.mark.parametrize("name", ["dist_sync", "dist_async", "horovod", "dist_device_sync"])
def test_a_process_that_was_not_launched_is_refused(name):
    net = _network(False)
    text = rf"\[Trainer: '{name}'\] this process is not one of several that were launched. Start one process for each"
    with pytest.raises(mx.MXNetError, match=text):
        gluon.Trainer(net.collect_params(), "sgd", {}, kvstore=name)


def test_unknown_stores_are_refused():
    net = _network(False)
    with pytest.raises(mx.MXNetError, match=r"\[Trainer\] received 'bogus'; expected one of device, dist"):
        gluon.Trainer(net.collect_params(), "sgd", {}, kvstore="bogus")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {}, shard_optimizer=True)
    with pytest.raises(mx.MXNetError, match="shard_optimizer=True needs several processes"):
        trainer._prepare()
