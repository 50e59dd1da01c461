"""Front-end functions made from declarations: their names, signatures and documentation."""

import inspect

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.base import _Null
from mxnet.ndarray import NDArray
from mxnet.ndarray.register import make_function, signature
from regluon.ops.registry import find


def test_functions_carry_name_doc_and_place():
    function = nd.FullyConnected
    assert function.__name__ == function.__qualname__ == "FullyConnected"
    assert function.__doc__ == find("FullyConnected").doc
    assert function.__module__ == "mxnet.ndarray.op"


def test_aliases_have_their_own_name():
    assert nd.concat.__name__ == "concat"
    assert nd.Concat.__name__ == "Concat"


def test_signature_of_inputs_and_parameters():
    parameters = inspect.signature(nd.FullyConnected).parameters
    assert list(parameters)[:4] == ["data", "weight", "bias", "num_hidden"]
    assert list(parameters)[-2:] == ["out", "name"]
    assert parameters["num_hidden"].default is _Null
    assert parameters["no_bias"].default is False


def test_signature_of_lists_of_inputs():
    parameters = inspect.signature(nd.concat).parameters
    assert parameters["data"].kind is inspect.Parameter.VAR_POSITIONAL
    assert parameters["dim"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature(find("Concat")) == inspect.signature(nd.concat)


def test_names_are_taken_and_ignored():
    x = nd.ones(2)
    assert nd.broadcast_add(x, x, name="sum0").shape == (2,)
    assert x.reshape((2, 1)).sum(axis=0, name="sum1").shape == (1,)


def test_public_and_internal_names_are_apart():
    assert "_plus_scalar" not in dir(mx.nd.op)
    assert mx.nd._internal._plus_scalar(nd.ones(1), scalar=1).asscalar() == 2


def test_a_made_function_works_without_inputs():
    make = make_function(find("_zeros"), "zeros_again", NDArray)
    assert make(shape=(2,)).shape == (2,)
    assert make.__name__ == "zeros_again"


def test_methods_are_the_functions():
    x = nd.array([[1, 2], [3, 4]])
    assert x.sum(axis=1).asnumpy().tolist() == nd.sum(x, axis=1).asnumpy().tolist()
    assert NDArray.sum.__doc__ == find("sum").doc
    assert NDArray.sum.__qualname__ == "NDArray.sum"
    out = nd.zeros(2)
    assert x.sum(axis=0, out=out) is out


def test_methods_refuse_unknown_parameters():
    with pytest.raises(ValueError, match=r"\[sum\] received an unknown parameter 'axes'; .*Did you mean axis\?"):
        nd.ones((2, 2)).sum(axes=1)
