"""Labels and indices out of range: clipped as in MXNet, or refused where the switch is on."""

import re
import subprocess
import sys

import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def embedding():
    net = nn.HybridSequential()
    net.add(nn.Embedding(5, 2, prefix="words_"), nn.Dense(2, in_units=4))
    net.initialize()
    return net


CALLS = [
    (
        lambda: nd.take(nd.ones((3, 2)), nd.array([1, 7])),
        r"\[take\] .*index 7, number 1 of 2, is out of range: expected 0 to 2",
    ),
    (
        lambda: nd.pick(nd.ones((2, 3)), nd.array([0, -1])),
        r"\[pick\] .*index -1, number 1 of 2, .*expected 0 to 2; 1 are",
    ),
    (
        lambda: nd.one_hot(nd.array([5, 1, 9]), 4),
        r"\[one_hot\] .*index 5, number 0 of 3, .*expected 0 to 3; 2 are.*nowhere",
    ),
    (lambda: nd.batch_take(nd.ones((2, 3)), nd.array([0, 3], dtype="int32")), r"\[batch_take\] .*index 3"),
    (lambda: nd.take(nd.ones((3, 2)), nd.array([float("nan")])), r"index nan"),
    (
        lambda: gluon.loss.SoftmaxCELoss()(nd.ones((2, 3)), nd.array([0, 3])),
        r"index 3, .*expected 0 to 2.*\n  in net \(softmax",
    ),
    (
        lambda: gluon.loss.SoftmaxCELoss(axis=1)(nd.ones((2, 3, 2)), nd.array([[0, 1], [2, 3]])),
        r"\[pick\] .*index 3, number 3 of 4",
    ),
    (
        lambda: embedding()(nd.array([[1, 5]])),
        r"\[Embedding\] .*index 5, .*expected 0 to 4; .*\n  in net\.0 \(words: Embedding\(5 -> 2",
    ),
]


@pytest.mark.parametrize(("call", "text"), CALLS)
def test_the_switch(call, text):
    call()  # clipped
    with mx.util.check_labels(), pytest.raises(mx.MXNetError, match=re.compile(text, re.S)) as caught:
        call()
    assert isinstance(caught.value, IndexError)
    call()


@pytest.mark.parametrize("recorded", [False, True])
def test_hybridized_networks_are_checked_too(recorded):
    net, loss = embedding(), gluon.loss.SoftmaxCELoss()
    net.hybridize()
    loss.hybridize()
    for _ in range(3):
        with autograd.record(recorded):
            loss(net(nd.array([[1, 5]])), nd.array([2]))
    text = r"index 5, number 1 of 2, is out of range: expected 0 to 4; .*\n  in net\.0 \(words"
    with mx.util.check_labels(), autograd.record(recorded):
        with pytest.raises(IndexError, match=text):
            net(nd.array([[1, 5]]))
        with pytest.raises(IndexError, match=r"index 2, .*expected 0 to 1; .*\n  in loss \("):
            loss(net(nd.array([[1, 4]])), nd.array([2]))
        assert loss(net(nd.array([[1, 4]])), nd.array([1])).shape == (1,)


def test_graphs_are_checked_node_by_node(tmp_path):
    net = embedding()
    net.hybridize()
    net(nd.array([[1, 4]]))
    net.export(tmp_path / "net")
    block = gluon.SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    with mx.util.check_labels(), pytest.raises(IndexError, match=r"index 5.*In the graph this is node '\w*words_fwd'"):
        block(nd.array([[1, 5]]))


def test_executors_bound_while_it_is_on_check():
    symbol = mx.sym.Embedding(mx.sym.var("data"), input_dim=5, output_dim=2, name="words")
    with mx.util.check_labels():
        executor = symbol.simple_bind(mx.cpu(), data=(2,))
        with pytest.raises(IndexError, match=r"index 6.*node 'words'"):
            executor.forward(data=nd.array([1, 6]))


def test_gradients_are_the_same_while_it_is_on():
    net = embedding()
    net.hybridize()
    found = []
    for active in (False, True):
        with mx.util.check_labels(active), autograd.record():
            net(nd.array([[1, 4]])).sum().backward()
        found.append([parameter.grad().asnumpy().tolist() for parameter in net.collect_params().values()])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("shape", "label", "settings", "text"),
    [
        ((2, 3), [0, 3], {}, r"index 3, number 1 of 2, .*expected 0 to 2; 1 are.*the gradient would push all classes"),
        ((2, 3), [-1, 0], {}, "index -1, number 0 of 2"),
        ((2, 3), [-1, 4], {"use_ignore": True}, "index 4, number 1 of 2, .*; 1 are"),
        ((2, 3), [9, -1], {"use_ignore": True, "ignore_label": 9}, "index -1, number 1 of 2"),
        ((1, 3, 2), [[0, 3]], {"multi_output": True}, "index 3, number 1 of 2, .*expected 0 to 2"),
        ((1, 2, 3), [[0, 3]], {"preserve_shape": True}, "index 3, number 1 of 2, .*expected 0 to 2"),
    ],
)
def test_labels_of_softmax_output(shape, label, settings, text):
    data, label = nd.ones(shape), nd.array(label)
    nd.SoftmaxOutput(data, label, **settings)
    with mx.util.check_labels(), pytest.raises(IndexError, match=re.compile(rf"\[SoftmaxOutput\] .*{text}", re.S)):
        nd.SoftmaxOutput(data, label, **settings)


def test_labels_of_softmax_output_that_are_in_order():
    with mx.util.check_labels():
        nd.SoftmaxOutput(nd.ones((2, 3)), nd.array([-1, 2]), use_ignore=True)
        nd.SoftmaxOutput(nd.ones((2, 3, 2)), nd.array([[5, 0, 9], [9, 9, 9]]))  # MXNet reads the first two of them
        nd.SoftmaxOutput(nd.ones((2, 3)), nd.array([[0.5, 7, -2], [0, 1, 0]]))  # probabilities


def test_modules_check_labels():
    symbol = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3), name="softmax")
    data = mx.io.NDArrayIter(nd.ones((4, 2)), nd.array([0, 1, 2, 3]), batch_size=4)
    with mx.util.check_labels(), pytest.raises(IndexError, match=r"index 3, number 3 of 4, .*node 'softmax'"):
        mx.mod.Module(symbol).fit(data, num_epoch=1)


def test_modes_that_mean_something_else_are_left_alone():
    with mx.util.check_labels():
        assert nd.take(nd.array([1, 2, 3]), nd.array([4]), mode="wrap").asscalar() == 2
        assert nd.take(nd.array([1, 2, 3]), nd.array([0, 2])).asnumpy().tolist() == [1, 3]


def test_at_once_and_back():
    before = mx.util.check_labels()
    try:
        with pytest.raises(IndexError):
            nd.one_hot(nd.array([5]), 3)
    finally:
        before.__exit__()
    assert nd.one_hot(nd.array([5]), 3).shape == (1, 3)


def test_by_the_environment():
    code = "import mxnet as mx; mx.nd.one_hot(mx.nd.array([5]), 3)"
    command = [sys.executable, "-c", f"import os; os.environ['MXNET_CHECK_INDICES'] = '1'; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "index 5, number 0 of 1, is out of range: expected 0 to 2" in done.stderr
