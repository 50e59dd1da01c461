"""Variance reduced gradients, compared with a real MXNet."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib.svrg_optimization.svrg_module import SVRGModule
from mxnet.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer

DATA = (np.arange(30).reshape(10, 3) % 7).astype("float32")
LABEL = DATA.dot(np.array([1.0, -2.0, 0.5], "float32"))


CPU = mx.cpu()


def made(context: Any = CPU, **kwargs: Any) -> tuple[Any, SVRGModule]:
    data = mx.io.NDArrayIter(DATA, LABEL, batch_size=4, label_name="lin_label")
    layer = mx.sym.FullyConnected(mx.sym.var("data"), name="fc", num_hidden=1)
    network = mx.sym.LinearRegressionOutput(layer, mx.sym.var("lin_label"), name="lin")
    module = SVRGModule(network, label_names=["lin_label"], context=context, **{"update_freq": 2, **kwargs})
    return data, module


def ready(**kwargs: Any) -> tuple[Any, SVRGModule]:
    data, module = made(**kwargs)
    module.bind(data.provide_data, data.provide_label)
    module.init_params(mx.init.Constant(0.1))
    module.init_optimizer()
    return data, module


def trained(context: Any, kvstore: Any, num_epoch: int) -> SVRGModule:
    data, module = made(context)
    options = {"learning_rate": 0.01, "momentum": 0.9}
    module.fit(
        *(data, None, "mse"),
        initializer=mx.init.Constant(0.1),
        optimizer_params=options,
        num_epoch=num_epoch,
        kvstore=kvstore,
    )
    return module


@pytest.mark.parametrize("contexts", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]])
@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_two_epochs_give_what_a_real_mxnet_gives(contexts: Any, kvstore: str):
    params = trained(contexts, kvstore, 2).get_params()[0]
    expected = [[0.45197013, -1.1460166, -0.46374074]]
    np.testing.assert_allclose(params["fc_weight"].asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(params["fc_bias"].asnumpy(), [-0.07019787], rtol=1e-5)


def test_the_mean_gradient_is_that_of_all_data():
    data, module = ready()
    for _ in range(2):  # each time anew
        module.update_full_grads(data)
        np.testing.assert_allclose(module._param_dict[0]["fc_weight"].asnumpy(), [[12.04, 52.92, 38.64]], rtol=1e-5)
        np.testing.assert_allclose(module._param_dict[0]["fc_bias"].asnumpy(), [8.4], rtol=1e-5)


def test_gradients_at_the_kept_weights_are_the_mean():
    data, module = ready()
    module.update_full_grads(data)
    data.reset()
    module.forward_backward(next(data))
    module._update_svrg_gradients()
    mean, corrected = module._param_dict[0]["fc_weight"], module._exec_group.grad_arrays[0][0]
    np.testing.assert_allclose(corrected.asnumpy(), mean.asnumpy(), rtol=1e-5)


def test_training_with_a_store_keeps_the_weights_it_begins_with():
    _, module = ready()
    module.init_optimizer(kvstore=mx.kv.create("local"), force_init=True)
    assert type(module._optimizer) is _SVRGOptimizer
    assert module._exec_group.param_arrays[0][0].asnumpy().tolist() == [[pytest.approx(0.1)] * 3]


def test_shapes_may_change():
    data, module = ready()
    module.update_full_grads(data)
    module.reshape([("data", (2, 3))], [("lin_label", (2,))])
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones(2)]), is_train=True)
    module.backward()
    module.update()
    assert module.get_outputs()[0].shape == (2, 1)


def test_the_optimizer_assigns_to_full_gradients_and_updates_weights():
    optimizer = _SVRGOptimizer("sgd", learning_rate=1.0, momentum=0.5, param_idx2name={0: "weight", 1: "weight_full"})
    assert optimizer.default_opt.momentum == 0.5
    store = mx.kv.create("local")
    store.set_optimizer(optimizer)
    weight, mean = mx.nd.zeros(3), mx.nd.ones(3)
    for key, value in ((0, weight), (1, mean)):
        store.init(key, value)
        store.push(key, mx.nd.array([2, 2, 2]))
        store.pull(key, value)
    assert weight.asnumpy().tolist() == [-2, -2, -2]
    assert mean.asnumpy().tolist() == [2, 2, 2]


def test_update_freq_is_checked():
    with pytest.raises(
        TypeError, match=r"update_freq: received NoneType; update_freq in SVRGModule must be an integer"
    ):
        made(update_freq=None)
    with pytest.raises(ValueError, match=r"update_freq: received 0; .* must be a positive integer"):
        made(update_freq=0)


def test_checkpoints_are_refused(tmp_path):
    data, module = made()
    with pytest.raises(mx.MXNetError, match=r"\[SVRGModule.fit\] checkpoint: received a folder; expected none"):
        module.fit(data, num_epoch=1, checkpoint=tmp_path)
