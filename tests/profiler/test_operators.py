"""Operators under MXNet's names, however they are run."""

import json
import threading
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import regluon.ops.registry
from mxnet import autograd, gluon, nd, profiler
from mxnet.gluon import nn
from regluon.array import native_arithmetic
from regluon.compiler.fused.table import OPERATORS
from regluon.compiler.profiling import SHOWN_NAMES
from regluon.config import process
from regluon.native import loading
from tests.compiled_kernels import compiled_library

from .conftest import Profile


def network(**kwargs: Any) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
        net.add(nn.Dense(5, activation="tanh", in_units=64), nn.Dense(3, in_units=5))
    net.initialize()
    return net


DATA, LABEL = nd.array(np.random.RandomState(0).rand(2, 2, 6, 6)), nd.array([0, 1])
LOSS = gluon.loss.SoftmaxCrossEntropyLoss()


def train(net: Any, trainer: gluon.Trainer) -> None:
    with autograd.record():
        loss = LOSS(net(DATA), LABEL)
    loss.backward()
    trainer.step(2)


def test_eager_calls(profile: Profile) -> None:
    x = nd.ones((3, 3))
    with profile:
        nd.sqrt(x)
        nd.sqrt(x + 1)
        x + x
        2 - x
        mx.np.exp(x.as_np_ndarray())
        x += 1
        nd.dot(x, x, out=x)
    assert profile.counts() == {
        "sqrt": 2, "_plus_scalar": 2, "broadcast_add": 1, "_rminus_scalar": 1, "_npi_exp": 1, "dot": 1,
    }  # fmt: skip


def test_kernels_lie_inside_of_operators(profile: Profile) -> None:
    with profile:
        nd.dot(nd.ones((8, 8)), nd.ones((8, 8)))
    events = profile.events()
    dot = next(event for event in events if event["name"] == "dot")
    kernel = next(event for event in events if event["name"] == "aten::mm")
    assert (dot["pid"], dot["tid"]) == (kernel["pid"], kernel["tid"])
    assert dot["ts"] <= kernel["ts"] <= kernel["ts"] + kernel["dur"] <= dot["ts"] + dot["dur"]


def test_eager_blocks(profile: Profile) -> None:
    net = network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with profile:
        train(net, trainer)
    counts = profile.counts()
    expected = {"Convolution": 1, "BatchNorm": 1, "Activation": 2, "FullyConnected": 2, "multi_sgd_mom_update": 1}
    assert expected.items() <= counts.items()
    assert counts["_backward_Convolution"] == counts["_backward_BatchNorm"] == 1
    assert counts["_backward_FullyConnected"] == 2
    places = profile.places()
    assert {("Convolution", "net_conv0"), ("_backward_Convolution", "net_conv0")} <= places
    assert {("FullyConnected", "net_dense0"), ("Activation", "net_dense0_tanh")} <= places


def test_compiled_prediction(profile: Profile) -> None:
    net = network()
    expected = net(DATA).asnumpy()
    net.hybridize()
    net(DATA)
    with profile:
        found = net(DATA).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    names = {name.split("+")[0] for name in profile.counts()}
    assert names >= {"Convolution", "FullyConnected"}
    assert ("FullyConnected", "net_dense1_fwd") in profile.places()


def check_training(net: Any, trainer: gluon.Trainer, profile: Profile) -> None:
    with profile:
        train(net, trainer)
    counts = profile.counts()
    expected = {"Convolution", "BatchNorm+Activation", "FullyConnected", "FullyConnected+Activation"}
    assert expected <= counts.keys()
    assert {f"_backward_{name}" for name in expected} <= counts.keys()
    places = profile.places()
    assert {("Convolution", "net_conv0_fwd"), ("_backward_Convolution", "net_conv0_fwd")} <= places
    assert {("FullyConnected", "net_dense1_fwd"), ("_backward_FullyConnected", "net_dense1_fwd")} <= places


def test_compiled_training(profile: Profile) -> None:
    net = network()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    check_training(net, trainer, profile)


def test_captured_training(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "the_library", compiled_library())
    net = network()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(40):
        train(net, trainer)
    (program,) = (each for each in net._cached_op._programs.values() if each.latest is not None)
    pair = program.latest.replay.captured
    assert pair is not None  # else this tests nothing
    check_training(net, trainer, profile)
    assert program.latest.replay.captured is pair  # as before, once nobody looks
    train(net, trainer)
    assert profile.counts()["Convolution"] == 1


def test_programs_give_the_same_numbers_while_they_are_profiled(profile: Profile) -> None:
    weights = []
    for looks in (False, True):
        mx.random.seed(3)
        net = network()
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd")
        profiler.set_state("run" if looks else "stop")
        for _ in range(3):
            train(net, trainer)
        weights.append(net[0].weight.data().asnumpy())
    np.testing.assert_array_equal(*weights)


def test_executors_and_modules(profile: Profile) -> None:
    data = mx.sym.Variable("data")
    output = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=3, name="fc"), name="softmax")
    module = mx.mod.Module(output)
    batches = mx.io.NDArrayIter(np.ones((8, 4), "float32"), np.zeros(8, "float32"), 4)
    with profile:
        module.fit(batches, num_epoch=1)
    counts = profile.counts()
    assert counts["FullyConnected"] == counts["SoftmaxOutput"] == 2
    assert counts["_backward_FullyConnected"] == 2
    assert ("FullyConnected", "fc") in profile.places()


def test_parts_are_left_out_on_request(profile: Profile) -> None:
    net = network()
    net.hybridize()
    net(DATA)
    for setting, expected in (("symbolic", {"FullyConnected"}), ("imperative", {"sqrt"})):
        chosen = dict.fromkeys(("profile_symbolic", "profile_imperative", "profile_memory", "profile_api"), False)
        profiler.set_config(**{**chosen, f"profile_{setting}": True}, filename=str(profile.path), continuous_dump=False)
        profiler.dumps(reset=True)
        with profile:
            net(DATA)
            nd.sqrt(DATA)
        assert {name for name in profile.counts() if name in ("FullyConnected", "sqrt")} == expected
        assert json.loads(profiler.dumps(format="json"))["Memory"] == {}


def test_operators_of_other_threads_are_timed(profile: Profile) -> None:
    with profile:
        thread = threading.Thread(target=lambda: nd.cos(DATA))
        thread.start()
        thread.join()
    assert profile.counts() == {"cos": 1}


def test_memory_of_operators(profile: Profile) -> None:
    x = nd.ones((100, 100))
    with profile:
        kept = nd.exp(x)
    memory = json.loads(profiler.dumps(format="json"))["Memory"]
    assert memory["Operator Memory"]["exp"]["Max"] == pytest.approx(40.0, abs=1)
    assert memory["Device Storage"]["Memory: cpu/0"]["Max"] == pytest.approx(40.0, abs=1)
    assert kept.shape == (100, 100)


def test_sparse_operators(profile: Profile) -> None:
    matrix = nd.array(np.eye(4)).tostype("csr")
    with profile:
        nd.dot(matrix, nd.ones((4, 2)))
    assert profile.counts()["dot"] == 1


class Twice(mx.operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register("profiled_twice")
class TwiceProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Twice:
        return Twice()


def test_operators_in_python_show_what_they_call(profile: Profile) -> None:
    x = nd.ones((3,))
    x.attach_grad()
    with profile:
        with autograd.record():
            y = nd.Custom(x, op_type="profiled_twice")
        y.backward()
    found = json.loads(profiler.dumps(format="json"))["Time"]["Custom Operator"]
    assert {name: numbers["Count"] for name, numbers in found.items()} == {
        "profiled_twice::pure_python": 1, "profiled_twice::_mul_scalar": 1,
        "_backward_profiled_twice::pure_python": 1, "_backward_profiled_twice::_mul_scalar": 1,
    }  # fmt: skip


def test_waiting_for_data_and_backward_are_calls(profile: Profile) -> None:
    x = nd.ones((3,))
    x.attach_grad()
    with profile:
        list(gluon.data.DataLoader(gluon.data.ArrayDataset(np.arange(4)), batch_size=2))
        with autograd.record():
            y = x * 2
        y.backward()
    found = json.loads(profiler.dumps(format="json"))["Time"]["API"]
    assert {name: numbers["Count"] for name, numbers in found.items()} == {"DataLoader.read": 2, "backward": 1}


def test_mixed_precision_stays_in_force(profile: Profile) -> None:
    before = regluon.ops.registry.find("sqrt").eager
    with profile:
        assert regluon.ops.registry.find("sqrt").eager is not before
    assert regluon.ops.registry.find("sqrt").eager is before


def test_arithmetic_in_cpp_is_put_back(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    library = compiled_library()
    monkeypatch.setattr(loading, "the_library", library)
    native_arithmetic.install(library.runner)
    try:
        with profile:
            assert "__add__" not in vars(nd.NDArray)
            DATA + DATA
        assert "__add__" in vars(nd.NDArray)
        assert profile.counts() == {"broadcast_add": 1}
    finally:
        native_arithmetic.remove()


def test_errors_end_ranges(profile: Profile) -> None:
    with profile:
        with pytest.raises(mx.MXNetError, match="FullyConnected"):
            nd.FullyConnected(DATA, nd.ones((2, 3)), num_hidden=2, no_bias=True)
        nd.exp(DATA)
    assert profile.counts()["exp"] == 1


def test_every_fused_operator_has_a_name_to_show() -> None:
    assert OPERATORS.keys() <= SHOWN_NAMES.keys()


def test_nothing_is_left_behind(profile: Profile) -> None:
    with profile:
        assert process.tracer is not None
    assert process.tracer is None
