"""Typed stubs: what is written, and that packaging puts it beside the modules."""

import ast
from pathlib import Path

import pytest

import mxnet
from mxnet.ops import registry
from tools import stubs
from tools.packaging import typed_stubs

PACKAGE = Path(mxnet.__file__).parent
TEXTS = stubs.stubs()


@pytest.mark.parametrize("name", TEXTS)
def test_stubs_are_python_beside_a_module(name: str):
    ast.parse(TEXTS[name])
    assert (PACKAGE / name).with_suffix(".py").exists()


@pytest.mark.parametrize("folder", ["ndarray", "symbol"])
def test_every_operator_has_a_stub(folder: str):
    known = set()
    for name in ("op.pyi", "_internal.pyi"):
        for node in ast.parse(TEXTS[f"{folder}/{name}"]).body:
            if isinstance(node, ast.FunctionDef):
                known.add(node.name)
            elif isinstance(node, ast.Assign):
                known.update(target.id for target in node.targets)
    assert {name for name, _ in registry.names()} <= known


def test_only_what_differs_is_written(tmp_path: Path):
    assert sorted(stubs.write(tmp_path)) == sorted(TEXTS)
    (tmp_path / "symbol" / "op.pyi").write_text("stale")
    assert stubs.write(tmp_path) == ["symbol/op.pyi"]
    assert (tmp_path / "symbol" / "op.pyi").read_text() == TEXTS["symbol/op.pyi"]


class Copied:
    """Stands for setuptools' `build_py`."""

    editable_mode = False
    ran = False

    def run(self) -> None:
        self.ran = True


class Build(typed_stubs.StubsInWheel, Copied):
    def __init__(self, build_lib: Path) -> None:
        self.build_lib = str(build_lib)


def test_a_wheel_has_stubs(tmp_path: Path):
    command = Build(tmp_path)
    command.run()
    assert command.ran
    assert {str(path.relative_to(tmp_path / "mxnet")) for path in tmp_path.rglob("*.pyi")} == set(TEXTS)


def test_an_editable_installation_has_none(tmp_path: Path):
    command = Build(tmp_path)
    command.editable_mode = True
    command.run()
    assert command.ran
    assert list(tmp_path.iterdir()) == []


def test_without_torch_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(typed_stubs, "NEEDED", ("torch", "no_such_package"))
    assert not typed_stubs.write_stubs(tmp_path)
    assert capsys.readouterr().out == "regluon: no typed stubs are made: the build environment lacks no_such_package\n"
    assert list(tmp_path.iterdir()) == []
