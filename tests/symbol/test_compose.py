"""Attributes given to operators of a graph."""

import pytest

import mxnet as mx
from mxnet import sym


def _attributes(**how) -> dict[str, str]:
    return sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="f", **how).attr_dict()["f_weight"]


@pytest.mark.parametrize(("value", "text"), [(3, "3"), (2.5, "2.5"), ((1, 2), "(1, 2)"), (None, "None"), ("a", "a")])
def test_attributes_become_text(value: object, text: str):
    assert _attributes(attr={"__mood__": value})["__mood__"] == text
    assert _attributes(__mood__=value)["__mood__"] == text


@pytest.mark.parametrize("how", ["attr", "keyword"])
def test_an_initializer_is_kept_as_what_makes_it_again(how: str):
    initializer = mx.init.Xavier(rnd_type="gaussian", magnitude=2)
    given = {"attr": {"__init__": initializer}} if how == "attr" else {"__init__": initializer}
    graph = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="f", **given)
    assert sym.load_json(graph.tojson()).attr_dict()["f_weight"]["__init__"] == initializer.dumps()
    weight = mx.nd.zeros((2, 3))
    mx.init.Zero()(mx.init.InitDesc("f_weight", graph.attr_dict()["f_weight"]), weight)
    assert weight.asnumpy().std() > 0


def test_a_graph_in_json_is_applied_to_symbols():
    a, b = mx.sym.var("a"), mx.sym.var("b")
    inner = mx.sym.FullyConnected(a * b, num_hidden=2, no_bias=True, name="fc")
    made = mx.sym._internal._CachedOp(mx.sym.var("x"), mx.sym.var("y"), mx.sym.var("w"), subgraph=inner.tojson()) * 2
    assert made.list_arguments() == ["x", "y", "w"]
    arrays = {"x": mx.nd.array([[1, 2]]), "y": mx.nd.array([[3, 4]]), "w": mx.nd.array([[1, 0], [1, 1]])}
    assert made.eval(**arrays)[0].asnumpy().tolist() == [[6, 22]]


def test_the_operator_of_a_symbol_alone():
    states = [mx.sym.var(name) for name in ("data", "p", "h", "c")]
    result = mx.sym.RNN(*states, state_size=10, num_layers=2, state_outputs=True, mode="lstm")
    alone = result._gen_atomic_symbol()
    assert alone.list_arguments() == ["data", "parameters", "state", "state_cell"]
    assert len(alone.list_outputs()) == 3
    assert alone.attr_dict()[alone[0].name] == result.attr_dict()[result[0].name]
    with pytest.raises(mx.MXNetError, match=r"\[Symbol\] p is a variable; expected the result of an operator"):
        states[1]._gen_atomic_symbol()
