"""An operator is declared once: adding one changes one file, and no other part of the engine lists operators."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regluon.ops import registry

PACKAGE = Path(registry.__file__).parents[1]
SOURCES = PACKAGE.parent
FAMILY = Path("ops", "nn", "dense.py")
HERE = Path(__file__).parent


def _extended_package(folder: Path) -> None:
    """The package with one operator more: all files are links, but for the family's, at whose end it is declared."""
    source, target = PACKAGE, folder / PACKAGE.name
    for part in (*FAMILY.parts, ""):
        target.mkdir()
        for path in source.iterdir():
            if path.name not in (part, "__pycache__"):
                (target / path.name).symlink_to(path, target_is_directory=path.is_dir())
        source, target = source / part, target / part
        if source.is_file():
            target.write_text(source.read_text() + (HERE / "added_operator.py").read_text())
            return


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a process with the extended package reports."""
    folder = tmp_path_factory.mktemp("extended")
    _extended_package(folder)
    environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "use_added_operator.py")]
    done = subprocess.run(command, check=False, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


DATA, WEIGHT, OPEN = np.array([[1, 2], [3, 4], [5, 6]]), np.array([[1, -1], [0.5, 2]]), np.array([[1], [0], [1]])


def test_an_added_operator_on_arrays(found: Any) -> None:
    eager, grad = found["eager"], np.array([[1, 2], [3, 4], [5, 6]]) * OPEN
    assert eager["result"] == eager["alias"] == (DATA @ WEIGHT.T * OPEN).tolist()
    assert eager["data_grad"] == (grad @ WEIGHT).tolist()
    assert eager["weight_grad"] == (grad.T @ DATA).tolist()
    assert "[GatedDense] received an unknown parameter 'num_hiden'" in eager["refused"]
    assert "Did you mean num_hidden?" in eager["refused"]


def test_an_added_operator_in_graphs(found: Any) -> None:
    graph = found["graph"]
    assert graph["arguments"] == ["x", "g_weight", "g_gate"]
    assert graph["shapes"] == [[[3, 4], [2, 4], [3]], [[3, 2]], []]
    assert graph["by_rule"] == ["shape"], "the function must not run where there is a rule"
    assert graph["partial"] == [3, 4]
    assert graph["dtypes"] == ["float16", "float16", "int32"]
    assert graph["outputs"] == ["g_output"]
    assert graph["row_ptr"] == [[0, 1, 2, 3, 5], [0, 1, 2, 3, 4]], "files count hidden outputs"
    assert graph["init"] == '["one", {}]'
    assert graph["same_json"]
    assert graph["result"] == (DATA @ WEIGHT.T * OPEN).tolist()


def test_an_added_operator_in_training(found: Any) -> None:
    weight = np.full((2, 2), 0.125)
    for _ in range(4):
        grad = (1 - np.tanh(DATA @ weight.T * OPEN) ** 2) * OPEN
        weight -= 0.5 / 3 * grad.T @ DATA
    np.testing.assert_allclose(found["as_written"], weight, rtol=1e-5)
    np.testing.assert_allclose(found["hybridized"], weight, rtol=1e-5)
    assert found["written_out"], "compiled training uses the gradient that is written out"


# -- no tables elsewhere ----------------------------------------------------------------------------------------------

NAMES = {name for name, _ in registry.names()}
# Where operators are listed or named, and why.
ALLOWED = {
    "regluon/compiler/passes/": "patterns of rewrites",
    "regluon/compiler/fused/": "what fused operators replace",
    "regluon/compiler/backends/": "what foreign compilers understand",
    "mxnet/_former/": "private names of MXNet that programs import",
    "regluon/graph/upgrade.py": "what old files contain",
    "mxnet/_hints/": "attributes of PyTorch and NumPy, and the code that replaces them",
    "mxnet/initializer/": "ends of the names of parameters",
    "mxnet/contrib/": "which operators run in half precision and in 8 bits",
    "regluon/convert/": "other formats",
    "regluon/array/sparse/": "which operators have sparse forms",
    "regluon/ops/": "the declarations",
    "regluon/symbol/symbol.py": "files without casts of mixed precision",
    "regluon/cli/migrate/": "what torch calls them",
    "mxnet/visualization/": "pictures of networks",
}


_SETS = ("set", "frozenset")


def _names_in(node: ast.AST) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value in NAMES]


def _tables(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Dicts and sets with two keys or more that are operators, and comparisons of a node's operator with a name."""
    for node in ast.walk(tree):
        keys: list[str] = []
        if isinstance(node, ast.Dict):
            keys = [name for key in node.keys if isinstance(key, ast.Constant) for name in _names_in(key)]
        elif isinstance(node, ast.Set) or (isinstance(node, ast.Call) and ast.unparse(node.func) in _SETS):
            keys = _names_in(node)
        if len(keys) > 1:
            yield node.lineno, ", ".join(keys)
        if isinstance(node, ast.Compare) and _names_in(node):
            asked = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            if asked & {"op_name", "op"} or "operator.name" in ast.unparse(node):
                yield node.lineno, ast.unparse(node)


def test_the_search_for_tables_finds_them() -> None:
    for text in (
        "_HIDDEN = {'Dropout': 2, 'LRN': 2}",
        "_ALIKE = frozenset(('abs', 'exp'))",
        "_ALIKE = {*('abs', 'exp'), *('sin',)}",
        "if node.op_name == 'where': pass",
        "if node.operator.name in ('squeeze', '_np_squeeze'): pass",
    ):
        assert list(_tables(ast.parse(text))), text


def test_nothing_else_lists_operators() -> None:
    """What an operator is belongs to its declaration: see `Operator` for the traits."""
    faults = [
        f"{path.relative_to(SOURCES)}:{line}: {what}"
        for path in sorted(SOURCES.rglob("*.py"))
        if not str(path.relative_to(SOURCES)).startswith(tuple(ALLOWED))
        for line, what in _tables(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not faults
