"""Executors train by the compiled path of hybridized networks; `backward` may be called again and again."""

import numpy as np
import pytest

import mxnet as mx


def _network() -> mx.sym.Symbol:
    data = mx.sym.var("data")
    net = mx.sym.Convolution(data, num_filter=4, kernel=(3, 3), name="conv")
    net = mx.sym.Activation(mx.sym.BatchNorm(net, name="norm", fix_gamma=False), act_type="relu")
    net = mx.sym.Dropout(mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max"), p=0.5)
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(net, num_hidden=3, name="fc"), name="softmax")


def _bound(request: str = "write") -> mx.executor.Executor:
    mx.random.seed(3)
    executor = _network().simple_bind(mx.cpu(), grad_req=request, data=(4, 2, 8, 8), softmax_label=(4,))
    for name, array in executor.arg_dict.items():
        array[:] = mx.nd.random.uniform(-1, 1, shape=array.shape) if "label" not in name else mx.nd.array([0, 1, 2, 0])
    executor.aux_dict["norm_moving_var"][:] = 1
    return executor


def _gradients(executor: mx.executor.Executor) -> dict[str, np.ndarray]:
    return {name: array.asnumpy() for name, array in executor.grad_dict.items() if array is not None}


def test_second_backward_repeats_the_first_and_updates_no_states() -> None:
    executor = _bound()
    outputs = executor.forward(is_train=True)[0].asnumpy()
    executor.backward()
    first = _gradients(executor)
    states = {name: array.asnumpy() for name, array in executor.aux_dict.items()}
    for array in executor.grad_dict.values():
        array[:] = 7
    executor.backward()
    assert first.keys() == _gradients(executor).keys()
    for name, value in _gradients(executor).items():
        np.testing.assert_allclose(value, first[name], rtol=1e-5, atol=1e-6, err_msg=name)
    for name, array in executor.aux_dict.items():
        np.testing.assert_array_equal(array.asnumpy(), states[name])
    np.testing.assert_array_equal(executor.outputs[0].asnumpy(), outputs)


def test_gradients_add_up_over_backwards() -> None:
    executor = _bound("add")
    executor.forward(is_train=True)
    executor.backward()
    once = _gradients(executor)
    executor.backward()
    for name, value in _gradients(executor).items():
        np.testing.assert_allclose(value, 2 * once[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_captured_training_equals_gluon() -> None:
    """Many steps, so that the calls are captured where there are native kernels."""
    symbol = _network()
    inner = symbol.get_internals()["fc_output"]
    executor, steps = _bound(), 40
    block = mx.gluon.SymbolBlock(inner, [mx.sym.var("data")])
    for name, parameter in block.collect_params().items():
        source = executor.arg_dict if name in executor.arg_dict else executor.aux_dict
        parameter.shape = source[name].shape
        parameter.initialize()
        parameter.set_data(source[name])
    block.hybridize()
    data, label = executor.arg_dict["data"].copy(), executor.arg_dict["softmax_label"]
    for step in range(steps):
        mx.random.seed(step)
        executor.forward(is_train=True, data=data + step)
        executor.backward()
        mx.random.seed(step)
        with mx.autograd.record():
            loss = mx.nd.SoftmaxOutput(block(data + step), label)
        loss.backward()
    for name, parameter in block.collect_params().items():
        if parameter.grad_req != "null":
            found = executor.grad_dict[name].asnumpy()
            np.testing.assert_allclose(found, parameter.grad().asnumpy(), rtol=2e-4, atol=2e-5, err_msg=name)
        else:
            np.testing.assert_allclose(executor.aux_dict[name].asnumpy(), parameter.data().asnumpy(), rtol=2e-4)


def test_argument_that_nothing_depends_on_has_a_zero_gradient() -> None:
    head = mx.sym.Group([mx.sym.var("a") * 2, mx.sym.BlockGrad(mx.sym.var("b"))])
    arrays = {"a": mx.nd.ones((2,)), "b": mx.nd.ones((2,))}
    gradients = {name: mx.nd.full((2,), 9) for name in arrays}
    executor = head.bind(mx.cpu(), arrays, gradients)
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones((2,)), mx.nd.ones((2,))])
    np.testing.assert_array_equal(gradients["a"].asnumpy(), [2, 2])
    np.testing.assert_array_equal(gradients["b"].asnumpy(), [0, 0])


@pytest.mark.parametrize("training", [False, True])
def test_backward_without_forward_in_training_mode(training: bool) -> None:
    executor = _bound()
    executor.forward(is_train=False)
    executor.backward(is_train=training)
    assert any(np.abs(value).sum() > 0 for value in _gradients(executor).values())
