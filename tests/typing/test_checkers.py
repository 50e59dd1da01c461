"""Type checkers on programs that use the package, with the stubs that a wheel has."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import mxnet
from tools import stubs, type_check
from tools.type_check import Message

SOURCES = Path(mxnet.__file__).parents[1]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with copies of both packages, as a wheel has them."""
    folder = tmp_path_factory.mktemp("site")
    others = shutil.ignore_patterns("__pycache__", "*.pyi", "*.so", "*.cpp", "*.h")
    for package in ("mxnet", "regluon"):
        shutil.copytree(SOURCES / package, folder / package, ignore=others)
    stubs.write(folder / "regluon")
    return folder


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="the types of older NumPy tell less: shapes of arrays are Any"
)
def test_mypy(request: pytest.FixtureRequest, package: Path, tmp_path: Path):
    if not request.config.option.exhaustive:
        pytest.skip("runs with --exhaustive, and in `make check`")
    assert type_check.check("mypy", package, tmp_path) == []


def test_pyright(package: Path, tmp_path: Path):
    if type_check.find_pyright() is None:
        pytest.skip("pyright is not installed: npm install pyright, and set PYRIGHT=node_modules/.bin/pyright")
    assert type_check.check("pyright", package, tmp_path) == []


def test_what_differs_from_the_marks_is_told(tmp_path: Path):
    program = tmp_path / "program.py"
    lines = ["right()", "wrong()  # error: axsi", "worse()  # error: this|that", "one()  # error (pyright): shap", ""]
    program.write_text("\n".join(lines))
    assert type_check.marks(program, "mypy") == {2: ["axsi"], 3: ["this", "that"]}
    assert type_check.marks(program, "pyright") == {2: ["axsi"], 3: ["this", "that"], 4: ["shap"]}
    found = [Message(program, 2, "no argument axsi"), Message(program, 3, "no that")]
    assert type_check.complaints(found, [program], "mypy") == []
    assert type_check.complaints(found, [program], "pyright") == ["program.py:4: not found: shap"]
    assert type_check.complaints([Message(program, 1, "bad"), Message(program, 2, "other")], [program], "mypy") == [
        "program.py:1: not expected: bad",
        "program.py:2: not found: axsi",
        "program.py:3: not found: this|that",
    ]


def test_there_are_enough_mistakes():
    assert len(type_check.marks(type_check.MISTAKES, "mypy")) >= 140
