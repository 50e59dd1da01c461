"""Files and notebooks: which are read, and what is told of those that cannot be."""

import ast
import json

import pytest

from regluon.cli.migrate.sources import find_files, read, without_magics
from tests.tools.migrate.support import write


def notebook(*cells: str) -> str:
    listed = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["# mxnet"]}, *listed]})


def test_files_of_a_tree(tmp_path):
    for name in ("a.py", "b/c.ipynb", "b/d.txt", ".git/e.py", "__pycache__/f.py", "tests/g.py", "env/h.py"):
        write(tmp_path, "", name)
    write(tmp_path, "", "env/pyvenv.cfg")
    found = find_files([str(tmp_path), str(tmp_path / "b/d.txt"), str(tmp_path / "a.py")], ["tests"])
    assert [path.removeprefix(f"{tmp_path}/") for path in found] == ["a.py", "b/c.ipynb", "b/d.txt"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("import mxnet\nprint 'x'", "is not Python 3: Missing parentheses in call to 'print'"),
        ("import mxnet\nx = (", "is not Python 3: '(' was never closed"),
        ("import mxnet\nx = '\0'", "null bytes"),
    ],
)
def test_what_is_not_python(tmp_path, code, text):
    source = read(write(tmp_path, code))
    assert source.pieces == []
    assert text in source.problems[0].text


def test_files_that_do_not_name_mxnet_are_not_parsed(tmp_path):
    assert read(write(tmp_path, "print 'x'")) == (str(tmp_path / "program.py"), [], [])


def test_a_file_that_is_gone(tmp_path):
    assert read(str(tmp_path / "none.py")).problems[0].text == "cannot be read: No such file or directory"


def test_cells(tmp_path):
    cells = ("%matplotlib inline\nimport mxnet as mx", "!pip install \\\n  x\nfor", "%%bash\nls mxnet", "mx.nd.dot")
    source = read(write(tmp_path, notebook(*cells), "book.ipynb"))
    assert [piece.cell for piece in source.pieces] == [1, 3, 4]
    (problem,) = source.problems
    assert (problem.cell, problem.line) == (2, 3)
    assert "is not Python 3: invalid syntax" in problem.text


def test_notebooks_before_version_4(tmp_path):
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["import mxnet"]}]}]}
    assert len(read(write(tmp_path, json.dumps(old), "old.ipynb")).pieces) == 1


@pytest.mark.parametrize("content", ["mxnet", '{"mxnet": 1}', '["mxnet"]'])
def test_what_is_no_notebook(tmp_path, content):
    assert read(write(tmp_path, content, "book.ipynb")).problems[0].text.startswith("is not a notebook: ")


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%timeit f()\nx = 1", "pass\nx = 1"),
        ("  !ls", "  pass"),
        ("files = !ls\ny = %time f()", "files = None\ny = None"),
        ("%%time\nx = 1", "pass\nx = 1"),
        ("%%writefile a.py\nx = 1", ""),
        ("nd.dot?", "pass"),
        ("x = ('%d'\n     % 3)", "x = ('%d'\n     % 3)"),
        ("y = a != b", "y = a != b"),
    ],
)
def test_magics(cell, code):
    assert without_magics(cell) == code
    ast.parse(code.strip())
