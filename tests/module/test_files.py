"""Checkpoints that a real MXNet saved are loaded, its pickled optimizer states included, and training goes on."""

import shutil

import numpy as np
import pytest

import mxnet as mx
from tests.module.recorded import FILES, expected


def loaded(prefix: str, epoch: int, contexts, **kwargs) -> mx.mod.Module:
    module = mx.mod.Module.load(FILES / prefix, epoch, load_optimizer_states=True, context=contexts, **kwargs)
    shape = (8, 5) if prefix == "mlp" else (8, 2, 4, 4)
    module.bind([("data", shape)], [("softmax_label", (8,))])
    return module


@pytest.mark.parametrize(("prefix", "program", "epoch"), [("mlp", "mlp", 2), ("two_none", "two_contexts_none", 1)])
def test_parameters(prefix: str, program: str, epoch: int):
    module = loaded(prefix, epoch, mx.cpu())
    args, auxs = module.get_params()
    wanted = expected("modules")[program]["result"]["params"]
    for name, array in {**args, **auxs}.items():
        np.testing.assert_allclose(array.asnumpy().ravel(), wanted[name], rtol=1e-6)


def test_states_by_number():
    module = loaded("mlp", 2, mx.cpu())
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    assert sorted(module._updater.states) == [0, 1, 2, 3]
    assert module._updater.states[0].shape == (6, 5)
    module.forward_backward(mx.io.DataBatch([mx.nd.ones((8, 5))], [mx.nd.zeros((8,))]))
    module.update()


def test_states_by_name():
    module = loaded("two_local", 1, [mx.cpu(0), mx.cpu(1)])
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    states = module._kvstore._updater.states
    assert sorted(states) == sorted(module._param_names)
    assert any(float(state.norm().asscalar()) for state in states.values())
    module.forward_backward(mx.io.DataBatch([mx.nd.ones((8, 2, 4, 4))], [mx.nd.zeros((8,))]))
    module.update()


def test_own_states_hold_no_pickle(tmp_path):
    module = loaded("mlp", 2, mx.cpu())
    module.init_optimizer(optimizer_params={"momentum": 0.9})
    module.save_checkpoint(tmp_path / "again", 1, save_optimizer_states=True)
    data = (tmp_path / "again-0001.states").read_bytes()
    assert not data.startswith(b"\x80")
    assert (tmp_path / "again-0001.params").read_bytes() == (FILES / "mlp-0002.params").read_bytes()
    assert (tmp_path / "again-symbol.json").read_bytes() == (FILES / "mlp-symbol.json").read_bytes()


def sym_gen(length: int):
    words = mx.sym.Embedding(mx.sym.Variable("data"), input_dim=7, output_dim=3, name="embed")
    outputs, _ = mx.rnn.LSTMCell(4, prefix="lstm_").unroll(length, words, merge_outputs=True)
    scores = mx.sym.FullyConnected(mx.sym.Reshape(outputs, shape=(-1, 4)), num_hidden=7, name="pred")
    labels = mx.sym.Reshape(mx.sym.Variable("softmax_label"), shape=(-1,))
    return mx.sym.SoftmaxOutput(scores, labels, name="softmax"), ("data",), ("softmax_label",)


def test_buckets(tmp_path):
    for path in FILES.glob("buckets*"):
        shutil.copyfile(path, tmp_path / path.name)
    module = mx.mod.BucketingModule.load(tmp_path / "buckets", 1, sym_gen, 5)
    assert sorted(module._buckets) == [2, 3, 5]
    described = [mx.io.DataDesc("data", (4, 5), layout="NT")], [mx.io.DataDesc("softmax_label", (4, 5), layout="NT")]
    module.bind(*described, for_training=False)
    args, _ = module.get_params()
    wanted = expected("modules")["buckets"]["result"]["params"]
    assert sorted(args) == sorted(wanted)
    module.save_checkpoint(tmp_path / "again", 1)
    assert (tmp_path / "again.buckets").read_bytes() == (tmp_path / "buckets.buckets").read_bytes()
    assert (tmp_path / "again-0001.params").read_bytes() == (tmp_path / "buckets-0001.params").read_bytes()
    with pytest.raises(AssertionError, match="sym_gen: received None"):
        mx.mod.BucketingModule.load(tmp_path / "buckets", 1)
