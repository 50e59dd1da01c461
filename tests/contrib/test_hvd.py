"""Horovod's interface."""

import numpy as np
import pytest

import mxnet as mx
import mxnet.contrib.hvd as hvd
from mxnet.base import MXNetError
from mxnet.error import OpTypeError
from mxnet.gluon import nn
from tests.distributed.ranks import run_ranks


@pytest.fixture
def alone(monkeypatch):
    """A process that nobody has launched."""
    for name in ("RANK", "WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "HOROVOD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    hvd.init()
    yield
    hvd.shutdown()


def test_a_process_alone_is_a_group_of_one(alone):
    assert (hvd.rank(), hvd.size(), hvd.local_rank(), hvd.local_size()) == (0, 1, 0, 1)
    assert (hvd.cross_rank(), hvd.cross_size(), hvd.is_homogeneous(), hvd.is_initialized()) == (0, 1, True, True)
    assert (hvd.global_process_set.size(), hvd.global_process_set.ranks) == (1, [0])
    x = mx.nd.array([1.0, 2.0])
    assert hvd.allreduce(x, prescale_factor=3.0).asnumpy().tolist() == [3.0, 6.0]
    assert hvd.allgather(x).asnumpy().tolist() == hvd.broadcast(x, 0).asnumpy().tolist() == [1.0, 2.0]
    assert hvd.allreduce(x, op=hvd.Max).asnumpy().tolist() == hvd.alltoall(x).asnumpy().tolist() == [1.0, 2.0]
    assert hvd.broadcast_object({"a": 1}) == {"a": 1}
    assert hvd.allgather_object("x") == ["x"]


def test_nothing_works_before_init():
    assert not hvd.is_initialized()
    with pytest.raises(ValueError, match=r"^\[hvd.rank\] Horovod has not been initialized; use hvd.init\(\)"):
        hvd.rank()


def test_what_there_is():
    assert hvd.gloo_built()
    assert hvd.gloo_enabled()
    absent = (hvd.mpi_built, hvd.mpi_enabled, hvd.mpi_threads_supported, hvd.ddl_built, hvd.ccl_built)
    assert not any(is_there() for is_there in absent)
    assert isinstance(hvd.rocm_built(), bool)
    assert isinstance(hvd.nccl_built(), int)
    assert isinstance(hvd.cuda_built(), bool)


@pytest.mark.parametrize("name", ["HOROVOD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"])
def test_one_of_several_does_not_train_alone(monkeypatch, name):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv(name, "4")
    with pytest.raises(MXNetError, match=rf"\[hvd.init\] {name} is 4 .* `python -m mxnet.launch"):
        hvd.init()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: hvd.allreduce(x, average=True, op=hvd.Sum), ValueError, "received average and op; expected one"),
        (lambda x: hvd.allreduce(x, op=hvd.Adasum), MXNetError, "hvd.Adasum is not available; expected hvd.Average"),
        (lambda x: hvd.allreduce(x, op="mean"), ValueError, "op: received 'mean'; expected hvd.Average, Sum, Min"),
        (lambda x: hvd.allreduce(x, op=hvd.Min, prescale_factor=2), ValueError, "go with hvd.Average and hvd.Sum"),
        (lambda x: hvd.allreduce(3), TypeError, r"\[hvd.allreduce\] received int; expected an NDArray"),
        (lambda x: hvd.allreduce_(x.tostype("row_sparse")), OpTypeError, "row_sparse array; expected a dense one"),
        (lambda x: hvd.broadcast_(x, 1), ValueError, "root_rank: received 1; expected a rank from 0 to 0"),
        (lambda x: hvd.alltoall(x, splits=[1]), ValueError, r"received \[1\]; expected 1 numbers with the sum 2"),
        (lambda x: hvd.reducescatter(x, op=hvd.Max), ValueError, "expected hvd.Average or hvd.Sum"),
        (lambda x: hvd.allreduce(x, process_set=object()), MXNetError, "expected hvd.global_process_set"),
        (lambda x: hvd.broadcast_parameters([x]), ValueError, "received list; expected a dict or a ParameterDict"),
        (lambda x: hvd.DistributedOptimizer("sgd"), TypeError, "received str; expected an Optimizer"),
        (lambda x: hvd.init(comm=[0]), MXNetError, "received comm or process_sets; expected none"),
    ],
)
def test_what_is_refused(alone, call, error, text):
    with pytest.raises(error, match=text):
        call(mx.nd.ones((2, 2)))


def _calls():
    hvd.init()
    rank = hvd.rank()
    x = mx.nd.array([[1.0, 2.0], [3.0, 4.0]]) * (rank + 1)
    found = {
        "average": hvd.allreduce(x),
        "sum": hvd.allreduce(x, average=False),
        "scaled": hvd.allreduce(x, op=hvd.Sum, prescale_factor=0.5, postscale_factor=10.0),
        "integers": hvd.allreduce(mx.nd.array([3 + rank], dtype="int32")),
        "min": hvd.allreduce(x, op=hvd.Min),
        "product": hvd.allreduce(x, op=hvd.Product),
        "gathered": hvd.allgather(mx.nd.full((rank + 1, 2), rank)),
        "copied": hvd.broadcast(x, 1),
        "exchanged": hvd.alltoall(mx.nd.array([10 * rank, 10 * rank + 1])),
        "share": hvd.reducescatter(mx.nd.arange(3) * (rank + 1), op=hvd.Sum),
    }
    found["kept"] = x.copy()
    rows, splits = hvd.alltoall(mx.nd.arange(3) + 10 * rank, splits=[1 + rank, 2 - rank])
    found["rows"], found["splits"] = rows, splits
    group = [mx.nd.ones(2) * rank, mx.nd.ones((2, 1), dtype="float64") * rank, mx.nd.ones(1)]
    found["group"] = mx.nd.concat(*[each.astype("float32").reshape(-1) for each in hvd.grouped_allreduce(group)], dim=0)
    assert hvd.grouped_allreduce_(group, average=False) is group
    view = x[:, 0]
    assert hvd.allreduce_(x) is x
    found["in_place"], found["group_in_place"] = x, group[1]
    assert hvd.broadcast_(group[0], 0) is group[0]
    told = hvd.broadcast_object({"epoch": 3, "names": ("a", b"\xff"), "x": np.eye(2)} if rank == 0 else None)
    assert (told["epoch"], told["names"], told["x"].tolist()) == (3, ("a", b"\xff"), [[1.0, 0.0], [0.0, 1.0]])
    assert hvd.allgather_object([rank]) == [[0], [1]]
    who = hvd.size(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()
    assert who == (2, rank, 2, 0, 1)
    assert view.shape == (2,)
    return {name: value.asnumpy() for name, value in found.items()}


def test_collective_calls():
    both = run_ranks(_calls, 2)
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    for rank, found in enumerate(both):
        expected = {
            "average": 1.5 * x,
            "sum": 3 * x,
            "scaled": 15 * x,
            "integers": [3],
            "min": x,
            "product": 2 * x * x,
            "gathered": [[0, 0], [1, 1], [1, 1]],
            "copied": 2 * x,
            "exchanged": [[0, 10], [1, 11]][rank],
            "share": [[0, 3], [6]][rank],
            "kept": x * (rank + 1),
            "rows": [[0, 10, 11], [1, 2, 12]][rank],
            "splits": [[1, 2], [2, 1]][rank],
            "group": [0.5, 0.5, 0.5, 0.5, 1],
            "in_place": 1.5 * x,
            "group_in_place": [[1], [1]],
        }
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, name)


def test_recorded_arrays_are_read_but_not_written(alone):
    x = mx.nd.ones(2)
    x.attach_grad()
    with mx.autograd.record():
        y = x * 3
        assert hvd.allgather(y).asnumpy().tolist() == hvd.allreduce(y).asnumpy().tolist() == [3.0, 3.0]
        with pytest.raises(MXNetError, match=r"\[hvd.allreduce_\] cannot write to an array that is part of a recorded"):
            hvd.allreduce_(y)
    y.backward()
    assert x.grad.asnumpy().tolist() == [3.0, 3.0]


def _network(in_units):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, in_units=in_units, activation="tanh"), nn.Dense(1, in_units=4))
    net.initialize(mx.init.Normal(0.5))
    return net


X = np.random.RandomState(0).randn(8, 3).astype("float32")
Y = np.random.RandomState(1).randn(8, 1).astype("float32")


def _train(trainer_of, in_units, steps, rank=0, size=1, first=None):
    net = _network(in_units)
    if first is not None:
        for name, parameter in net._collect_params_with_prefix().items():
            parameter.set_data(mx.nd.array(first[name]))
    if size > 1:
        hvd.broadcast_parameters(net.collect_params(), root_rank=0)
    trainer = trainer_of(net.collect_params())
    x, y = mx.nd.array(X[rank::size]), mx.nd.array(Y[rank::size])
    started = None
    for _ in range(steps):
        with mx.autograd.record():
            loss = mx.gluon.loss.L2Loss()(net(x), y)
        if started is None:
            started = {name: value.data().asnumpy() for name, value in net._collect_params_with_prefix().items()}
        loss.backward()
        trainer.step(len(x))
    return started, {name: value.data().asnumpy() for name, value in net._collect_params_with_prefix().items()}


def _train_with_trainer(in_units, options):
    hvd.init()
    mx.random.seed(hvd.rank())  # so that only the broadcast makes the first weights equal
    chosen = {**options, "compression": getattr(hvd.Compression, options.get("compression", "none"))}
    return _train(
        lambda params: hvd.DistributedTrainer(params, "adam", {"learning_rate": 0.05}, **chosen),
        *(in_units, 4, hvd.rank(), hvd.size()),
    )


@pytest.mark.parametrize(
    ("in_units", "options", "tolerance"),
    [(3, {}, 1e-6), (0, {"gradient_predivide_factor": 2.0}, 1e-6), (3, {"compression": "fp16"}, 5e-3)],
)
def test_two_processes_train_as_one_with_all_data(in_units, options, tolerance):
    """Parameters of known and of deferred shapes."""
    (first, last), (first_of_1, last_of_1) = run_ranks(_train_with_trainer, 2, in_units, options)
    _, expected = _train(
        lambda params: mx.gluon.Trainer(params, "adam", {"learning_rate": 0.05}), in_units, 4, first=first
    )
    for name, value in expected.items():
        np.testing.assert_array_equal(first[name], first_of_1[name])
        np.testing.assert_array_equal(last[name], last_of_1[name])
        np.testing.assert_allclose(last[name], value, rtol=tolerance, atol=tolerance, err_msg=name)


def _fit_module():
    hvd.init()
    rank, size = hvd.rank(), hvd.size()
    return _module_weights(X[rank::size], Y[rank::size], hvd.DistributedOptimizer, hvd.broadcast_parameters)


def _module_weights(x, y, wrap, share):
    out = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc"), name="label"
    )
    module = mx.mod.Module(out, label_names=["label_label"])
    data = mx.io.NDArrayIter(x, y, batch_size=len(x), label_name="label_label")
    module.bind(data.provide_data, data.provide_label)
    module.init_params(mx.init.One())
    arguments, states = module.get_params()
    share(arguments)
    module.set_params(arguments, states)
    optimizer = wrap(mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9, rescale_grad=1.0 / len(x)))
    module.init_optimizer(kvstore=None, optimizer=optimizer)
    for _ in range(3):
        data.reset()
        for batch in data:
            module.forward_backward(batch)
            module.update()
    return {name: value.asnumpy() for name, value in module.get_params()[0].items()}


@pytest.mark.filterwarnings("ignore:.*rescale_grad is")
def test_an_optimizer_for_modules():
    found = run_ranks(_fit_module, 2)
    expected = _module_weights(X, Y, lambda optimizer: optimizer, lambda params: None)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[0][name], found[1][name])
        np.testing.assert_allclose(found[0][name], value, rtol=1e-5)


def test_an_optimizer_has_the_attributes_of_what_it_wraps(alone):
    inner = mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9)
    optimizer = hvd.DistributedOptimizer(inner, gradient_predivide_factor=2.0)
    assert (optimizer.momentum, optimizer.learning_rate, inner.rescale_grad) == (0.9, 0.1, 2.0)
    optimizer.set_learning_rate(0.5)
    optimizer.rescale_grad = 0.25
    optimizer.set_lr_mult({"a": 2.0})
    optimizer.set_wd_mult({"a": 3.0})
    assert (inner.lr, inner.rescale_grad, inner.lr_mult, inner.wd_mult) == (0.5, 0.25, {"a": 2.0}, {"a": 3.0})
    weight, gradient = mx.nd.ones(2), mx.nd.ones(2)
    optimizer.update(0, weight, gradient, optimizer.create_state(0, weight))
    assert gradient.asnumpy().tolist() == [0.5, 0.5]
    assert weight.asnumpy().tolist() == [1 - 0.5 * 0.25 * 0.5] * 2


def test_a_trainer_unwraps_an_optimizer(alone):
    net = _network(3)
    inner = mx.optimizer.create("sgd", learning_rate=0.1)
    with pytest.warns(UserWarning, match="received a DistributedOptimizer; what it wraps is used"):
        trainer = hvd.DistributedTrainer(net.collect_params(), hvd.DistributedOptimizer(inner, 4.0))
    assert trainer.optimizer is inner
    assert (inner.rescale_grad, trainer._scale) == (1.0, 1.0)
