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
