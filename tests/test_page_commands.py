"""Every command that a page shows runs, or what it names exists, or a table says why it is not tried."""

import functools
import itertools
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mxnet as mx
from mxnet._commands import bench
from mxnet._commands.command import main
from regluon.cli import im2rec, rec2idx
from regluon.distributed.launch.main import main as launch
from regluon.native.__main__ import main as native
from tests.page_commands import Command, commands_of
from tests.tools.models import save_model, save_records

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"])
PAGES += sorted((ROOT / "docs").rglob("*.md"))
IMAGES = ROOT / "tests" / "fixtures" / "recordio" / "images"
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
EXTRAS = re.findall(r"^(\w+) = \[", PYPROJECT.split("[project.optional-dependencies]")[1].split("\n[")[0], re.MULTILINE)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MODULES: dict[str, Callable[[list[str]], int]] = {
    "mxnet": main,
    "mxnet.tools.im2rec": im2rec.main,
    "mxnet.tools.rec2idx": rec2idx.main,
    "regluon.native": native,
    "mxnet.launch": launch,
}
# Commands by their first words that are not tried here.
NOT_TRIED = {
    "python -m venv": "makes an environment",
    "python3 -m venv": "makes an environment",
    "py -3.11 -m venv": "makes an environment, on Windows",
    ".venv/Scripts/activate": "of an environment, on Windows",
    "env/Scripts/activate": "of an environment, on Windows",
    "source": "of an environment",
    "conda": "another package manager",
    "cd": "the shell's",
    "mkdir": "the shell's",
    "cp": "the shell's",
    "cat": "the shell's",
    "tar": "the shell's",
    "grep": "the shell's",
    "git clone": "needs the network",
    "tensorboard": "a server of another project",
    "torchrun": "torch's; tests/test_launch.py starts workers with it",
    "srun": "of a cluster",
    "python -m pytest": "runs this suite",
    "python -c": "a program; installations are looked at by tests/tools/test_doctor.py",
    "python -W": "options of Python",
    "python first.py": "needs packages that are not installed here",
    "python patch_gluoncv.py": "needs packages that are not installed here",
    "python patch_gluonnlp.py": "needs packages that are not installed here",
    "python make_data.py": "needs a checkout of insightface",
    "python -u train.py": "needs a checkout of insightface",
    "python train.py": "a program of the page, which tests/test_pages.py runs",
    "mxnet 1.9.1": "a line of `pip list`",
}
PIP = {"install", "uninstall", "wheel", "list", "show"}


class Unknown(Exception):
    """A command that no test covers."""


def commands() -> Iterator[tuple[Path, Command]]:
    for page in PAGES:
        for command in commands_of(page):
            yield page, command


def is_not_tried(command: Command) -> bool:
    return any(" ".join(command.words).startswith(start) for start in NOT_TRIED)


# -- what commands name ---------------------------------------------------------------------------------------------


def check_make(words: list[str]) -> None:
    for word in words:
        name, is_variable, value = word.partition("=")
        if is_variable:
            assert f"$({name})" in MAKEFILE
            assert all((ROOT / path).exists() for path in re.findall(r"tests/\S+", value))
        else:
            assert re.search(rf"^{re.escape(name)}:", MAKEFILE, re.MULTILINE), f"make {name}: no such target"


def check_pip(words: list[str]) -> None:
    assert words[0] in PIP
    for name, extras in re.findall(r"(?:^|\s)(\.|regluon)\[([\w,]+)\]", " ".join(words)):
        missing = set(extras.split(",")) - set(EXTRAS)
        assert not missing, f"{name} has no extras {missing}"
    for option, path in itertools.pairwise(words):
        assert option != "-c" or (ROOT / path).is_file()


def check_python(words: list[str]) -> None:
    """A script of the repository, a module of its tools with paths, or one of MODULES, which the runs below try."""
    if words[0] != "-m":
        assert (ROOT / words[0]).is_file(), f"there is no {words[0]}"
    elif words[1].startswith("tools."):
        assert (ROOT / f"{words[1].replace('.', '/')}.py").is_file()
        assert all((ROOT / path).is_file() for path in words[2:])
    elif words[1] not in MODULES:
        raise Unknown


def check_linter(words: list[str]) -> None:
    assert all((ROOT / word).exists() for word in words if not word.startswith("-") and word not in ("check", "format"))


CHECKS = {
    "make": check_make,
    "pip": check_pip,
    "python": check_python,
    "ruff": check_linter,
    "mypy": check_linter,
}


def test_commands_are_tried_or_listed():
    problems = []
    for page, command in commands():
        if is_not_tried(command):
            continue
        program, *words = command.words
        try:
            CHECKS[program](words)
        except (KeyError, Unknown, AssertionError) as error:
            problems.append(f"{page.relative_to(ROOT)}: {command.text}: {error or 'neither tried nor in NOT_TRIED'}")
    assert problems == []


def test_the_table_has_no_lines_without_a_use():
    shown = [" ".join(command.words) for _, command in commands()]
    assert [start for start in NOT_TRIED if not any(text.startswith(start) for text in shown)] == []


def test_commands_are_found():
    """The parser finds commands in each kind of place."""
    found = {" ".join(command.words) for _, command in commands()}
    assert {
        "python -m mxnet convert model.onnx --to mxnet",  # indented, in the README
        "make test-all ARGS=tests/gluon",  # console
        "make check",  # a block without a language
        "python -m mxnet.launch -n 4 python train.py",  # diff
        "python -m mxnet.tools.rec2idx train.rec train.idx",  # inline
        "python -m mxnet convert model --to onnx --shape 1,3,112,112",  # inline, over two lines
        "source env/bin/activate",  # behind &&
        "pip wheel . --no-deps -w dist",  # behind an assignment
        "env/Scripts/activate",  # Windows
    } <= found


# -- runs -----------------------------------------------------------------------------------------------------------


def needs_files(words: tuple[str, ...]) -> list[str]:
    """Make the files that a command reads unless an earlier one wrote them; return its arguments."""
    arguments = list(words)
    if words[:1] == ("inspect",):
        for name in words[1:]:
            make_file(name)
    elif words[:1] == ("convert",):
        shape = next((text for option, text in itertools.pairwise(words) if option == "--shape"), "1,3,8,8")
        make_file(words[1], channels=int(shape.split(",")[1]))
    elif words[:1] == ("migrate",):
        for name in words[1 : next((place for place, word in enumerate(words) if word.startswith("--")), None)]:
            make_file(name)
    elif words[:1] == ("repair",):
        make_file(words[1])
    return arguments


def make_file(name: str, channels: int = 3) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() or Path(f"{name}-symbol.json").exists():
        return
    if path.suffix == ".onnx":
        save_model(Path("source"), channels)
        assert main(["convert", "source", "--to", "onnx", "--shape", f"1,{channels},8,8", "--output", name]) == 0
    elif path.suffix == ".rec":
        save_records(path.with_suffix(""))
    elif path.suffix == ".params":
        mx.nd.save(name, {"weight": mx.nd.ones((2, 2))})
    elif path.suffix == ".states":
        net = mx.gluon.nn.Dense(1, in_units=1)
        net.initialize()
        mx.gluon.Trainer(net.collect_params(), "sgd").save_states(name)
    elif path.suffix == ".py":
        path.write_text("import mxnet as mx\nmx.nd.zeros((2,))\n")
    elif name in ("src", "notebooks", "folder"):
        path.mkdir()
        (path / "train.py").write_text("import mxnet as mx\nmx.nd.zeros((2,))\n")
    else:
        save_model(path, channels)


# Commands of several pages whose results depend on nothing but the installation: these run once.
@functools.cache
def run_once(module: str, words: tuple[str, ...]) -> None:
    status = MODULES[module](list(words))
    assert status == 0 or (words == ("doctor",) and status == 1)  # this machine may have problems


def run(module: str, words: tuple[str, ...]) -> None:
    if module == "mxnet" and words in [("doctor",), ("bench",)]:
        run_once(module, words)
    elif module == "mxnet.launch" and "python" in words:
        Path("hosts").write_text("first slots=4\nsecond slots=4\n")
        assert launch(["--dry-run", *words]) == 0
    elif module == "regluon.native" and words:
        assert status_of(module, list(words)) in ((0, 1) if words == ("--status",) else (0,))  # 1: no kernels
    elif words == ("--version",):
        assert status_of(module, list(words)) == 0
    elif len(words) < 2 or module in ("regluon.native", "mxnet.launch"):
        assert status_of(module, [*words, "--help"]) == 0  # the page only names the command
    elif module == "mxnet.tools.im2rec":
        shutil.copytree(IMAGES, "images", dirs_exist_ok=True)
        Path(next(word for word in words if word.endswith("train"))).parent.mkdir(exist_ok=True)
        assert im2rec.main(list(words)) == 0
    elif module == "mxnet.tools.rec2idx":
        make_file(words[0])
        Path(words[1]).unlink(missing_ok=True)  # the page is about a lost index
        assert rec2idx.main(list(words)) == 0
    else:
        assert MODULES[module](needs_files(words)) == 0


def status_of(module: str, arguments: list[str]) -> int:
    try:
        return MODULES[module](arguments)
    except SystemExit as ended:
        return ended.code or 0


def sequences() -> dict[tuple[Command, ...], Path]:
    """Return the commands of MODULES by page. A page in two languages has one sequence, and runs once."""
    found: dict[tuple[tuple[str, ...], ...], Path] = {}
    for page in PAGES:
        words = [command.words for command in commands_of(page) if command.words[:2] == ("python", "-m")]
        mine = tuple(each[2:] for each in words if each[2] in MODULES)
        if mine:
            found.setdefault(mine, page)
    return found


@pytest.fixture
def _surroundings(tmp_path, monkeypatch):
    """An empty folder, a cluster's variable, `python` on the path, and a quick `bench`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SLURM_JOB_NODELIST", "first,second")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setattr(bench, "ROWS", [bench.ROWS[0]._replace(repeat=1)])
    monkeypatch.setattr(bench, "measure", functools.partial(lambda measure, row, _: measure(row, 0.01), bench.measure))


SEQUENCES = sequences()


@pytest.mark.usefixtures("_surroundings")
@pytest.mark.parametrize("sequence", SEQUENCES, ids=[page.relative_to(ROOT).as_posix() for page in SEQUENCES.values()])
def test_commands_run(sequence: tuple[tuple[str, ...], ...]):
    for module, *words in sequence:
        run(module, tuple(words))
