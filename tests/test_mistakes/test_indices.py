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


@pytest.mark.filterwarnings("ignore:.* is outside 0..")  # losses warn where they do not refuse
@pytest.mark.parametrize(("call", "text"), CALLS)
def test_the_switch(call, text):
    call()  # clipped
    with mx.util.check_labels(), pytest.raises(mx.MXNetError, match=re.compile(text, re.S)) as caught:
        call()
    assert isinstance(caught.value, IndexError)
    call()


@pytest.mark.filterwarnings("ignore:.* is outside 0..")
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


def labels_warning(loss, *inputs):
    with pytest.warns(UserWarning, match=rf"^\[{type(loss).__name__} {loss.name}\] label ") as caught:
        loss(*inputs)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    return str(caught[0].message)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
def test_losses_warn_once_of_a_label_that_is_no_class(hybridize, recorded):
    loss = gluon.loss.SoftmaxCELoss(prefix="criterion_")
    loss.hybridize(hybridize)
    scores, label = nd.ones((5, 10)), nd.array([0, 9, -1, 12, 70])
    with autograd.record(recorded):
        assert labels_warning(loss, scores, label) == (
            "[SoftmaxCrossEntropyLoss criterion] label 12 in row 3 is outside 0..9: the result is wrong for "
            "this sample, as in MXNet. mx.util.check_labels() refuses such labels. This loss warns once."
        )
        for _ in range(3):
            loss(scores, label)


@pytest.mark.parametrize("hybridize", [False, True])
def test_recorded_batches_after_the_first_are_checked(hybridize):
    net, loss = nn.Dense(3, in_units=2), gluon.loss.SoftmaxCELoss()
    net.initialize()
    net.hybridize(hybridize)
    loss.hybridize(hybridize)
    data = nd.ones((2, 2))
    for _ in range(20):  # long enough to be captured
        with autograd.record():
            result = loss(net(data), nd.array([0, 2]))
        result.backward()
    loss(net(data), nd.array([3, 0]))  # not recorded
    with autograd.record():
        assert "label 3 in row 1 is outside 0..2" in labels_warning(loss, net(data), nd.array([2, 3]))


@pytest.mark.parametrize(
    ("settings", "shape", "label", "text"),
    [
        ({}, (2, 3), [0, float("nan")], "label nan in row 1 is outside 0..2"),
        ({}, (2, 3), [[0], [3]], "label 3 in row 1 is"),
        ({}, (1, 2, 3), [[0, 5]], r"label 5 in row 0, position \(1,\), is outside 0..2"),
        ({"axis": 1}, (2, 3, 2), [[0, 1], [2, 3]], r"label 3 in row 1, position \(1,\), is outside 0..2"),
        ({"from_logits": True}, (2, 3), [3.5, 0], "label 3.5 in row 0 is"),
        ({"weight": 2.0}, (2, 3), [0, 4], "label 4 in row 1 is"),
    ],
)
def test_warnings_name_row_and_value(settings, shape, label, text):
    assert re.search(text, labels_warning(gluon.loss.SoftmaxCELoss(**settings), nd.ones(shape), nd.array(label)))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "uint8", "float16"])
def test_labels_of_any_dtype_are_checked(dtype):
    text = labels_warning(gluon.loss.SoftmaxCELoss(), nd.ones((2, 3)), nd.array([0, 255], dtype=dtype))
    assert "label 255 in row 1" in text


def test_arrays_with_numpy_shapes_are_checked():
    with mx.util.np_shape(), mx.util.np_array():
        scores, label = mx.np.ones((2, 3)), mx.np.array([0, 3])
        assert "label 3 in row 1" in labels_warning(gluon.loss.SoftmaxCELoss(), scores, label)


def test_padding_does_not_warn():
    scores = nd.ones((3, 4))
    loss = gluon.loss.SoftmaxCELoss()
    with autograd.record():
        loss(scores, nd.array([-1, 0, 3]))  # MXNet's label to ignore
        loss(scores, nd.array([-100, 0, 3]))
        loss(scores, nd.array([255, 0, 3]), nd.array([[0], [1], [1]]))  # no weight
        assert "label 255 in row 0" in labels_warning(loss, scores, nd.array([255, 0, 3]), nd.array([[1], [1], [0]]))


def test_probabilities_and_own_losses_are_not_checked():
    gluon.loss.SoftmaxCELoss(sparse_label=False)(nd.ones((2, 3)), nd.ones((2, 3)) * 9)

    class Masked(gluon.loss.SoftmaxCELoss):
        def forward(self, pred, label, valid):
            return super().forward(pred, label) * valid

    Masked()(nd.ones((2, 3)), nd.array([9, 0]), nd.array([0, 1]))


def test_losses_inside_of_a_compiled_network_do_not_disturb_it():
    class Criterion(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.loss = gluon.loss.SoftmaxCELoss()

        def hybrid_forward(self, F, scores, label):
            return self.loss(scores, label)

    block = Criterion()
    block.hybridize()
    scores, label = nd.array([[1, 2, 3], [0, 1, 0]]), nd.array([0, 2])
    assert block(scores, label).asnumpy().tolist() == gluon.loss.SoftmaxCELoss()(scores, label).asnumpy().tolist()


def bound(label, **settings):
    symbol = mx.sym.SoftmaxOutput(mx.sym.var("data"), mx.sym.var("label"), name="softmax", **settings)
    label = nd.array(label)
    data = nd.ones((len(label), 3, 2) if settings.get("multi_output") else (len(label), 3))
    return symbol.bind(mx.cpu(), {"data": data, "label": label}, {"data": nd.zeros(data.shape)})


@pytest.mark.parametrize(
    ("label", "settings", "text"),
    [
        ([0, 3], {}, "label 3 in row 1 is outside 0..2: "),
        ([9, 5], {"use_ignore": True, "ignore_label": 9}, "label 5 in row 1 is outside 0..2: "),
        ([[0, 1], [2, 4]], {"multi_output": True}, r"label 4 in row 1, position \(1,\), is outside 0..2: "),
    ],
)
def test_executors_warn_once_of_a_label_that_is_no_class(label, settings, text):
    executor = bound(label, **settings)
    executor.forward()  # predicts
    with pytest.warns(UserWarning, match=rf"^\[SoftmaxOutput softmax\] {text}") as caught:
        executor.forward(is_train=True)
    assert (len(caught), caught[0].filename) == (1, __file__)
    executor.forward(is_train=True)


@pytest.mark.parametrize(
    ("label", "settings"),
    [([-1, 2], {}), ([255, 2], {"use_ignore": True, "ignore_label": 255}), ([[9, 9, 9], [5, 0, 0]], {})],
)
def test_executors_accept_padding_and_probabilities(label, settings):
    bound(label, **settings).forward(is_train=True)


def test_modules_warn_of_a_label_that_is_no_class():
    symbol = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3), name="softmax")
    data = mx.io.NDArrayIter(nd.ones((2, 2)), nd.array([2, 3]), batch_size=2)
    with pytest.warns(UserWarning, match=r"^\[SoftmaxOutput softmax\] label 3 in row 1 is outside 0..2") as caught:
        mx.mod.Module(symbol).fit(data, num_epoch=2)
    assert len(caught) == 1
