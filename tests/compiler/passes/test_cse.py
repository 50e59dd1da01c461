"""Common subexpressions are computed once; what draws numbers or has states is not merged."""

import mxnet as mx
from regluon.compiler.passes.cse import merge_equal
from regluon.graph.node import in_order

sym = mx.sym


def _ops(heads) -> list[str]:
    return [node.op_name for node in in_order(heads) if not node.is_variable]


def test_equal_operators_on_equal_inputs_become_one():
    x = sym.var("x")
    net = sym.exp(x + 1) * sym.exp(x + 1)
    assert _ops(net._heads) == ["_plus_scalar", "exp", "_plus_scalar", "exp", "elemwise_mul"]
    merged = merge_equal(net._heads)
    assert _ops(merged) == ["_plus_scalar", "exp", "elemwise_mul"]
    x_value = mx.nd.array([0.5, -1])
    expected = sym.Symbol(merged).eval(x=x_value)[0].asnumpy()
    assert (net.eval(x=x_value)[0].asnumpy() == expected).all()


def test_other_parameters_keep_operators_apart():
    x = sym.var("x")
    assert len(_ops(merge_equal(sym.Group([x + 1, x + 2, x + 1])._heads))) == 2


def test_random_numbers_are_drawn_as_often_as_written():
    net = sym.Group([sym.random.uniform(shape=(2,)), sym.random.uniform(shape=(2,))])
    assert len(_ops(merge_equal(net._heads))) == 2


def test_states_are_updated_as_often_as_written():
    x, states = sym.var("x"), [sym.var(name) for name in ("gamma", "beta", "mean", "var")]
    net = sym.Group([sym.BatchNorm(x, *states), sym.BatchNorm(x, *states)])
    assert len(_ops(merge_equal(net._heads))) == 2


def test_the_given_graph_stays_as_it_is():
    x = sym.var("x")
    net = sym.exp(x) + sym.exp(x)
    before = net.tojson()
    merge_equal(net._heads)
    assert net.tojson() == before
