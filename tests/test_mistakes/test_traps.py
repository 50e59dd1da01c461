"""Traps that programs fall into: what is said names what was given, what was expected and what to do."""

import re

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn


def made(block):
    block.initialize()
    return block


def trained():
    net = made(nn.Dense(2, in_units=3))
    return net, gluon.Trainer(net.collect_params(), "sgd")


class NoInit(nn.Block):
    def __init__(self):
        self.layer = nn.Dense(3)


class NoInitNoLayers(nn.HybridBlock):
    def __init__(self):
        self.width = 3

    def hybrid_forward(self, F, x):
        return x


class Unnamed(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.weight = self.params.get("weight", shape=(2, 2))

    def hybrid_forward(self, F, x):
        return x


class Branch(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return x if x.sum() > 0 else -x


class NoForward(nn.Block):
    pass


BLOCKS = [
    (
        lambda: nn.Dense(3)(nd.ones((2, 3))),
        mx.MXNetError,
        r"of Dense dense\d+ has not been initialized. Call initialize\(\) on the network",
    ),
    (NoInit, AttributeError, r"'NoInit' object has no attribute '_children'. Call super\(\).__init__\(\*\*kwargs\)"),
    (
        lambda: NoInitNoLayers()(nd.ones(3)),
        AttributeError,
        r"Call super\(\).__init__\(\*\*kwargs\) in its __init__ before",
    ),
    (lambda: NoForward()(nd.ones(3)), NotImplementedError, r"\[NoForward\] write a forward method"),
    (
        lambda: made(Unnamed())(nd.ones(3)),
        TypeError,
        r"hybrid_forward\(F, x\) takes. Its parameters weight arrive under the names of their attributes",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3))(nd.ones((2, 3)), nd.ones(2)),
        TypeError,
        r"received the inputs \(NDArray, NDArray\) and the parameters \(weight, bias\); .* Call it with x\.",
    ),
    (
        lambda: gluon.loss.L2Loss()(nd.ones(2)),
        TypeError,
        r"received the inputs \(NDArray\); .*\(F, pred, label, sample_weight\) takes. Call it with pred, label\.",
    ),
    (
        lambda: made(rnn.LSTMCell(3))(nd.ones((2, 3))),
        TypeError,
        r"\[LSTMCell \w+\] received the inputs \(NDArray\); expected what forward\(inputs, states\) takes",
    ),
    (lambda: Branch()(mx.sym.var("x")), mx.MXNetError, r"Python cannot branch on them: use F.where\(condition, x, y\)"),
    (
        lambda: mx.sym.var("x").asnumpy(),
        mx.MXNetError,
        r"asnumpy is not available for Symbol. A graph has no values yet",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3))(nd.ones((2, 3), dtype="int32")),
        TypeError,
        r"got data of int32; convert it with astype\('float32'\)",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3))(nd.ones((2, 3), dtype="float64")),
        TypeError,
        r"expected inputs of one dtype, got data float64, weight float32",
    ),
    (
        lambda: made(nn.Conv2D(2, 3, in_channels=3))(nd.ones((3, 8, 8))),
        ValueError,
        r"needs data of 4 dimensions \(NCHW\), got 3",
    ),
    (
        lambda: made(rnn.LSTM(3, input_size=4))(nd.ones((5, 2, 3))),
        ValueError,
        r"received inputs of shape \(5, 2, 3\); expected \(time, batch, 4\)",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3)).collect_params()["dense_wieght"],
        KeyError,
        r"there is no parameter 'dense_wieght' among 2. Did you mean dense\d+_weight",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3)).weight.set_data(nd.ones((2, 2))),
        ValueError,
        r"received the shape \(2, 2\); expected one that agrees with \(2, 3\)",
    ),
    (
        lambda: made(nn.Dense(2, in_units=3)).weight.data(mx.cpu(3)),
        mx.MXNetError,
        r"was not initialized on cpu\(3\); it is on \[cpu\(0\)\]",
    ),
    (
        lambda: made(nn.HybridSequential()).export("nowhere"),
        RuntimeError,
        r"Please first call block.hybridize\(\) and then run forward",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), BLOCKS, ids=[text for *_, text in BLOCKS])
def test_blocks(call, kind, text):
    with pytest.raises(kind, match=re.compile(text, re.S)):
        call()


def test_branching_on_values_after_hybridize():
    net = Branch()
    net.hybridize()
    with pytest.warns(UserWarning, match=r"Branch cannot be compiled .* Python cannot branch on them: use F\.where"):
        net(nd.ones(3))


def test_layers_in_a_plain_list():
    class Listed(nn.Block):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Dense(3)]

    with pytest.warns(UserWarning, match=r'"Listed.layers" is an unregistered container with Blocks: their parameters'):
        Listed().initialize()


def test_parameters_in_a_plain_list():
    class Listed(nn.Block):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(3)
            self.known = [self.layer.weight, self.params.get("scale", shape=(1,))]
            self.weights = [gluon.Parameter("w", shape=(2, 2))]

    with pytest.warns(UserWarning, match=r'"Listed.weights" is an unregistered container with Parameters') as caught:
        Listed().initialize()
    assert len(caught) == 1


TRAINING = [
    (
        (nd.ones(3) * 2).backward,
        mx.MXNetError,
        r"\[backward\] .* computed outside `with autograd.record\(\):`",
    ),
    (lambda: trained()[0](nd.ones((2, 3))).backward(), mx.MXNetError, r"computed outside `with autograd.record\(\):`"),
    (lambda: trained()[1].step(2), UserWarning, r"was not written by backward\(\) since the last step"),
    (lambda: autograd.grad(nd.ones(3), nd.ones(3)), mx.MXNetError, r"call attach_grad\(\) on it before"),
    (
        lambda: gluon.loss.L2Loss()(nd.ones((2, 3)), nd.ones((4, 3))),
        ValueError,
        r"received a label of shape \(4, 3\) for a prediction of shape \(2, 3\)",
    ),
    (
        lambda: gluon.loss.SoftmaxCELoss()(nd.ones((2, 3)), nd.ones((2, 3))),
        ValueError,
        r"\[SoftmaxCrossEntropyLoss\] received a label of shape \(2, 3\) .* expected one class number for each sample",
    ),
    (
        lambda: mx.metric.Accuracy().update([nd.ones(3)], [nd.ones((4, 2))]),
        ValueError,
        r"received labels of shape \(3,\) for predictions of shape \(4, 2\)",
    ),
    (
        lambda: mx.metric.Accuracy().update(np.ones(3), np.ones((3, 2))),
        TypeError,
        r"received ndarray; expected an NDArray, or a list",
    ),
    (
        lambda: gluon.utils.split_and_load(nd.ones((3, 2)), [mx.cpu(0), mx.cpu(1)]),
        ValueError,
        r"Choose another batch size, or pass even_split=False",
    ),
    (lambda: gluon.utils.clip_global_norm([], 1.0), ValueError, r"received no arrays; expected at least one"),
]


@pytest.mark.parametrize(("call", "kind", "text"), TRAINING, ids=[text for *_, text in TRAINING])
def test_training(call, kind, text):
    with pytest.raises(kind, match=re.compile(text, re.S)):
        call()


def test_writing_while_recording():
    x = nd.ones(3)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with pytest.raises(mx.MXNetError, match=r"write `y = x \+ 1` instead of `x \+= 1`"):
            y += 1


ARRAYS = [
    (
        lambda: nd.ones(3).asscalar(),
        ValueError,
        r"received an array of shape \(3,\); expected one element. asnumpy\(\) gives all",
    ),
    (lambda: bool(nd.ones(3)), ValueError, r"the truth value of an array of shape \(3,\) is ambiguous"),
    (
        lambda: nd.ones(6).reshape((4, 2)),
        ValueError,
        r"\[reshape\] cannot reshape 6 elements of shape \(6,\) to \(4, 2\)",
    ),
    (
        lambda: nd.concat(nd.ones((2, 3)), nd.ones((2, 4)), dim=0),
        ValueError,
        r"expected arrays that differ in the length of axis 0 only",
    ),
    (
        lambda: nd.stack(nd.ones((2, 3)), nd.ones((2, 4))),
        ValueError,
        r"expected arrays of the same shape, got \(2, 3\) and, at place 1",
    ),
    (lambda: nd.dot(nd.ones((2, 3)), nd.ones((2, 3))), ValueError, r"transpose_a and transpose_b choose other axes"),
    (
        lambda: nd.ones((2, 3)) + nd.ones((3, 2)),
        ValueError,
        r"have equal length or length 1, got \(2, 3\) and \(3, 2\)",
    ),
    (lambda: nd.ones((2, 3))[5], IndexError, r"index 5 is out of bounds for axis 0 of length 2"),
    (lambda: nd.ones((2, 3)).sum(axis=3), IndexError, r"axis=3 is out of range for an array of 2 dimensions"),
    (
        lambda: nd.softmax(nd.ones((2, 3)), axsi=1),
        ValueError,
        r"unknown parameter 'axsi'; expected some of .* Did you mean axis\?",
    ),
    (
        lambda: nd.Activation(nd.ones(3), act_type="rellu"),
        ValueError,
        r"act_type: received 'rellu' .*expected one of 'relu'",
    ),
    (
        lambda: nd.Pooling(nd.ones((1, 1, 4, 4)), kernel=(2, 2), pool_type="maxx"),
        ValueError,
        r"pool_type: received 'maxx' .*expected one of 'avg'",
    ),
    (
        lambda: nd.FullyConnected(nd.ones((2, 3)), nd.ones((2, 3)), num_hidden=2),
        ValueError,
        r"input bias is missing; give it, or pass no_bias=True",
    ),
    (lambda: nd.array([[1, 2], [3]]), TypeError, r"nested lists of numbers of equal lengths"),
    (lambda: nd.ones(3, ctx=mx.gpu(7)), mx.MXNetError, r"gpu\(7\)"),
    (lambda: mx.sym.FullyConnected(mx.sym.var("x"), num_hiden=3), ValueError, r"Did you mean num_hidden\?"),
    (
        lambda: mx.sym.FullyConnected(nd.ones(3), num_hidden=3),
        TypeError,
        r"expected a Symbol. Arrays enter a graph through mx.sym.var",
    ),
    (
        lambda: mx.sym.var("x").bind(mx.cpu(), {"y": nd.ones(3)}),
        ValueError,
        r"\[bind\] args: an array for 'x' is missing",
    ),
    (
        lambda: mx.mod.Module(mx.sym.var("dat")),
        ValueError,
        r"'data' is not found in symbol.list_arguments\(\), .*Did you mean 'dat'\?",
    ),
    (lambda: mx.random.seed("abc"), ValueError, r"seed_state: received 'abc'; expected an int"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ARRAYS, ids=[text for *_, text in ARRAYS])
def test_arrays_and_graphs(call, kind, text):
    with pytest.raises(kind, match=re.compile(text, re.S)):
        call()


DATA = [
    (lambda: gluon.data.DataLoader([1, 2, 3]), ValueError, r"received neither batch_size nor batch_sampler"),
    (
        lambda: gluon.data.DataLoader([1, 2, 3], batch_size=0),
        ValueError,
        r"batch_size: received 0; expected at least 1",
    ),
    (
        lambda: gluon.data.DataLoader([1, 2, 3], 2, last_batch="drop"),
        ValueError,
        r"last_batch: received 'drop'; expected 'keep'",
    ),
    (lambda: gluon.data.DataLoader([1], 2, sampler=[0], shuffle=True), ValueError, r"received shuffle and a sampler"),
    (
        lambda: gluon.data.DataLoader(3, 2),
        TypeError,
        r"\[DataLoader\] dataset: received int; expected samples with a length",
    ),
    (
        lambda: gluon.data.DataLoader(iter([3]), 2),
        TypeError,
        r"dataset: received list_iterator; .* gluon.data.ArrayDataset\(x, y\)",
    ),
    (
        lambda: list(gluon.data.DataLoader([nd.ones(2), nd.ones(3)], 2)),
        ValueError,
        r"sample 0 of the dataset has shape \(2,\), sample 1 has shape \(3,\); .* pass batchify_fn",
    ),
    (
        lambda: gluon.data.ArrayDataset(nd.ones(3), nd.ones(4)),
        ValueError,
        r"received arrays of lengths \[3, 4\]; expected one length",
    ),
    (
        lambda: mx.io.NDArrayIter("abc", batch_size=5),
        TypeError,
        r"data: received str; expected an NDArray or a NumPy array",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), DATA, ids=[text for *_, text in DATA])
def test_data(call, kind, text):
    with pytest.raises(kind, match=re.compile(text, re.S)):
        call()


def test_a_batch_size_larger_than_the_dataset():
    with pytest.warns(UserWarning, match=r"batch_size=5 is more than the 2 samples there are: last_batch='discard'"):
        loader = gluon.data.DataLoader([1, 2], batch_size=5, last_batch="discard")
    assert len(list(loader)) == 0


@pytest.fixture
def folder(tmp_path):
    net = nn.HybridSequential(prefix="")
    net.add(nn.Dense(2, in_units=3))
    made(net).save_parameters(tmp_path / "model.params")
    (tmp_path / "model-symbol.json").write_text("{}")
    return tmp_path


FILES = [
    (
        lambda path: made(nn.Dense(2)).load_parameters(path / "modle.params"),
        mx.MXNetError,
        r"expected an existing file, and there is none. Near it: model.params",
    ),
    (
        lambda path: made(nn.Dense(2)).load_parameters(path / "model-symbol.json"),
        ValueError,
        r"expected a .params file",
    ),
    (
        lambda path: made(nn.Dense(2, in_units=3)).save_parameters(path / "no" / "x.params"),
        mx.MXNetError,
        r"Make it with `os.makedirs\(",
    ),
    (
        lambda path: made(nn.Dense(2, in_units=3)).load_parameters(path / "model.params"),
        ValueError,
        r"missing in the file: weight \(nearest there: 0.weight\)",
    ),
    (
        lambda path: mx.sym.load(path / "modle-symbol.json"),
        OSError,
        r"No such file or directory. Near it: model-symbol.json",
    ),
    (
        lambda path: gluon.SymbolBlock.imports(path / "modl-symbol.json", ["data"]),
        OSError,
        r"Near it: model-symbol.json",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), FILES, ids=[text for *_, text in FILES])
def test_files(call, kind, text, folder):
    with pytest.raises(kind, match=re.compile(text, re.S)):
        call(folder)


def test_export_of_a_network_with_hooks_inside(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=2))
    made(net).hybridize()
    handle = net[0].register_forward_hook(lambda *_: None)
    net(nd.ones((1, 2)))
    with pytest.raises(RuntimeError, match=r"blocks inside have hooks.*Call detach\(\)"):
        net.export(str(tmp_path / "net"))
    handle.detach()
    net(nd.ones((1, 2)))
    net.export(str(tmp_path / "net"))
    with pytest.raises(mx.MXNetError, match=r"\(1 difference\)(?s:.)*The graph has no variable 'x', which input_names"):
        gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["x"], str(tmp_path / "net-0000.params"))


def test_a_parameter_whose_shape_was_told_later():
    net = made(nn.Dense(1))
    net.weight.set_data(nd.ones((1, 3)))
    with pytest.raises(mx.MXNetError, match=r"has the shape \(1, 3\) by now, but its array is made when"):
        net.weight.data()
