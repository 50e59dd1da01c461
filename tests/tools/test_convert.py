"""`python -m mxnet convert`: what is written is read by the other software, without this library's code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from safetensors import safe_open

import mxnet as mx
from mxnet._commands.command import main
from regluon.cli.convert import DIFFERS, UNVERIFIED
from regluon.cli.model_files import largest_difference
from regluon.convert.torch_export import WrongConversion

SHAPE = (2, 3, 8, 8)
EXPORTS = Path(__file__).resolve().parents[1] / "fixtures" / "exports"


@pytest.fixture
def prefix(tmp_path) -> str:
    """A small network's files."""
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    net = mx.sym.Activation(mx.sym.BatchNorm(net, name="bn"), act_type="relu")
    net = mx.sym.FullyConnected(mx.sym.Pooling(net, global_pool=True, pool_type="avg"), num_hidden=3, name="fc")
    symbol = mx.sym.SoftmaxOutput(net, name="softmax")
    symbol.save(str(tmp_path / "net-symbol.json"))
    draw = np.random.RandomState(0)
    arguments, _, states = symbol.infer_shape(data=SHAPE)
    saved = {}
    for mark, names, shapes in (
        ("arg", symbol.list_arguments(), arguments),
        ("aux", symbol.list_auxiliary_states(), states),
    ):
        for name, shape in zip(names, shapes, strict=True):
            if name not in ("data", "softmax_label"):
                saved[f"{mark}:{name}"] = mx.nd.array(draw.uniform(0.1, 1, shape))
    mx.nd.save(str(tmp_path / "net-0003.params"), saved)
    return str(tmp_path / "net")


def expected(prefix: str, x: np.ndarray) -> np.ndarray:
    net = mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data", "softmax_label"], f"{prefix}-0003.params")
    return net(mx.nd.array(x), mx.nd.zeros(x.shape[:1])).asnumpy()


def images(count: int = 2) -> np.ndarray:
    return np.random.RandomState(5).uniform(-1, 1, (count, *SHAPE[1:])).astype(np.float32)


def test_to_safetensors(prefix, capsys):
    assert main(["convert", prefix, "--epoch", "3", "--to", "safetensors"]) == 0
    assert "verified: 8 arrays and the graph, largest relative difference 0\n" in capsys.readouterr().out
    before = mx.nd.load(f"{prefix}-0003.params")
    with safe_open(f"{prefix}.safetensors", framework="np") as found:
        assert set(found.keys()) == set(before)
        for name, value in before.items():
            np.testing.assert_array_equal(found.get_tensor(name), value.asnumpy())
        assert mx.sym.load_json(found.metadata()["mxnet.symbol"]).list_outputs() == ["softmax_output"]


def test_parameters_alone(prefix, tmp_path):
    params = f"{prefix}-0003.params"
    out = str(tmp_path / "weights.safetensors")
    assert main(["convert", params, "--to", "safetensors", "--output", out]) == 0
    assert main(["convert", params, "--to", "torch", "--output", str(tmp_path / "weights.pt")]) == 0
    loaded = torch.load(tmp_path / "weights.pt", weights_only=True)
    assert loaded["conv_weight"].shape == (4, 3, 3, 3)
    np.testing.assert_array_equal(loaded["fc_bias"].numpy(), mx.nd.load(params)["arg:fc_bias"].asnumpy())


def test_to_onnx(prefix, capsys):
    assert main(["convert", prefix, "--epoch", "3", "--to", "onnx", "--shape", "2,3,8,8", "--dynamic-batch"]) == 0
    assert "verified: 4 batches, largest relative difference" in capsys.readouterr().out
    session = onnxruntime.InferenceSession(f"{prefix}.onnx", providers=["CPUExecutionProvider"])
    x = images(5)
    np.testing.assert_allclose(session.run(None, {"data": x})[0], expected(prefix, x), rtol=1e-4, atol=1e-6)


def test_to_torch_runs_without_this_library(prefix, tmp_path, capsys):
    assert main(["convert", prefix, "--epoch", "3", "--to", "torch", "--shape", "data=2,3,8,8"]) == 0
    assert "verified: 3 batches, largest relative difference" in capsys.readouterr().out
    x = images()
    np.save(tmp_path / "x.npy", x)
    program = (
        "import sys, numpy, torch\n"
        "sys.modules['mxnet'] = None\n"
        f"x = torch.from_numpy(numpy.load({str(tmp_path / 'x.npy')!r}))\n"
        f"y = torch.export.load({prefix + '.pt2'!r}).module()(x)\n"
        f"numpy.save({str(tmp_path / 'y.npy')!r}, y.detach().numpy())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected(prefix, x), rtol=1e-4, atol=1e-6)
    assert torch.load(f"{prefix}.pt", weights_only=True)["bn_moving_var"].shape == (4,)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--epoch", "7", "--to", "onnx"], r"there is no .*net-0007.params.*net-0003.params.*--epoch"),
        (["--to", "onnx", "--shape", "2,3,8,8", "--dtype", "int33"], "received 'int33'; expected one of NumPy"),
        (["--to", "mxnet"], "it is one already; expected an .onnx, .pt2 or .safetensors file"),
        (["--epoch", "3", "--to", "onnx"], "the shapes of data are needed"),
        (["--epoch", "3", "--to", "onnx", "--shape", "data=1,x"], "received '1,x'; expected lengths from 1 on"),
        (["--epoch", "3", "--to", "onnx", "--shape", "image=1,3"], "the inputs are data"),
        (["--epoch", "3", "--to", "safetensors", "--output", "a.params"], "ends with .safetensors"),
    ],
)
def test_refused(prefix, arguments: list[str], text: str, capsys):
    assert main(["convert", prefix, *arguments]) == 1
    error = capsys.readouterr().err
    assert re.search(text, error, re.DOTALL)


def test_onnx_needs_a_graph(prefix, capsys):
    os.remove(f"{prefix}-symbol.json")
    assert main(["convert", f"{prefix}-0003.params", "--to", "onnx"]) == 1
    assert "needs the graph too" in capsys.readouterr().err


def test_a_wrong_result_is_reported(prefix, monkeypatch, capsys):
    monkeypatch.setattr("regluon.cli.convert.run_model", lambda path, inputs: [np.ones((2, 3), np.float32)])
    assert main(["convert", prefix, "--epoch", "3", "--to", "onnx", "--shape", "2,3,8,8"]) == DIFFERS
    assert re.search(
        r"WRONG: 3 batches, largest relative difference \d.*; expected at most 0.001. The converted model gives other",
        capsys.readouterr().out,
    )


def test_largest_difference():
    one, nan = np.ones(2), np.array([1.0, np.nan])
    assert largest_difference([one], [one + 0.5]) == 0.5
    assert largest_difference([one * 100], [one * 101]) == 0.01
    assert largest_difference([one * 1e-5], [one * 0]) == 1  # networks whose results are small can be wrong, too
    assert largest_difference([one * 0], [one * 0.5]) == 0.5
    assert largest_difference([nan], [nan]) == 0
    assert largest_difference([nan], [one]) == float("inf")
    with pytest.raises(WrongConversion, match=r"gives the shapes \[\(3,\)\]; expected \[\(2,\)\]"):
        largest_difference([one], [np.ones(3)])


def test_the_only_epoch_is_found_and_several_are_listed(prefix, capsys):
    assert main(["convert", prefix, "--to", "safetensors"]) == 0
    mx.nd.save(f"{prefix}-0012.params", mx.nd.load(f"{prefix}-0003.params"))
    assert main(["convert", prefix, "--to", "safetensors"]) == 1
    assert "there are parameters of the epochs 3, 12. Choose with --epoch 12" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["-symbol.json", "-0003.params"])
def test_either_file_stands_for_the_model(prefix, ending: str, capsys):
    assert main(["convert", prefix + ending, "--to", "onnx", "--shape", "2,3,8,8", "--output", f"{prefix}.onnx"]) == 0
    assert "verified: 3 batches, largest relative difference" in capsys.readouterr().out


def test_parameters_without_shapes_give_a_state_dict_alone(prefix, capsys):
    assert main(["convert", f"{prefix}-0003.params", "--to", "torch"]) == 0
    assert "no " in (out := capsys.readouterr().out)
    assert "give the inputs' shapes with --shape" in out
    assert not os.path.exists(f"{prefix}-0003.pt2")


@pytest.mark.parametrize(("kind", "options"), [("onnx", ["--shape", "2,3,8,8"]), ("safetensors", [])])
def test_there_and_back(prefix, kind: str, options: list[str], capsys):
    assert main(["convert", prefix, "--to", kind, *options]) == 0
    assert main(["convert", f"{prefix}.{kind}", "--to", "mxnet", "--output", f"{prefix}2"]) == 0
    compared = "3 batches" if kind == "onnx" else "8 arrays and the graph"
    assert capsys.readouterr().out.count(f"verified: {compared}, largest relative difference") == 2
    symbol, arguments, states = mx.model.load_checkpoint(f"{prefix}2", 0)
    inputs = {"data": images(), **({"softmax_label": np.zeros(2)} if "softmax_label" in symbol.list_inputs() else {})}
    bound = symbol.bind(mx.cpu(), {**arguments, **{k: mx.nd.array(v) for k, v in inputs.items()}}, aux_states=states)
    np.testing.assert_allclose(bound.forward()[0].asnumpy(), expected(prefix, images()), rtol=1e-4, atol=1e-6)
    names = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    assert names - {*arguments, *states} <= {"data", "softmax_label"}
    assert states["bn_moving_var"].shape == (4,)


def test_a_file_is_not_converted_to_itself(prefix, capsys):
    assert main(["convert", f"{prefix}.onnx", "--to", "onnx"]) == 1
    assert "it is one already" in capsys.readouterr().err


def test_parameters_alone_are_no_model(prefix, tmp_path, capsys):
    mx.nd.save(str(tmp_path / "alone.safetensors"), {"w": mx.nd.ones((2,))})
    assert main(["convert", str(tmp_path / "alone.safetensors"), "--to", "mxnet"]) == 1
    assert "has no graph in it; expected one written with --to safetensors" in capsys.readouterr().err


def test_an_onnx_file_tells_shapes_and_refuses_others(prefix, capsys):
    assert main(["convert", prefix, "--to", "onnx", "--shape", "2,3,8,8"]) == 0
    assert main(["convert", f"{prefix}.onnx", "--to", "torch"]) == 0
    assert os.path.exists(f"{prefix}.pt2")
    assert main(["convert", f"{prefix}.onnx", "--to", "mxnet", "--shape", "2,5,8,8"]) == UNVERIFIED
    assert re.search(r"NOT VERIFIED: .*expected weight of shape \(4, 5, 3, 3\)", capsys.readouterr().out)


@pytest.mark.parametrize(
    "name",
    [
        "cells_lstm",
        "cells_symbols",
        "lstm_bidirectional",
        "gru",
        "foreach_lstm",
        "foreach_sums",
        "sym_regressions",
        "pools",
    ],
)
@pytest.mark.sample(one_in=4)
def test_recurrent_networks_and_loops(name: str, tmp_path, capsys):
    """First states whose shapes the data tell, bodies of loops, labels that nobody gives: to torch and back."""
    for file in EXPORTS.glob(f"{name}-*"):
        shutil.copy(file, tmp_path)
    with np.load(EXPORTS / f"{name}.npz") as stored:
        inputs = {
            key.removeprefix("input:"): stored[key].shape
            for key in stored.files
            if key.startswith("input:") and "label" not in key
        }
    shapes = [f"--shape={key}={','.join(map(str, shape))}" for key, shape in inputs.items()]
    assert main(["convert", str(tmp_path / name), "--to", "torch", *shapes]) == 0
    assert main(["convert", str(tmp_path / f"{name}.pt2"), "--to", "mxnet", "--output", str(tmp_path / "again")]) == 0
    found = re.findall(r"largest relative difference (\S+)", capsys.readouterr().out)
    assert len(found) == 2
    assert max(map(float, found)) < 1e-5


LABELLED = {
    "one a row": lambda data: mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=5), name="softmax"),
    "one a word": lambda data: mx.sym.SoftmaxOutput(
        mx.sym.Reshape(mx.sym.FullyConnected(data, num_hidden=5, flatten=False), shape=(-1, 5)), name="softmax"
    ),
    "one a place": lambda data: mx.sym.SoftmaxOutput(
        mx.sym.swapaxes(data, dim1=1, dim2=2), multi_output=True, name="softmax"
    ),
    "as the data": lambda data: mx.sym.LinearRegressionOutput(data, name="regression"),
}


def labelled(make, tmp_path) -> str:
    symbol = make(mx.sym.var("data"))
    shapes, _, _ = symbol.infer_shape_partial(data=(4, 7, 3))
    weights = {name: shape for name, shape in zip(symbol.list_arguments(), shapes, strict=True) if "fully" in name}
    arrays = {name: mx.nd.random.uniform(-1, 1, shape) for name, shape in weights.items()}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    return str(tmp_path / "net")


@pytest.mark.parametrize("make", LABELLED.values(), ids=LABELLED)
def test_labels_follow_the_batch(make, tmp_path, capsys):
    prefix = labelled(make, tmp_path)
    assert main(["convert", prefix, "--to", "torch", "--shape", "data=4,7,3", "--dynamic-batch"]) == 0
    assert float(re.findall(r"largest relative difference (\S+)", capsys.readouterr().out)[0]) < 1e-5
    program = torch.export.load(f"{prefix}.pt2").module()
    whole, part = (program(torch.ones(count, 7, 3)) for count in (6, 2))
    assert len(part) * 3 == len(whole)


def test_labels_whose_shapes_nothing_tells(tmp_path, capsys):
    prefix = labelled(
        lambda data: mx.sym.SoftmaxOutput(
            mx.sym.Reshape(data, shape=(-1, 3)), mx.sym.Reshape(mx.sym.var("label"), shape=(-1,))
        ),
        tmp_path,
    )
    assert main(["convert", prefix, "--to", "torch", "--shape", "data=4,7,3"]) == 1
    assert "label has no value, and nothing tells its shape; expected a value in the file" in capsys.readouterr().err


def test_sizes_that_depend_on_values(tmp_path, capfd):
    for file in EXPORTS.glob("detector_nms-*"):
        shutil.copy(file, tmp_path)
    assert main(["convert", str(tmp_path / "detector_nms"), "--to", "torch", "--shape", "1,3,8,8"]) == 1
    said = capfd.readouterr().err
    assert "Its sizes depend on values, as behind non-maximum suppression. Cut the network before that" in said
    assert "def forward" not in said  # nor what torch prints of a graph


def test_random_results_cannot_be_verified(tmp_path, capsys):
    noise = mx.sym.Dropout(mx.sym.var("data"), p=0.5, mode="always")
    mx.model.save_checkpoint(str(tmp_path / "noise"), 0, noise, {}, {})
    assert main(["convert", str(tmp_path / "noise"), "--to", "torch", "--shape", "4,50"]) == UNVERIFIED
    assert "NOT VERIFIED: the model's own results differ from run to run" in capsys.readouterr().out
    first, second = (torch.export.load(tmp_path / "noise.pt2").module()(torch.ones(4, 50)) for _ in range(2))
    assert not torch.equal(first, second)  # the file contains no state of a generator


def test_results_without_a_number_cannot_be_verified(tmp_path, capsys):
    undefined = mx.sym.log(mx.sym.negative(mx.sym.var("data")))
    mx.model.save_checkpoint(str(tmp_path / "nan"), 0, undefined, {}, {})
    assert main(["convert", str(tmp_path / "nan"), "--to", "onnx", "--shape", "2,3"]) == UNVERIFIED
    assert "NOT VERIFIED: the model gives no finite number for random inputs" in capsys.readouterr().out


def test_without_onnxruntime_nothing_is_verified(prefix, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["convert", prefix, "--to", "onnx", "--shape", "2,3,8,8"]) == UNVERIFIED
    said = capsys.readouterr().out
    assert f"wrote {prefix}.onnx" in said
    assert "NOT VERIFIED: [run_model] checking an ONNX file needs onnxruntime. Install both with `pip install" in said


def test_other_shapes_are_wrong_results(prefix, monkeypatch, capsys):
    monkeypatch.setattr("regluon.cli.convert.run_model", lambda path, inputs: [np.ones((2, 4), np.float32)])
    assert main(["convert", prefix, "--to", "onnx", "--shape", "2,3,8,8"]) == DIFFERS
    assert (
        "WRONG: [convert] the converted model gives the shapes [(2, 4)]; expected [(2, 3)]" in capsys.readouterr().out
    )


def test_another_graph_is_a_wrong_result(prefix, monkeypatch, capsys):
    monkeypatch.setattr("regluon.cli.convert.read_notes", lambda path, who: {})
    assert main(["convert", prefix, "--to", "safetensors"]) == DIFFERS
    assert "WRONG: 8 arrays and the graph, largest relative difference inf" in capsys.readouterr().out
