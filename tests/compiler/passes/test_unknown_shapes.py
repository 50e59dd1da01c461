"""Zeros whose shape only their users tell, as graphs of recurrent networks contain them."""

import numpy as np
import pytest

import mxnet as mx

sym = mx.sym


def _step():
    state = sym.zeros((0, 4))
    i2h = sym.FullyConnected(sym.var("data"), num_hidden=4, name="i2h")
    return sym.tanh(i2h + sym.FullyConnected(state, num_hidden=4, name="h2h"))


@pytest.mark.parametrize("batch", [1, 5])
def test_the_shape_follows_from_the_data(batch):
    net = _step()
    executor = net.simple_bind(mx.cpu(), data=(batch, 3))
    for array in executor.arg_dict.values():
        array[:] = 0.1
    found = executor.forward()[0].asnumpy()
    np.testing.assert_allclose(found, np.tanh(np.full((batch, 4), 0.1 * 0.1 * 3 + 0.2)), rtol=1e-5)


def test_one_graph_serves_all_batches():
    block = mx.gluon.SymbolBlock(_step(), sym.var("data"))
    block.initialize()
    assert block(mx.nd.ones((2, 3))).shape == (2, 4)
    assert block(mx.nd.ones((7, 3))).shape == (7, 4)


def test_what_nothing_tells_is_refused():
    block = mx.gluon.SymbolBlock(sym.Group([sym.zeros((0, 4)), sym.var("data") + 1]), sym.var("data"))
    with pytest.raises(mx.MXNetError, match=r"\[_zeros\] node '.*' has the shape \(0, 4\), and nothing in the graph"):
        block(mx.nd.ones((2, 3)))


def test_random_numbers_take_the_shape_of_what_they_are_added_to() -> None:
    drawn = mx.sym.random.randn(loc=10, scale=0.5, data=mx.sym.var("ignored"))
    assert drawn.list_arguments() == []
    outputs = (drawn + mx.sym.var("x")).eval(x=mx.nd.zeros((30, 40)))
    assert outputs[0].shape == (30, 40)
    assert abs(outputs[0].asnumpy().mean() - 10) < 0.1


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"start": 0}, [0, 1, 2, 3, 4, 5]),
        ({"start": 2, "step": 0.1}, [2, 2.1, 2.2, 2.3, 2.4, 2.5]),
        ({"start": 5, "step": -2, "repeat": 2}, [5, 5, 3, 3, 1, 1]),
    ],
)
def test_ranges_end_where_their_users_do(params, expected):
    numbers = mx.sym.arange(stop=None, infer_range=True, **params)
    graph = mx.sym.elemwise_add(numbers, mx.sym.var("data"))
    assert graph.infer_shape(data=(6,))[1] == [(6,)]
    result = graph.bind(mx.cpu(), {"data": mx.nd.zeros((6,))}).forward()[0]
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


def test_a_range_that_nothing_ends_is_refused():
    with pytest.raises(
        mx.MXNetError, match=r"\[_arange\] node 'steps' .* nothing in the graph tells its unknown lengths"
    ):
        mx.sym.arange(0, infer_range=True, name="steps").bind(mx.cpu(), {}).forward()
