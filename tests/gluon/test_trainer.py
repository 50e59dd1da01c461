"""The Trainer: against the real MXNet, on several contexts, with every kind of store, saved and resumed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.trainer import StaleGradientError, TrainerError
from tests.gluon.programs import check, group

TWO = [mx.cpu(0), mx.cpu(1)]


@group("training")
def test_training_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


def network(ctx: Any = None, prefix: str = "net_") -> nn.HybridSequential:
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(3, activation="tanh"), nn.Dense(1))
    net.initialize(mx.init.One(), ctx=ctx)
    return net


def backward(net: Any, step: int = 0, ctx: Any = None) -> None:
    parts = gluon.utils.split_and_load(nd.array(np.sin(np.arange(8) + step).reshape(4, 2)), ctx or [mx.cpu(0)])
    with autograd.record():
        losses = [(net(part) ** 2).sum() for part in parts]
    for loss in losses:
        loss.backward()


def train(net: Any, trainer: gluon.Trainer, steps: range, ctx: Any = None) -> None:
    for step in steps:
        backward(net, step, ctx)
        trainer.step(4)


def weights(net: Any) -> list[np.ndarray]:
    return [data.asnumpy() for p in net.collect_params().values() for data in p.list_data()[-1:]]


def assert_equal(one: Any, other: Any) -> None:
    for a, b in zip(weights(one), weights(other)):
        np.testing.assert_array_equal(a, b)


# -- what is trained ------------------------------------------------------------------------------------------------


def test_what_it_takes() -> None:
    net = network()
    backward(net)
    for params in (net.collect_params(), list(net.collect_params().values()), dict(net.collect_params().items())):
        assert len(gluon.Trainer(params, "sgd")._params) == 4
    with pytest.raises(ValueError, match=r"\[Trainer\] params: received int; expected net.collect_params\(\)"):
        gluon.Trainer(3, "sgd")
    with pytest.raises(ValueError, match=r"\[Trainer\] params: received NDArray among them; expected Parameters"):
        gluon.Trainer([nd.ones((1,))], "sgd")
    with pytest.raises(
        TrainerError, match="optimizer_params goes with the name of an optimizer, not with an Optimizer"
    ):
        gluon.Trainer(net.collect_params(), mx.optimizer.SGD(), {"learning_rate": 1})
    with pytest.raises(TypeError, match=r"\[Trainer\] kvstore: received int; expected a name, a KVStore or None"):
        gluon.Trainer(net.collect_params(), "sgd", kvstore=3)


def test_an_optimizer_object() -> None:
    one, two = network(), network()
    train(one, gluon.Trainer(one.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5}), range(3))
    train(two, gluon.Trainer(two.collect_params(), mx.optimizer.SGD(learning_rate=0.1, momentum=0.5)), range(3))
    assert_equal(one, two)


def test_made_before_initialize() -> None:
    net = nn.Dense(1, in_units=2)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with pytest.raises(mx.MXNetError, match="has not been initialized"):
        trainer.step(1)
    net.initialize(mx.init.One())
    train(net, trainer, range(1))
    assert (net.weight.data().asnumpy() != 1).all()


def test_made_before_data() -> None:
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with pytest.raises(gluon.DeferredInitializationError, match="only the data tell"):
        trainer.step(1, ignore_stale_grad=True)
    train(net, trainer, range(2))
    assert (net[0].weight.data().asnumpy() != 1).all()


def test_a_part_of_the_network() -> None:
    net = network()
    trainer = gluon.Trainer(net[1].collect_params(), "sgd", {"learning_rate": 0.1})
    train(net, trainer, range(2))
    assert (net[0].weight.data().asnumpy() == 1).all()
    assert (net[1].weight.data().asnumpy() != 1).all()


def test_two_trainers_for_one_network() -> None:
    """Weights with decay, biases without."""
    net = network()
    first = gluon.Trainer(net.collect_params(".*weight"), "sgd", {"learning_rate": 0.1, "wd": 0.5})
    second = gluon.Trainer(net.collect_params(".*bias"), "adam", {"learning_rate": 0.1})
    backward(net)
    first.step(4)
    second.step(4)
    assert all((value != 1).all() for value in weights(net))


def test_gradients_switched_off_and_on() -> None:
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    train(net, trainer, range(1))
    net[0].collect_params().setattr("grad_req", "null")
    before = net[0].weight.data().asnumpy()
    train(net, trainer, range(1))
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), before)
    net[0].collect_params().setattr("grad_req", "write")
    train(net, trainer, range(1))
    assert (net[0].weight.data().asnumpy() != before).all()


def test_accumulated_gradients_equal_a_larger_batch() -> None:
    whole, pieces = network(), network()
    backward(whole)
    gluon.Trainer(whole.collect_params(), "sgd", {"learning_rate": 0.1}).step(8)
    trainer = gluon.Trainer(pieces.collect_params(), "sgd", {"learning_rate": 0.1})
    backward(pieces)
    pieces.collect_params().setattr("grad_req", "add")
    for part in np.split(np.sin(np.arange(8)).reshape(4, 2), 2):
        with autograd.record():
            loss = (pieces(nd.array(part)) ** 2).sum()
        loss.backward()
    trainer.step(8)
    pieces.collect_params().zero_grad()
    for a, b in zip(weights(whole), weights(pieces)):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_multipliers_may_change_between_steps() -> None:
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    train(net, trainer, range(1))
    net[0].weight.lr_mult = 0.0
    before = net[0].weight.data().asnumpy()
    train(net, trainer, range(1))
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), before)


def test_learning_rates() -> None:
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    trainer.set_learning_rate(0.25)
    assert trainer.learning_rate == trainer.optimizer.learning_rate == 0.25
    schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.4)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"lr_scheduler": schedule})
    with pytest.raises(UserWarning, match="lr_scheduler"):
        trainer.set_learning_rate(0.1)
    assert trainer.learning_rate == 0.4


# -- stale gradients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ctx", "on_store"), [(None, False), (TWO, False), (TWO, True)])
def test_stale_gradients(ctx: Any, on_store: bool) -> None:
    net = network(ctx)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, update_on_kvstore=on_store)
    train(net, trainer, range(1), ctx)
    before, gradient = weights(net), net[0].weight.list_grad()[0].asnumpy()
    with pytest.raises(UserWarning, match=r"the gradient of net_dense0_bias on cpu\(0\) was not written by") as caught:
        trainer.step(4)
    assert isinstance(caught.value, StaleGradientError)
    assert "step(batch_size, ignore_stale_grad=True)" in str(caught.value)
    np.testing.assert_array_equal(net[0].weight.list_grad()[0].asnumpy(), gradient)
    trainer.step(4, ignore_stale_grad=True)
    for a, b in zip(weights(net), before):
        np.testing.assert_array_equal(a, b)


def test_a_layer_that_took_no_part() -> None:
    net, idle = network(), nn.Dense(1, in_units=1, prefix="idle_")
    idle.initialize(mx.init.One())
    params = net.collect_params()
    params.update(idle.collect_params())
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.1, "wd": 0.1})
    backward(net)
    with pytest.raises(StaleGradientError, match="idle_bias"):
        trainer.step(4)
    trainer.step(4, ignore_stale_grad=True)
    assert idle.weight.data().asscalar() == 1
    assert (net[0].weight.data().asnumpy() != 1).all()


def test_a_layer_that_only_one_context_used() -> None:
    """The copies stay equal: what a context did not use, it adds nothing to."""
    net = network(TWO)
    backward(net, ctx=TWO)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, update_on_kvstore=False)
    trainer.step(4)
    with autograd.record():
        loss = (net(nd.ones((1, 2), ctx=mx.cpu(1))) ** 2).sum()
    loss.backward()
    gradient = net[1].weight.grad(mx.cpu(1)).asnumpy()
    before = net[1].weight.data(mx.cpu(0)).asnumpy()
    trainer.step(1, ignore_stale_grad=True)
    for context in TWO:
        np.testing.assert_allclose(net[1].weight.data(context).asnumpy(), before - 0.1 * gradient, rtol=1e-6)


# -- several contexts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kvstore", ["device", "local", "object"])
@pytest.mark.parametrize("on_store", [None, False, True])
@pytest.mark.parametrize(
    "optimizer", [("sgd", {"learning_rate": 0.1, "momentum": 0.9}), ("adam", {"learning_rate": 0.1})]
)
def test_two_contexts_equal_one(kvstore: str, on_store: bool | None, optimizer: Any) -> None:
    one, two = network(), network(TWO)
    train(one, gluon.Trainer(one.collect_params(), *optimizer, kvstore=None), range(4))
    store = mx.kv.create("device") if kvstore == "object" else kvstore
    train(
        two, gluon.Trainer(two.collect_params(), *optimizer, kvstore=store, update_on_kvstore=on_store), range(4), TWO
    )
    for a, b in zip(weights(one), weights(two)):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)
    for parameter in two.collect_params().values():
        first, second = (data.asnumpy() for data in parameter.list_data())
        np.testing.assert_array_equal(first, second)


def test_a_store_for_one_context() -> None:
    one, two = network(), network()
    train(one, gluon.Trainer(one.collect_params(), "sgd", {"momentum": 0.9}), range(3))
    trainer = gluon.Trainer(
        two.collect_params(), "sgd", {"momentum": 0.9}, kvstore=mx.kv.create(), update_on_kvstore=True
    )
    train(two, trainer, range(3))
    assert_equal(one, two)


def test_without_a_store_contexts_go_their_own_way() -> None:
    net = network(TWO)
    train(net, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=None), range(2), TWO)
    first, second = (data.asnumpy() for data in net[1].weight.list_data())
    assert (first != second).any()


def test_values_set_by_hand_reach_the_store() -> None:
    nets = [network(TWO), network(TWO)]
    for net, on_store in zip(nets, (False, True)):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9}, update_on_kvstore=on_store)
        train(net, trainer, range(2), TWO)
        net[0].weight.set_data(nd.ones((3, 2)) * 5)
        net[1].weight.initialize(mx.init.One(), ctx=TWO, force_reinit=True)
        train(net, trainer, range(2), TWO)
    assert nets[0][0].weight.data(mx.cpu(0)).asnumpy().min() > 4
    assert_equal(*nets)


def test_a_layer_that_gets_its_shape_later_on_a_store() -> None:
    net, late = network(TWO), nn.Dense(1, prefix="late_")
    late.initialize(mx.init.One(), ctx=TWO)
    backward(net, ctx=TWO)
    params = net.collect_params()
    params.update(late.collect_params())
    late.collect_params().setattr("grad_req", "null")
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.1}, update_on_kvstore=True)
    trainer.step(4)
    late.collect_params().setattr("grad_req", "write")
    for context in TWO:
        with autograd.record():
            loss = (late(nd.ones((1, 3), ctx=context)) + net(nd.ones((1, 2), ctx=context))).sum()
        loss.backward()
    trainer.step(2)
    np.testing.assert_allclose(late.weight.data(mx.cpu(1)).asnumpy(), [[0.9, 0.9, 0.9]], rtol=1e-6)


def test_what_is_wrong_with_contexts() -> None:
    a, b = (gluon.Parameter(name, shape=(1,)) for name in "ab")
    a.initialize(ctx=mx.cpu(0))
    b.initialize(ctx=mx.cpu(1))
    with pytest.raises(
        TrainerError, match=r"parameter b is on \[cpu\(1\)\], others are on \[cpu\(0\)\]; initialize all of them"
    ):
        gluon.Trainer([a, b], "sgd").step(1)
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    train(net, trainer, range(1))
    net.reset_ctx(TWO)
    backward(net, ctx=TWO)
    with pytest.raises(
        TrainerError, match=r"is on \[cpu\(0\), cpu\(1\)\] now; the trainer knows it on \[cpu\(0\)\]. Make a new"
    ):
        trainer.step(4)


def test_what_stores_cannot_do() -> None:
    net = network(TWO)
    backward(net, ctx=TWO)
    params = net.collect_params()
    trainer = gluon.Trainer(params, "sgd", update_on_kvstore=True)
    with pytest.raises(TrainerError, match=r"allreduce_grads\(\) is for update_on_kvstore=False: the store would add"):
        trainer.allreduce_grads()
    with pytest.raises(TrainerError, match=r"update\(\) is for update_on_kvstore=False; call step\(\)"):
        trainer.update(1)
    with pytest.raises(mx.MXNetError, match="gradient compression is for 'device' and for stores over several"):
        gluon.Trainer(params, "sgd", kvstore="local", compression_params={"type": "2bit", "threshold": 0.5}).step(1)
    alone = network()
    backward(alone)
    with pytest.raises(ValueError, match="update_on_kvstore=True needs a kvstore and parameters on several contexts"):
        gluon.Trainer(alone.collect_params(), "sgd", update_on_kvstore=True).step(1)


class Noting(mx.kv.KVStoreBase):
    """A store of the user's own, such as Horovod's."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @staticmethod
    def is_capable(capability: str) -> bool:
        return False

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        self.calls.append(f"broadcast {key}")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        self.calls.append(f"pushpull {key} {priority}")


def test_a_store_of_ones_own() -> None:
    net, store = network(), Noting()
    train(net, gluon.Trainer(net[1].collect_params(), "sgd", kvstore=store), range(2))
    assert store.calls == ["broadcast 0", "broadcast 1", *["pushpull 0 0", "pushpull 1 -1"] * 2]
    with pytest.raises(ValueError, match="Noting cannot update weights; set update_on_kvstore=False"):
        gluon.Trainer(net.collect_params(), "sgd", kvstore=Noting(), update_on_kvstore=True).step(1)


def test_who_updates_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that can, where there is one: so that optimizers with noise or a schedule move all contexts alike."""
    net = network(TWO)
    backward(net, ctx=TWO)
    trainer = gluon.Trainer(net.collect_params(), "sgld", {"learning_rate": 0.1})
    trainer.step(4)
    assert trainer._update_on_kvstore
    first, second = (net[0].weight.data(place).asnumpy() for place in TWO)
    np.testing.assert_array_equal(first, second)
    assert gluon.Trainer(network().collect_params(), "sgd")._update_on_kvstore is None
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    backward(net, ctx=TWO)
    each = gluon.Trainer(net.collect_params(), "sgd")
    each.step(4)
    assert not each._update_on_kvstore


def test_reduce_change_update() -> None:
    net = network(TWO)
    backward(net, ctx=TWO)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    before = net[0].weight.data(mx.cpu(0)).asnumpy()
    trainer.allreduce_grads()
    for parameter in net.collect_params().values():
        for gradient in parameter.list_grad():
            gradient[:] = 2
    trainer.update(4)
    np.testing.assert_allclose(net[0].weight.data(mx.cpu(1)).asnumpy(), before - 0.5, rtol=1e-6)


# -- states ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ctx", "on_store", "optimizer"),
    [
        (None, None, ("adam", {"learning_rate": 0.1})),
        (None, None, ("sgd", {"momentum": 0.9})),
        (TWO, False, ("adam", {"learning_rate": 0.1})),
        (TWO, True, ("adam", {"learning_rate": 0.1})),
    ],
)
def test_resuming_is_exact(tmp_path: Path, ctx: Any, on_store: Any, optimizer: Any) -> None:
    name, arguments = optimizer
    schedule = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=0.1)
    arguments = {**arguments, "learning_rate": 0.1, "lr_scheduler": schedule}
    net = network(ctx)
    trainer = gluon.Trainer(net.collect_params(), name, arguments, update_on_kvstore=on_store)
    train(net, trainer, range(3), ctx)
    net.save_parameters(tmp_path / "net.params")
    trainer.save_states(tmp_path / "net.states")
    train(net, trainer, range(3, 6), ctx)

    other = network(ctx)
    other.load_parameters(tmp_path / "net.params")
    again = gluon.Trainer(other.collect_params(), name, {}, update_on_kvstore=on_store)
    again.load_states(str(tmp_path / "net.states"))
    assert again.optimizer.lr_scheduler is not None
    train(other, again, range(3, 6), ctx)
    assert_equal(net, other)
    assert again.learning_rate == trainer.learning_rate


def test_states_without_any_step(tmp_path: Path) -> None:
    net = network()
    backward(net)
    gluon.Trainer(net.collect_params(), "adam").save_states(tmp_path / "fresh.states")
    trainer = gluon.Trainer(net.collect_params(), "adam")
    trainer.load_states(tmp_path / "fresh.states")
    trainer.step(4)


class Looked(gluon.Block):
    """Looks rows of a row_sparse weight up, and gives them to a layer whose shape is found out later."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.table = self.params.get("table", shape=(5, 2), stype="row_sparse", grad_stype="row_sparse")
            self.dense = nn.Dense(1)

    def forward(self, x: Any) -> Any:
        rows = self.table.row_sparse_data(x)
        return self.dense(nd.Embedding(x, rows, input_dim=5, output_dim=2, sparse_grad=True))


@pytest.mark.parametrize("contexts", [[mx.cpu(0)], TWO], ids=["one context", "two contexts"])
def test_a_sparse_weight_may_reach_the_store_while_recording(contexts: list[mx.Context]) -> None:
    net = Looked()
    net.initialize(mx.init.One(), ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    with autograd.record():
        outputs = [net(part) for part in gluon.utils.split_and_load(nd.array([[0, 3], [1, 3]]), contexts)]
    for output in outputs:
        output.backward()
    trainer.step(1)
    table = net.table.row_sparse_data(nd.arange(5, ctx=contexts[-1]))
    assert table.asnumpy().tolist() == [[0, 0], [0, 0], [1, 1], [-1, -1], [1, 1]]


def test_a_sparse_parameter_has_one_trainer() -> None:
    sparse, dense = gluon.Parameter("rows", shape=(3, 2), stype="row_sparse"), gluon.Parameter("w", shape=(3, 2))
    first = gluon.Trainer([sparse, dense], "sgd")
    gluon.Trainer([dense], "sgd")
    with pytest.raises(RuntimeError, match=r"\[Parameter rows\] Failed to set the trainer .* cannot have two"):
        gluon.Trainer([sparse], "sgd")
    assert sparse._trainer is first
