"""Groups of nodes on contexts of their own; where arrays must be is what MXNet 1.9.1 answers."""

import numpy as np
import pytest

import mxnet as mx
import regluon.graph.node
from mxnet import sym
from mxnet.base import MXNetError

GROUPS = {"a": mx.cpu(1), "b": mx.cpu(2)}


def _network() -> sym.Symbol:
    with mx.AttrScope(ctx_group="a"):
        first = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc1")
    with mx.AttrScope(ctx_group="b"):
        normalized = sym.BatchNorm(first, name="bn")
        return sym.SoftmaxOutput(sym.FullyConnected(normalized, num_hidden=2, name="fc2"), name="softmax")


def test_arrays_gradients_states_and_outputs_are_where_their_groups_are() -> None:
    executor = _network().simple_bind(mx.cpu(0), data=(2, 4), group2ctx=GROUPS)
    for arrays in (executor.arg_dict, executor.grad_dict):
        for name, array in arrays.items():
            assert array.context == (mx.cpu(1) if name == "data" or name.startswith("fc1") else mx.cpu(2)), name
    assert {array.context for array in executor.aux_arrays} == {mx.cpu(2)}
    assert executor.outputs[0].context == mx.cpu(2)
    executor.forward(is_train=True)
    executor.backward()
    assert executor.outputs[0].context == mx.cpu(2)
    assert executor.grad_dict["fc1_weight"].context == mx.cpu(1)
    operators = [node.op_name for node in regluon.graph.node.in_order(executor.get_optimized_symbol()._heads)]
    assert operators.count("_CrossDeviceCopy") == 1


def test_the_same_results_as_on_one_context() -> None:
    found = []
    for groups in (None, GROUPS):
        executor = _network().simple_bind(mx.cpu(0), data=(2, 4), group2ctx=groups)
        draws = np.random.RandomState(0)
        for array in executor.arg_arrays:
            array[:] = mx.nd.array(draws.rand(*array.shape), ctx=array.context)
        executor.forward(is_train=True)
        executor.backward()
        found.append([executor.outputs[0].asnumpy(), *(array.asnumpy() for array in executor.grad_arrays)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_belongs_to_no_group_is_beside_its_neighbours() -> None:
    with mx.AttrScope(ctx_group="a"):
        x = sym.var("x")
    with mx.AttrScope(ctx_group="b"):
        y = sym.var("y")
    z = sym.var("z")
    executor = ((x + y) + z).simple_bind(mx.cpu(0), x=(2,), y=(2,), z=(2,), group2ctx=GROUPS)
    assert [array.context for array in executor.arg_arrays] == [mx.cpu(1), mx.cpu(2), mx.cpu(1)]
    assert executor.outputs[0].context == mx.cpu(1)


def test_given_arrays_stay_where_they_are() -> None:
    with mx.AttrScope(ctx_group="a"):
        net = sym.var("x") * sym.var("y")
    arrays = {"x": mx.nd.ones((2,), ctx=mx.cpu(1)), "y": mx.nd.ones((2,), ctx=mx.cpu(2))}
    gradients = {name: mx.nd.zeros((2,), ctx=array.context) for name, array in arrays.items()}
    executor = net.bind(mx.cpu(0), arrays, args_grad=gradients, group2ctx=GROUPS)
    assert executor.forward(is_train=True)[0].context == mx.cpu(1)
    executor.backward(mx.nd.array([3, 4], ctx=mx.cpu(1)))
    assert gradients["y"].context == mx.cpu(2)
    np.testing.assert_array_equal(gradients["y"].asnumpy(), [3, 4])


def test_a_group_without_a_context() -> None:
    with pytest.raises(MXNetError, match=r"belongs to the group 'b', for which there is no context; there are 'a'"):
        _network().simple_bind(mx.cpu(0), data=(2, 4), group2ctx={"a": mx.cpu(1)})


def test_modules_have_groups_for_each_context() -> None:
    groups = [GROUPS, {"a": mx.cpu(4), "b": mx.cpu(5)}]
    module = mx.mod.Module(_network(), context=[mx.cpu(0), mx.cpu(3)], group2ctxs=groups)
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    module.init_params()
    module.init_optimizer()
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 4))], [mx.nd.ones((2,))]), is_train=True)
    module.backward()
    module.update()
    assert [part.context for part in module.get_outputs(merge_multi_context=False)[0]] == [mx.cpu(2), mx.cpu(5)]
