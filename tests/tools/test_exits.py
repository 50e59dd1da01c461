"""Exit codes: those that `--help` lists occur, and no others are listed."""

import re
from collections.abc import Callable

import pytest

from mxnet._commands import bench, doctor
from mxnet._commands.command import main
from regluon.cli import convert, im2rec, rec2idx
from regluon.native.loading import Library
from tests.tools.models import save_model, save_records
from tools.oracle.record_recordio import FIXTURES

IMAGES = str(FIXTURES / "images")
ONNX = ["convert", "net", "--to", "onnx", "--shape", "1,3,8,8"]
UNKNOWN_OPTION = "--no-such-option"


def wrong_results(monkeypatch) -> None:
    run = convert.run_model
    monkeypatch.setattr(convert, "run_model", lambda path, inputs: [2 * value for value in run(path, inputs)])


def no_onnxruntime(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)


def sound(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "other_installations", lambda here: [])
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setattr(doctor.torch, "get_num_threads", lambda: 1)


def unsound(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "other_installations", lambda here: ["There is another mxnet."])


def one_row(monkeypatch) -> None:
    monkeypatch.setattr(bench, "ROWS", bench.ROWS[:1])
    monkeypatch.setattr(bench.native, "library", lambda: Library(None, None, "none"))


def nothing(monkeypatch) -> None:
    pass


# The function of each command, and for each exit code what has to be so and the arguments.
Case = tuple[Callable, list[str]]
COMMANDS: dict[str, tuple[Callable, list[str], dict[int, Case]]] = {
    "main": (main, [], {0: (nothing, ["repair", "."]), 1: (nothing, ["inspect", "no"]), 2: (nothing, ["no"])}),
    "inspect": (main, ["inspect"], {0: (nothing, ["inspect", "net"]), 1: (nothing, ["inspect", "no.params"])}),
    "convert": (
        main,
        ["convert"],
        {0: (nothing, ONNX), 1: (nothing, ONNX[:4]), 3: (wrong_results, ONNX), 4: (no_onnxruntime, ONNX)},
    ),
    "repair": (main, ["repair"], {0: (nothing, ["repair", "some.rec"]), 1: (nothing, ["repair", "no"])}),
    "doctor": (main, ["doctor"], {0: (sound, ["doctor"]), 1: (unsound, ["doctor"])}),
    "bench": (
        main,
        ["bench"],
        {0: (one_row, ["bench", "--seconds", "0.01"]), 1: (nothing, ["bench", "--seconds", "0"])},
    ),
    "migrate": (
        main,
        ["migrate"],
        {
            0: (nothing, ["migrate", "good.py"]),
            1: (nothing, ["migrate", "bad.py"]),
            2: (nothing, ["migrate", "none.py"]),
        },
    ),
    "im2rec": (im2rec.main, [], {0: (nothing, ["--list", "--recursive", "a", IMAGES]), 1: (nothing, ["a", IMAGES])}),
    "rec2idx": (rec2idx.main, [], {0: (nothing, ["some.rec", "a.idx"]), 1: (nothing, ["no.rec", "a.idx"])}),
}
CASES = [(name, code) for name, (_, _, cases) in COMMANDS.items() for code in {**cases, 2: ()}]


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    save_model(tmp_path / "net")
    save_records(tmp_path / "some")
    (tmp_path / "good.py").write_text("import mxnet as mx\nmx.nd.zeros((2,))\n")
    (tmp_path / "bad.py").write_text("import mxnet as mx\nmx.rtc.CudaModule('')\n")
    monkeypatch.chdir(tmp_path)


def status(run: Callable, arguments: list[str]) -> int:
    try:
        return run(arguments)
    except SystemExit as ended:
        return ended.code


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(("name", "code"), CASES)
def test_each_listed_code_occurs(name: str, code: int, monkeypatch):
    run, command, cases = COMMANDS[name]
    prepare, arguments = cases.get(code, (nothing, [*command, UNKNOWN_OPTION]))
    prepare(monkeypatch)
    assert status(run, arguments) == code


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_these_codes(name: str, capsys):
    run, command, cases = COMMANDS[name]
    assert status(run, [*command, "--help"]) == 0
    listed = re.search(r"\nexit status:\n((?:  \d  .*\n)+)", capsys.readouterr().out)
    assert {int(line[2]) for line in listed[1].splitlines()} == {*cases, 2}


def test_every_command_is_here(capsys):
    status(main, ["--help"])
    commands = re.findall(r"^    (\w+)  ", capsys.readouterr().out, re.MULTILINE)
    assert set(COMMANDS) == {"main", *commands, "im2rec", "rec2idx"}
