"""Examples in docstrings run and give what they show; the names that programs use most have one."""

import doctest
import inspect
from typing import Any

import pytest

import mxnet as mx
from regluon.ops import registry
from regluon.ops.examples import EXAMPLES

# The operators and layers that public programs use most, most used first.
_NAMES = """
    nd.array nd.zeros gluon.nn.HybridSequential gluon.nn.Conv2D nd.concat nd.waitall gluon.nn.Activation
    gluon.nn.BatchNorm nd.ones gluon.nn.Dropout gluon.nn.Dense gluon.nn.MaxPool2D nd.sum nd.softmax nd.empty nd.load
    nd.save sym.BatchNorm sym.Activation gluon.loss.SoftmaxCrossEntropyLoss nd.zeros_like nd.expand_dims
    sym.Convolution sym.Variable sym.Pooling sym.FullyConnected sym.Group sym.SoftmaxOutput nd.argmax
    gluon.loss.SigmoidBinaryCrossEntropyLoss gluon.nn.Sequential nd.arange nd.mean nd.log nd.relu gluon.nn.Embedding
    gluon.nn.Flatten nd.dot sym.MakeLoss nd.random.uniform nd.stack nd.transpose gluon.loss.L2Loss nd.full nd.reshape
    nd.max nd.abs gluon.loss.L1Loss sym.Reshape nd.random.normal gluon.nn.GlobalAvgPool2D sym.Custom
    gluon.nn.Conv2DTranspose nd.exp sym.BlockGrad gluon.nn.LeakyReLU nd.clip nd.one_hot gluon.rnn.LSTM nd.sqrt
    gluon.nn.AvgPool2D nd.topk gluon.nn.LayerNorm sym.SoftmaxActivation nd.random.randn gluon.loss.SoftmaxCELoss
    nd.norm nd.where sym.var nd.split nd.log_softmax nd.repeat nd.argmax_channel np.array nd.random_normal
    sym.smooth_l1 sym.Concat nd.flip sym.Dropout gluon.rnn.GRU nd.slice_axis nd.concatenate nd.power sym.Flatten
    gluon.nn.Conv1D nd.maximum gluon.rnn.RNN nd.L2Normalization sym.ElementWiseSum nd.eye nd.SoftmaxActivation nd.min
    gluon.nn.SymbolBlock.imports npx.waitall sym.broadcast_mul sym.UpSampling nd.batch_dot np.square npx.softmax
    sym.Cast
"""
FIRST_HUNDRED = _NAMES.split()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def reached(path: str) -> Any:
    found: Any = mx
    for name in path.split("."):
        found = getattr(found, name)
    return found


def run(doc: str, name: str) -> doctest.TestResults:
    names = {"mx": mx, "nd": mx.nd, "np": mx.np, "npx": mx.npx, "autograd": mx.autograd}
    names |= {"gluon": mx.gluon, "nn": mx.gluon.nn, "rnn": mx.gluon.rnn}
    test = doctest.DocTestParser().get_doctest(doc, names, name, None, 0)
    shown: list[str] = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=shown.append)
    assert not results.failed, "".join(shown)
    return results


def test_there_are_a_hundred():
    assert len(FIRST_HUNDRED) == len(set(FIRST_HUNDRED)) == 100


@pytest.mark.parametrize("path", FIRST_HUNDRED)
def test_the_first_hundred_have_an_example_that_runs(path: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    doc = inspect.getdoc(reached(path)) or ""
    assert ">>>" in doc, f"mx.{path} has no example"
    assert run(doc, path).attempted


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_of_operators_run(name: str):
    assert registry.find(name).name == name
    run(registry.find(name).doc, name)


def test_front_ends_share_the_example():
    assert "nd.sum(x, axis=1)" in mx.sym.sum.__doc__
    assert mx.nd.sum.__doc__ == mx.sym.sum.__doc__
