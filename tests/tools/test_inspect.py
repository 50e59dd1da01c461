"""`python -m mxnet inspect`."""

import subprocess
import sys
from pathlib import Path

import pytest

import mxnet as mx
from mxnet._commands.command import main
from regluon.cli.inspect_files import describe
from regluon.cli.output import bytes_text, table
from regluon.formats.image_record import IRHeader, pack
from regluon.formats.recordio import encode_record, index_line

FIXTURES = Path(__file__).parent.parent / "fixtures"


def text_of(path: Path, show_all: bool = False) -> str:
    return "\n".join(describe(str(path), show_all))


def test_parameters():
    text = text_of(FIXTURES / "files" / "checkpoint.params")
    assert "kind      parameters (.params)" in text
    assert "arg:" in text
    assert "aux:" in text


def test_marks_and_totals(tmp_path):
    arrays = {"arg:w": mx.nd.ones((2, 3)), "aux:m": mx.nd.ones((4,), dtype="float16"), "x": mx.nd.ones((1,))}
    mx.nd.save(str(tmp_path / "a.params"), arrays)
    text = text_of(tmp_path / "a.params")
    assert "arrays    3, 11 numbers" in text
    assert "dtypes    2 float32, 1 float16" in text
    assert "names     1 arg:, 1 aux:, 1 without mark" in text
    assert "  arg:w  float32  2x3  24 bytes" in text


def test_sparse_and_lists():
    assert "row_sparse, 1 stored" in text_of(FIXTURES / "files" / "sparse_dict.params")
    assert "a list without names" in text_of(FIXTURES / "files" / "list.params")
    assert "no array" in text_of(FIXTURES / "files" / "none.params")


def test_a_file_is_known_by_its_content(tmp_path):
    (tmp_path / "renamed").write_bytes((FIXTURES / "files" / "dict.params").read_bytes())
    assert "parameters (.params)" in text_of(tmp_path / "renamed")
    (tmp_path / "states").write_bytes((FIXTURES / "optimizers" / "adam.states").read_bytes())
    assert "optimizer states" in text_of(tmp_path / "states")
    (tmp_path / "records").write_bytes((FIXTURES / "image" / "boxes.rec").read_bytes())
    assert "RecordIO" in text_of(tmp_path / "records")
    mx.sym.var("a").save(str(tmp_path / "graph"))
    assert "symbol" in text_of(tmp_path / "graph")


def test_tensors(tmp_path):
    mx.nd.save(str(tmp_path / "a.safetensors"), {"w": mx.nd.ones((2,))})
    assert "kind      safetensors" in text_of(tmp_path / "a.safetensors")
    (tmp_path / "b").write_bytes((tmp_path / "a.safetensors").read_bytes())
    assert "safetensors" in text_of(tmp_path / "b")


def test_a_symbol(tmp_path):
    net = mx.sym.BatchNorm(mx.sym.FullyConnected(mx.sym.var("data", shape=(0, 3)), num_hidden=2, name="fc"), name="bn")
    mx.sym.SoftmaxOutput(net, name="softmax").save(str(tmp_path / "net-symbol.json"))
    text = text_of(tmp_path / "net-symbol.json")
    for line in (
        "kind      symbol, written by MXNet 1.9.1",
        "inputs    data (shape (0, 3))",
        "labels    softmax_label",
        "outputs   softmax (SoftmaxOutput)",
        "params    6, 2 of them states: fc_weight, fc_bias, bn_gamma",
        "  1  FullyConnected",
    ):
        assert line in text


def test_unknown_operators_are_listed(tmp_path):
    mx.sym.relu(mx.sym.var("data"), name="a").save(str(tmp_path / "net-symbol.json"))
    path = tmp_path / "net-symbol.json"
    path.write_text(path.read_text().replace('"op": "relu"', '"op": "MyOwnThing"'))
    assert "UNKNOWN   MyOwnThing (1): cannot be run here" in text_of(path)


def test_old_symbols():
    for path in sorted((FIXTURES / "symbols" / "old").glob("*.json")):
        assert "kind      symbol" in text_of(path)


def test_states():
    text = text_of(FIXTURES / "optimizers" / "adam.states")
    assert "a pickle, read without unpickling" in text
    assert "states    3 parameters, 6 arrays" in text
    assert "optimizer Adam" in text


def test_new_states(tmp_path):
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    weight = mx.nd.ones((2,))
    for key in range(3):
        updater(key, weight, weight)
    (tmp_path / "new.states").write_bytes(updater.get_states(dump_optimizer=True))
    assert "optimizer SGD" in text_of(tmp_path / "new.states")
    assert "states    3 parameters, 3 arrays" in text_of(tmp_path / "new.states")
    assert "keys      0, 1, 2" in text_of(tmp_path / "new.states")
    (tmp_path / "new.params").write_bytes(updater.get_states())
    assert "kind      optimizer states" in text_of(tmp_path / "new.params")


def test_records_and_index():
    text = text_of(FIXTURES / "image" / "boxes.rec")
    assert "records   7" in text
    assert "1 with 8 numbers (flag 8)" in text
    assert "PNG, 18x14" in text
    assert "7 keys, fits" in text
    assert "keys      7, 7 different" in text_of(FIXTURES / "image" / "boxes.idx")


def test_records_of_insightface(tmp_path):
    image = (FIXTURES / "image" / "boxes.rec").read_bytes()
    records = [
        pack(IRHeader(2, [3, 5], 0, 0), b""),
        *[pack(IRHeader(0, float(label), label + 1, 0), b"no image" + image[:4]) for label in range(2)],
        *[pack(IRHeader(2, [1, 2], 3, 0), b"") for _ in range(2)],
    ]
    (tmp_path / "train.rec").write_bytes(b"".join(encode_record(record) for record in records))
    (tmp_path / "train.idx").write_text(index_line(0, 4))
    text = text_of(tmp_path / "train.rec")
    assert "record 0  meta of insightface: 2 images (1 to 2), 2 identities (3 to 4)" in text
    assert "DOES NOT FIT: 1 places" in text
    assert "4 that are no images" in text


def test_plain_records(tmp_path):
    (tmp_path / "a.rec").write_bytes(encode_record(b"short"))
    text = text_of(tmp_path / "a.rec")
    assert "1 records without an image header" in text
    assert "index     none" in text


def test_text():
    assert [bytes_text(n) for n in (5, 2048, 5 << 20, 3 << 30)] == ["5 bytes", "2.0 KB", "5.0 MB", "3.0 GB"]
    lines = table([(str(n),) for n in range(20)], 8)
    assert lines[6] == "  ... 12 more; --all shows them"
    assert len(lines) == 9


def test_exit_status(tmp_path, capsys):
    path = str(FIXTURES / "files" / "dict.params")
    assert main(["inspect", path, path, "--all"]) == 0
    assert capsys.readouterr().out.count("kind ") == 2
    assert main(["inspect", str(tmp_path / "none.params")]) == 1
    assert "expected an existing file, and there is none" in capsys.readouterr().err
    (tmp_path / "odd").write_bytes(b"odd bytes")
    assert main(["inspect", str(tmp_path / "odd")]) == 1
    assert "expected one of .params" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["unknown"])
    assert left.value.code == 2


def test_damaged_files_give_no_traceback(tmp_path, capsys):
    whole = (FIXTURES / "files" / "dict.params").read_bytes()
    (tmp_path / "cut.params").write_bytes(whole[:-3])
    assert main(["inspect", str(tmp_path / "cut.params")]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_as_a_program():
    path = str(FIXTURES / "files" / "dict.params")
    done = subprocess.run([sys.executable, "-m", "mxnet", "inspect", path], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("file ")
    assert not done.stderr


def test_a_prefix_shows_graph_and_parameters(tmp_path):
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((1, 3)))
    net.export(str(tmp_path / "net"), 4)
    text = text_of(tmp_path / "net")
    assert "epochs    4" in text
    assert "fits      2 of 3 variables have parameters" in text
    assert "inputs    data: not among the parameters" in text
    assert "FullyConnected" in text
    assert "2x3" in text
    mx.nd.save(str(tmp_path / "net-0005.params"), {f"arg:{net.name}_wieght": mx.nd.ones((2, 3))})
    text = text_of(tmp_path / "net")
    assert "epochs    4, 5" in text
    assert f"the graph has no {net.name}_wieght; the nearest to {net.name}_wieght is {net.name}_weight" in text


def test_onnx(tmp_path):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    arrays = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.ones((2,))}
    path = str(tmp_path / "net.onnx")
    mx.onnx.export_model(net, arrays, [(1, 3)], "float32", path)
    text = text_of(tmp_path / "net.onnx")
    assert "kind      ONNX, IR version" in text
    assert "inputs    data (float32 1x3)" in text
    assert "Gemm" in text
    (tmp_path / "no.onnx").write_bytes(b"not a model")
    with pytest.raises(mx.MXNetError, match="received no valid ONNX file"):
        text_of(tmp_path / "no.onnx")


def test_checkpoints_of_runs(tmp_path):
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    with mx.autograd.record():
        loss = net(mx.nd.ones((1, 3))).sum()
    loss.backward()
    trainer.step(1)
    path = mx.gluon.contrib.Checkpoint(tmp_path, net, trainer).save(epoch=3, batch=20)
    text = text_of(path)
    assert "kind      checkpoint of a training run" in text
    assert "progress  epoch=3, batch=20" in text
    assert "trainer   Adam, 4 arrays" in text
    assert "params    2, 8 numbers" in text
    assert "  weight  float32  2x3  24 bytes" in text
    path = mx.gluon.contrib.Checkpoint(tmp_path / "other", net).save()
    assert "progress  none was noted" in (text := text_of(path))
    assert "trainer   none" in text
