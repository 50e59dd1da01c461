"""No command replaces a file unless the user passes --force."""

from pathlib import Path

import pytest

import mxnet as mx
from mxnet._commands.command import main
from regluon.cli import convert, im2rec, rec2idx
from regluon.cli.output import Targets, unused_stem
from tests.tools.models import save_model, save_records
from tools.oracle.record_recordio import FIXTURES

IMAGES = str(FIXTURES / "images")
SHAPE = ["--shape", "1,3,8,8"]
# Each command, and the files that it writes.
COMMANDS = {
    "convert to onnx": (main, ["convert", "net", "--to", "onnx", *SHAPE, "--output", "a.onnx"], ["a.onnx"]),
    "convert to torch": (main, ["convert", "net", "--to", "torch", *SHAPE, "--output", "a.pt"], ["a.pt", "a.pt2"]),
    "convert to safetensors": (
        main,
        ["convert", "net", "--to", "safetensors", "--output", "a.safetensors"],
        ["a.safetensors"],
    ),
    "convert to mxnet": (
        main,
        ["convert", "stored.safetensors", "--to", "mxnet", "--output", "a"],
        ["a-symbol.json", "a-0000.params"],
    ),
    "migrate": (main, ["migrate", "train.py", "--html", "a.html"], ["a.html"]),
    "im2rec --list": (im2rec.main, ["--list", "--recursive", "a", IMAGES], ["a.lst"]),
    "im2rec --list of parts": (
        im2rec.main,
        ["--list", "--recursive", "--train-ratio", "0.5", "--test-ratio", "0.25", "a", IMAGES],
        ["a_train.lst", "a_val.lst", "a_test.lst"],
    ),
    "im2rec": (im2rec.main, ["--pass-through", "listed", IMAGES], ["listed.rec", "listed.idx"]),
    "rec2idx": (rec2idx.main, ["some.rec", "a.idx"], ["a.idx"]),
}


@pytest.fixture(scope="module")
def _sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    save_model(folder / "net")
    save_records(folder / "some")
    (folder / "train.py").write_text("import mxnet as mx\nmx.nd.zeros((2,))\n")
    assert main(["convert", str(folder / "net"), "--to", "safetensors"]) == 0
    (folder / "net.safetensors").rename(folder / "stored.safetensors")
    assert im2rec.main(["--list", "--recursive", str(folder / "listed"), IMAGES]) == 0
    return folder


@pytest.fixture
def folder(_sources, tmp_path, monkeypatch) -> Path:
    """A working directory with a model, programs, records and a list of images."""
    for path in _sources.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


CASES = [(name, path) for name, (_, _, paths) in COMMANDS.items() for path in paths]


@pytest.mark.parametrize(("name", "path"), CASES, ids=[f"{name}, {path}" for name, path in CASES])
def test_an_existing_file_is_refused_before_the_work(folder, monkeypatch, capsys, name: str, path: str):
    run, arguments, _ = COMMANDS[name]
    (folder / path).write_bytes(b"mine")
    before = contents(folder)
    for work in ("convert.run_model", "convert.read_model", "migrate.command.read", "im2rec.list_image"):
        monkeypatch.setattr(f"regluon.cli.{work}", None)  # calling one would raise TypeError
    monkeypatch.setattr(im2rec, "read_list", None)
    monkeypatch.setattr(rec2idx, "write_index", None)
    assert run(arguments) == 1
    said = capsys.readouterr().err
    assert f"{path} would be replaced; expected names of new files. Give another" in said
    assert "or allow it with --force." in said
    assert contents(folder) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_force_replaces(folder, name: str):
    run, arguments, paths = COMMANDS[name]
    for path in paths:
        (folder / path).write_bytes(b"mine")
    assert run([*arguments, "--force"]) == 0
    assert b"mine" not in [(folder / path).read_bytes() for path in paths]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_new_file_is_written_and_nothing_else_changes(folder, name: str):
    run, arguments, paths = COMMANDS[name]
    before = contents(folder)
    assert run(arguments) == 0
    after = contents(folder)
    assert set(after) - set(before) == set(paths)
    assert {each: after[each] for each in before} == before


def test_a_file_made_during_the_work_is_kept(folder, monkeypatch, capsys):
    write = convert.export_model

    def write_slowly(*arguments, **options):
        (folder / "net.onnx").write_bytes(b"mine")
        return write(*arguments, **options)

    monkeypatch.setattr(convert, "export_model", write_slowly)
    assert main(["convert", "net", "--to", "onnx", *SHAPE]) == 1
    assert "net.onnx would be replaced" in capsys.readouterr().err
    assert (folder / "net.onnx").read_bytes() == b"mine"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("kind", ["onnx", "safetensors", "torch"])
def test_a_model_that_comes_back_gets_a_name_of_its_own(folder, kind: str, capsys):
    """The README's commands: the files that the model was exported to stay as they are."""
    before = contents(folder)
    ending = "pt2" if kind == "torch" else kind
    assert main(["convert", "net", "--to", kind, *SHAPE]) == 0
    capsys.readouterr()
    for number in (1, 2):
        assert main(["convert", f"net.{ending}", "--to", "mxnet"]) == 0
        said = capsys.readouterr().out
        assert f"kept net-symbol.json, net-0000.params: the new name is net-{number}; --force replaces" in said
        assert f"wrote net-{number}-symbol.json" in said
        assert f"wrote net-{number}-0000.params" in said
        mx.model.load_checkpoint(f"net-{number}", 0)
    assert {name: content for name, content in contents(folder).items() if name in before} == before
    (folder / "net-symbol.json").write_bytes(b"mine")
    assert main(["convert", f"net.{ending}", "--to", "mxnet", "--force"]) == 0
    assert (folder / "net-symbol.json").read_bytes() != b"mine"
    assert not (folder / "net-3-symbol.json").exists()


def test_one_existing_file_of_several_is_enough(folder):
    (folder / "net-symbol.json").rename(folder / "other-symbol.json")
    assert main(["convert", "stored.safetensors", "--to", "mxnet"]) == 0
    (folder / "stored-symbol.json").unlink()
    assert main(["convert", "stored.safetensors", "--to", "mxnet"]) == 0
    assert (folder / "stored-1-symbol.json").exists()
    assert not (folder / "stored-symbol.json").exists()


def test_unused_names(folder):
    assert unused_stem("fresh", lambda stem: [f"{stem}.a", f"{stem}.b"]) == "fresh"
    for name in ("fresh.a", "fresh-1.b", "fresh-3.a"):
        (folder / name).touch()
    assert unused_stem("fresh", lambda stem: [f"{stem}.a", f"{stem}.b"]) == "fresh-2"


def test_devices_lose_nothing():
    Targets(["/dev/null"], "test", "Give another", False).expect_new()
