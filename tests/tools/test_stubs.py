"""Typed stubs: what is written, and that packaging puts it beside the modules."""

import ast
from pathlib import Path

import pytest

import regluon
from regluon.array.numpy import fallback
from regluon.graph.attributes import HIDDEN_KEYS
from regluon.ops import registry
from regluon.symbol.attribute_scope import Attributes
from tools import stub_official, stubs
from tools.packaging import typed_stubs
from tools.stub_functions import Decider, decider, signatures

PACKAGE = Path(regluon.__file__).parent
TEXTS = stubs.stubs()


@pytest.mark.parametrize("name", TEXTS)
def test_stubs_are_python_beside_a_module(name: str):
    ast.parse(TEXTS[name])
    assert (PACKAGE / name).with_suffix(".py").exists()


@pytest.mark.parametrize("folder", ["array", "symbol"])
def test_every_operator_has_a_stub(folder: str):
    known = set()
    for name in ("op.pyi", "_internal.pyi"):
        for node in ast.parse(TEXTS[f"{folder}/{name}"]).body:
            if isinstance(node, ast.FunctionDef):
                known.add(node.name)
            elif isinstance(node, ast.Assign):
                known.update(target.id for target in node.targets)
    assert {name for name, _ in registry.names()} <= known


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("topk", Decider("ret_typ", ["'indices'", "'mask'", "'value'"], ["'both'"])),
        ("BatchNorm", Decider("output_mean_var", ["False"], ["True"])),
        ("SliceChannel", Decider("num_outputs", ["1"], [])),
        ("relu", None),
        ("_npi_unique", None),  # several flags do
    ],
)
def test_what_decides_how_many_outputs_there_are(name: str, expected: Decider | None):
    assert decider(registry.find(name)) == expected


def test_a_flag_decides_what_is_returned():
    usual, other, either = signatures(registry.find("topk"), stubs.ARRAYS, skip_inputs=0)
    assert [way.result for way in (usual, other, either)] == ["NDArray", "list[NDArray]", "NDArray | list[NDArray]"]
    assert "ret_typ: Literal['indices', 'mask', 'value'] = 'indices'" in usual.arguments
    place = other.arguments.index("ret_typ: Literal['both']")
    assert other.arguments[place - 1] == "*", "after arguments with defaults, it is given by name"
    assert [way.result for way in signatures(registry.find("topk"), stubs.SYMBOLS, skip_inputs=0)] == ["Symbol"]


def test_no_operator_takes_any_keyword():
    open_ended = {name for name, _ in registry.names() if registry.find(name).free_params}
    for name in ("array/op.pyi", "array/_internal.pyi", "symbol/op.pyi", "operators.pyi"):
        for node in ast.walk(ast.parse(TEXTS[name])):
            if isinstance(node, ast.FunctionDef) and node.args.kwarg and node.name not in open_ended:
                assert ast.unparse(node.args.kwarg.annotation) == "Unpack[_Attributes]", node.name


def test_keywords_of_symbols_are_the_attributes_of_graphs():
    steering = {*HIDDEN_KEYS, *(f"__{key}__" for key in HIDDEN_KEYS)}
    assert steering <= Attributes.__annotations__.keys()
    assert all(key.startswith("__") for key in Attributes.__annotations__.keys() - steering)


def test_functions_of_numpy_have_its_parameters_and_our_results():
    text = TEXTS["array/numpy/fallback.pyi"]
    written = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    assert sorted(written) == sorted(fallback.__all__)
    assert [argument.arg for argument in written["interp"].args.args] == ["x", "xp", "fp", "left", "right", "period"]
    assert ast.unparse(written["allclose"].returns) == "bool"
    assert ast.unparse(written["nanmax"].returns) == "ndarray | onp.number[Any]"
    assert "interpolation" in [argument.arg for argument in written["nanquantile"].args.kwonlyargs]
    assert stub_official.results(fallback)["mirr"] == "NoReturn"


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
    assert {str(path.relative_to(tmp_path / "regluon")) for path in tmp_path.rglob("*.pyi")} == set(TEXTS)


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
