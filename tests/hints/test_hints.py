"""Hints do not change what programs find by hasattr, getattr, dir, copy and pickle."""

import copy
import pickle

import numpy as onp
import pytest
import torch

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn


@pytest.mark.parametrize(
    ("find", "text"),
    [
        (lambda: nd.ones((2,)).numpy(), "[NDArray] has no attribute 'numpy'. Use x.asnumpy()."),
        (lambda: nn.Linear, "[mx.gluon.nn] has no attribute 'Linear'. Use nn.Dense(10)."),
        (lambda: nn.Dense(3).parameters(), "[Dense] has no attribute 'parameters'. Use net.collect_params()."),
        (
            lambda: nd.zeros((2, 3)).tostype("csr").numpy,
            "[CSRNDArray] has no attribute 'numpy'. Use x.asnumpy().",
        ),
        (
            lambda: nn.Dense(3).train(),
            "[Dense] has no attribute 'train'. Use with autograd.record(): loss_function(net(x), y). Inside of "
            "autograd.record() every layer trains.",
        ),
        (
            lambda: nd.ones((2,)).contiguous(),
            "[NDArray] has no attribute 'contiguous'. Every array is contiguous: leave the call out.",
        ),
    ],
)
def test_texts(find, text):
    with pytest.raises(AttributeError) as caught:
        find()
    assert str(caught.value) == text
    assert caught.value.__context__ is None


def test_other_names_raise_the_error_of_python():
    x = nd.ones((2,))
    with pytest.raises(AttributeError, match=r"^'NDArray' object has no attribute 'asnumpi'$") as caught:
        x.asnumpi()
    assert caught.value.name == "asnumpi"
    assert caught.value.obj is x
    with pytest.raises(AttributeError, match=r"^module 'mxnet.ndarray' has no attribute 'oness'$") as caught:
        _ = nd.oness
    assert caught.value.obj is nd


def test_errors_inside_of_properties_are_not_hidden():
    class Net(gluon.Block):
        @property
        def parameters(self):
            return self.wieght

        @property
        def width(self):
            return self.units

    for name, missing in (("parameters", "wieght"), ("width", "units")):
        with pytest.raises(AttributeError, match=f"^'Net' object has no attribute '{missing}'$"):
            getattr(Net(), name)


def test_programs_define_the_names_themselves():
    class Trained:
        def train(self):
            return "trained"

    class Net(nn.HybridBlock, Trained):
        def parameters(self):
            return self.collect_params()

    net = Net()
    net.device = "mine"
    assert (net.train(), net.device, len(net.parameters())) == ("trained", "mine", 0)


def test_own_getattr_of_a_subclass_runs_instead():
    class Wrapper(nn.Block):
        def __getattr__(self, name):
            return f"mine: {name}"

    assert Wrapper().parameters == "mine: parameters"


def test_incomplete_blocks_say_what_they_said():
    class Net(nn.Block):
        def __init__(self):
            self.layer = nn.Dense(3)

    with pytest.raises(AttributeError, match=r"Call super\(\).__init__"):
        Net()


def test_copies_and_pickles():
    x = nd.array([1, 2])
    optimizer = mx.optimizer.SGD(momentum=0.5)
    for copied in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301
        assert copied.asnumpy().tolist() == [1, 2]
    for copied in (copy.copy(optimizer), copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):  # noqa: S301
        assert copied.momentum == 0.5
    net = nn.Dense(2, in_units=2)
    net.initialize()
    same = copy.deepcopy(net)
    assert (same(nd.ones((1, 2))) == net(nd.ones((1, 2)))).asnumpy().all()
    symbol = mx.sym.var("a") + 1
    assert pickle.loads(pickle.dumps(symbol)).tojson() == copy.deepcopy(symbol).tojson()  # noqa: S301
    assert not hasattr(nd.NDArray.__new__(nd.NDArray), "numpy")  # before anything is set


def test_libraries_that_duck_type_see_no_tensor():
    x = nd.array([1, 2])
    assert onp.asarray(x).tolist() == [1, 2]
    assert torch.as_tensor(x).tolist() == [1, 2]
    assert not isinstance(x, torch.Tensor)
    for name in ("numpy", "cpu", "__cuda_array_interface__", "__array_interface__", "__no_such_protocol__"):
        assert not hasattr(x, name)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nd.sum(nd.ones((2, 3)), dim=1), r"unknown parameter 'dim'.* Did you mean axis\?"),
        (lambda: nd.softmax(nd.ones((2, 3)), dim=1), r"unknown parameter 'dim'.* Did you mean axis\?"),
        (lambda: nd.concat(nd.ones((2, 3)), axis=1), r"unknown parameter 'axis'.* Did you mean dim\?"),
    ],
)
def test_parameters_named_as_in_pytorch_are_guessed(call, text):
    with pytest.raises(mx.MXNetError, match=text):
        call()
