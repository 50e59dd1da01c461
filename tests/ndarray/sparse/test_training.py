"""Networks, parameters and optimizers with sparse gradients and weights."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from tests.ndarray.sparse.examples import example


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop"])
def test_sparse_and_dense_networks_train_alike(optimizer: str) -> None:
    losses = []
    for sparse in (False, True):
        mx.random.seed(0)
        net = gluon.nn.Sequential()
        net.add(gluon.nn.Embedding(20, 4, sparse_grad=sparse), gluon.nn.Dense(3))
        net.initialize(mx.init.Xavier(rnd_type="uniform"), ctx=[mx.cpu(0), mx.cpu(1)])
        data = [nd.array([[1, 2], [3, 2]], ctx=mx.cpu(i)) + i for i in range(2)]
        for part in data:
            net(part)
        mx.random.seed(1)
        for parameter in net.collect_params().values():
            parameter.set_data(nd.array(np.random.default_rng(parameter.shape).normal(size=parameter.shape)))
        params = {} if optimizer == "rmsprop" else {"lazy_update": False}
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **params})
        for _ in range(3):
            with autograd.record():
                parts = [(net(part) ** 2).sum() for part in data]
            autograd.backward(parts)
            trainer.step(4)
        losses.append(sum(float(part.asscalar()) for part in parts))
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_a_hybridized_embedding_has_sparse_gradients() -> None:
    net = gluon.nn.Embedding(6, 2, sparse_grad=True)
    net.initialize()
    net.hybridize()
    for _ in range(2):
        with autograd.record():
            out = net(nd.array([1, 5, 5]))
        out.backward()
        np.testing.assert_array_equal(net.weight.grad().indices.asnumpy(), [1, 5])


def test_row_sparse_parameters() -> None:
    parameter = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", grad_stype="row_sparse")
    parameter.initialize(mx.init.One())
    for call, text in (
        (parameter.data, r"data\(\): its storage type is row_sparse; Please use row_sparse_data\(\) instead"),
        (parameter.list_data, r"list_data\(\): its storage type is row_sparse"),
        (lambda: parameter.row_sparse_data(nd.array([1])), "Cannot get row_sparse data when no Trainer is created"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
    other = gluon.Parameter("v", shape=(4, 2), stype="row_sparse")
    other.initialize()
    with pytest.raises(TypeError, match="Cannot create 'None' KVStore with row_sparse parameters"):
        gluon.Trainer([other], "sgd", kvstore=None)._prepare()
    other._set_trainer(None)
    with pytest.raises(ValueError, match="Cannot set update_on_kvstore=False when sparse weights are present"):
        gluon.Trainer([other], "sgd", update_on_kvstore=False)._prepare()
    parameter.set_data(nd.arange(8).reshape((4, 2)))
    gluon.Trainer([parameter], "sgd", {"learning_rate": 1.0})
    np.testing.assert_array_equal(parameter.row_sparse_data(nd.array([2, 1])).data.asnumpy(), [[2, 3], [4, 5]])
    np.testing.assert_array_equal(parameter._reduce().asnumpy(), np.arange(8).reshape(4, 2))
    dense = gluon.Parameter("d", shape=(4, 2))
    dense.initialize()
    with pytest.raises(RuntimeError, match=r"row_sparse_data\(\): its storage type is default; Please use data\(\)"):
        dense.row_sparse_data(nd.array([1]))
    with pytest.raises(RuntimeError, match=r"list_row_sparse_data\(\): its storage type is default"):
        dense.list_row_sparse_data(nd.array([1]))


def test_states_of_sparse_weights_are_saved() -> None:
    weight = example("row_sparse")
    slope = nd.sparse.row_sparse_array(([[1, 1, 1]], [2]), shape=(3, 3))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    updater(0, slope, weight)
    other = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    other.set_states(updater.get_states())
    assert other.states[0].stype == "row_sparse"
    np.testing.assert_array_equal(other.states[0].asnumpy(), updater.states[0].asnumpy())


def test_half_precision_weights_with_sparse_gradients() -> None:
    weight = nd.ones((3, 2), dtype="float16")
    slope = nd.sparse.row_sparse_array((np.ones((1, 2), "float16"), [1]), shape=(3, 2))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.5, multi_precision=True))
    updater(0, slope, weight)
    np.testing.assert_array_equal(weight.asnumpy(), [[1, 1], [0.5, 0.5], [1, 1]])


def test_states_that_an_operator_changes_are_written_back() -> None:
    weight, slope, momentum = nd.ones((3, 3)), example("row_sparse"), nd.sparse.zeros("row_sparse", (3, 3))
    nd.sgd_mom_update(weight, slope, momentum, out=weight, lr=1, momentum=0.9, lazy_update=False)
    np.testing.assert_allclose(momentum.asnumpy(), -slope.asnumpy())
    np.testing.assert_allclose(weight.asnumpy(), 1 - slope.asnumpy())
    dense_slope = slope.tostype("default")
    nd.sgd_mom_update(weight, dense_slope, momentum, out=weight, lr=1, momentum=0.0)
    np.testing.assert_allclose(weight.asnumpy(), 1 - 2 * slope.asnumpy())
    other = nd.zeros((3, 3))
    nd.sparse.sgd_update(weight, slope, out=other, lr=1)
    np.testing.assert_allclose(other.asnumpy(), 1 - 3 * slope.asnumpy())
    z, n = nd.zeros((3, 3)), nd.zeros((3, 3))
    nd.sparse.ftrl_update(weight, slope, z, n, out=weight, lr=0.1)
    np.testing.assert_allclose(n.asnumpy(), slope.asnumpy() ** 2)
    assert nd.sgd_update(weight, slope, lr=1).stype == "default"


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_an_executor_takes_sparse_values(stype: str):
    data = mx.sym.Variable("data", stype=stype)
    executor = mx.sym.dot(data, mx.sym.Variable("weight")).simple_bind(mx.cpu(), data=(2, 3), weight=(3, 2))
    values = nd.array([[1, 0, 2], [0, 3, 0]])
    weight = nd.array([[1, 2], [3, 4], [5, 6]])
    (output,) = executor.forward(is_train=True, data=values.tostype(stype), weight=weight.tostype("row_sparse"))
    np.testing.assert_array_equal(output.asnumpy(), values.asnumpy() @ weight.asnumpy())
    executor.backward(nd.ones((2, 2)))
    np.testing.assert_array_equal(executor.grad_dict["weight"].asnumpy(), values.asnumpy().T @ np.ones((2, 2)))
