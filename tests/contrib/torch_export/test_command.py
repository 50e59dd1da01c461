"""`.pt2` files, and `python -m mxnet convert model.pt2 --to mxnet`."""

import re
import warnings

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet._commands.command import main
from regluon.convert.torch_export import from_exported_program
from tests.contrib.torch_export.networks import ResNet
from tests.contrib.torch_export.support import exported, randn, run, same


def saved(network, path, *inputs, **options) -> str:
    program = exported(network, *inputs, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own
        torch.export.save(program, path)
    return str(path)


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    return ResNet().eval()


@pytest.fixture
def file(network, tmp_path) -> str:
    return saved(network, tmp_path / "model.pt2", randn(2, 3, 32, 32))


def test_files(network, file):
    x = randn(3, 3, 32, 32)
    with torch.no_grad():
        same(run(from_exported_program(file), x), network(x))


def test_to_mxnet(network, file, tmp_path, capsys):
    prefix = str(tmp_path / "net")
    assert main(["convert", file, "--to", "mxnet", "--output", prefix]) == 0
    out = capsys.readouterr().out
    assert f"wrote {prefix}-symbol.json" in out
    assert f"wrote {prefix}-0000.params" in out
    assert float(re.search(r"verified: 3 batches, largest relative difference (\S+)", out)[1]) < 1e-5
    block = mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["x"], f"{prefix}-0000.params")
    x = randn(3, 3, 32, 32)
    with torch.no_grad():
        same([block(mx.nd.array(x.numpy())).asnumpy()], network(x))
    symbol, arguments, states = mx.model.load_checkpoint(prefix, 0)
    assert "bn1_moving_mean" in states
    assert set(symbol.list_arguments()) == {"x", *arguments}


def test_beside_the_model_by_default(file, tmp_path):
    assert main(["convert", file, "--to", "mxnet"]) == 0
    assert (tmp_path / "model-symbol.json").exists()
    assert (tmp_path / "model-0000.params").exists()


def test_to_safetensors(file, tmp_path, capsys):
    assert main(["convert", file, "--to", "safetensors"]) == 0
    assert (tmp_path / "model.safetensors").exists()
    assert "and the graph, largest relative difference 0\n" in capsys.readouterr().out


def test_shapes_come_from_the_program(network, tmp_path, capsys):
    pytest.importorskip("onnxruntime")
    path = saved(network, tmp_path / "m.pt2", randn(2, 3, 32, 32), dynamic={"x": {0: torch.export.Dim("batch")}})
    assert main(["convert", path, "--to", "onnx"]) == 0
    assert (tmp_path / "m.onnx").exists()
    assert "verified: 3 batches, largest relative difference" in capsys.readouterr().out


def test_there_and_back(tmp_path, capsys):
    """A graph of MXNet, saved for torch, is a graph of MXNet again."""
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    net = mx.sym.Activation(net, act_type="tanh")
    net.save(str(tmp_path / "net-symbol.json"))
    draw = np.random.RandomState(0)
    weights = {"arg:fc_weight": mx.nd.array(draw.randn(4, 3)), "arg:fc_bias": mx.nd.array(draw.randn(4))}
    mx.nd.save(str(tmp_path / "net-0000.params"), weights)
    assert main(["convert", str(tmp_path / "net"), "--to", "torch", "--shape", "2,3"]) == 0
    assert main(["convert", str(tmp_path / "net.pt2"), "--to", "mxnet", "--output", str(tmp_path / "again")]) == 0
    symbol, arguments, _ = mx.model.load_checkpoint(str(tmp_path / "again"), 0)
    data = mx.nd.array(draw.randn(2, 3))
    found = symbol.bind(mx.cpu(), {**arguments, _input(symbol, arguments): data}).forward()[0]
    given = {name[4:]: value for name, value in weights.items()}
    np.testing.assert_allclose(
        found.asnumpy(), net.bind(mx.cpu(), {**given, "data": data}).forward()[0].asnumpy(), rtol=1e-5, atol=1e-6
    )


def _input(symbol, arguments) -> str:
    (name,) = set(symbol.list_arguments()) - set(arguments)
    return name


def test_no_such_file(tmp_path, capsys):
    assert main(["convert", str(tmp_path / "no.pt2"), "--to", "mxnet"]) == 1
    assert "expected an existing .pt2 file, and there is none" in capsys.readouterr().err


def test_a_file_that_is_none(tmp_path, capsys):
    (tmp_path / "bad.pt2").write_bytes(b"nothing")
    assert main(["convert", str(tmp_path / "bad.pt2"), "--to", "mxnet"]) == 1
    assert re.search(r"bad.pt2: received no file that torch.export.load reads: .*torch.export.save", _err(capsys))


def test_one_already(file, capsys):
    assert main(["convert", file, "--to", "torch"]) == 1
    assert "it is one already" in _err(capsys)


def test_operators_that_cannot_be_converted(tmp_path, capsys):
    path = saved(lambda x: torch.linalg.det(x), tmp_path / "det.pt2", randn(3, 3))  # noqa: PLW0108
    assert main(["convert", path, "--to", "mxnet"]) == 1
    assert re.search(
        r"(?s)aten._linalg_det.default, once: there is no translation.*support.py:\d+ in forward", _err(capsys)
    )


def _err(capsys) -> str:
    return capsys.readouterr().err
