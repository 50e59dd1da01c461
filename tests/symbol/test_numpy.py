"""Graphs of `mx.sym.np` are named, saved and computed as a real MXNet does it.

The expressions stand in `tools/oracle/np_symbol_programs.py`, the recorded graphs in `tests/fixtures/np_symbols`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

import mxnet as mx
from mxnet import np, npx
from mxnet.base import NotImplementedForSymbol
from regluon.ops.registry import find

RECORDED = json.loads((Path(__file__).resolve().parents[1] / "fixtures" / "np_symbols" / "graphs.json").read_text())
CASES, DATA = RECORDED["cases"], RECORDED["data"]

# Saved text that differs, and means the same.
OTHER_TEXT = {
    "np_abs": "absolute is one operator under two names",
    "np_ravel": "reshaping by np.reshape",
    "np_zeros_int": "a shape is always a tuple",
    "np_linspace": "the dtype is written",
    "np_zeros_like": "numbers are written as real ones",
    "np_ones_like": "numbers are written as real ones",
    "np_full_like": "numbers are written as real ones",
    "np_pad": "MXNet counts two nodes for one",
}


@pytest.fixture(autouse=True)
def numpy_semantics() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def symbol(name: str = "x") -> Any:
    return mx.sym.var(name).as_np_ndarray()


def graph(expression: str) -> Any:
    with mx.name.NameManager():
        return eval(expression, {"F": mx.sym, **{name: symbol(name) for name in DATA}})


def inputs(made: Any) -> dict[str, Any]:
    names = made.list_arguments()
    return {
        name: np.array(values, dtype="int32" if name == "n" else "float32")
        for name, values in DATA.items()
        if name in names
    }


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.sample(one_in=4)
def test_saved_graphs(name: str) -> None:
    case = CASES[name]
    made = graph(case["expression"])
    assert type(made).__name__ == case["kind"]
    if name not in OTHER_TEXT:
        assert made.name == case["name"]
        assert made.tojson() == case["json"]


@pytest.mark.parametrize("name", [name for name in OTHER_TEXT if name != "np_ravel"])
def test_other_text_means_the_same(name: str) -> None:
    case = CASES[name]
    ours, theirs = (json.loads(text)["nodes"][-1] for text in (graph(case["expression"]).tojson(), case["json"]))
    operator = find(ours["op"])
    assert operator is find(theirs["op"])
    assert operator.full_params(operator.parse(ours.get("attrs", {}))) == operator.full_params(
        operator.parse(theirs.get("attrs", {}))
    )


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "value" in case])
@pytest.mark.parametrize("loaded", [False, True], ids=["made", "loaded"])
@pytest.mark.sample(one_in=4)
def test_values(name: str, loaded: bool) -> None:
    case = CASES[name]
    made = mx.sym.load_json(case["json"]) if loaded else graph(case["expression"])
    given = inputs(made)
    found = made.bind(mx.cpu(), given).forward()[0]
    assert list(found.shape) == case["shape"]
    assert onp.dtype(found.dtype).name == case["dtype"].split(".")[-1].strip("'>_")
    expected = onp.array(case["value"], dtype="float64")
    onp.testing.assert_allclose(found.asnumpy().astype("float64"), expected, rtol=1e-4, atol=1e-5)
    shapes = made.infer_shape(**{key: array.shape for key, array in given.items()})[1]
    assert [list(shape) for shape in shapes] == case["inferred"]


def test_functions_on_symbols_are_those_on_arrays() -> None:
    missing = {"array", "empty", "may_share_memory", "ndarray", "nonzero", "shape", "shares_memory"}
    public = {name for name in dir(mx.nd.np) if callable(getattr(mx.nd.np, name)) and not name.startswith("_")}
    assert {name for name in public if not hasattr(mx.sym.np, name)} <= missing
    assert mx.sym.numpy is mx.sym.np
    assert mx.sym.numpy_extension is mx.sym.npx
    assert "relu" in dir(mx.sym.npx)
    assert "resize" in dir(mx.sym.npx.image)
    assert "add" in dir(mx.sym.np._internal)
    assert "sum" in dir(mx.sym.np._op)


def test_kinds() -> None:
    x = symbol()
    assert type(x) is mx.sym.np._Symbol
    assert type(x).__module__ == "mxnet.symbol.numpy"
    assert x.as_np_ndarray() is x
    assert type(x.as_nd_ndarray()) is mx.sym.Symbol
    assert type(mx.sym.relu(x)) is mx.sym.np._Symbol
    assert type(mx.sym.load_json((x + 1).tojson())) is mx.sym.Symbol
    assert type(copy.copy(x + 1)) is type(copy.deepcopy(x + 1)) is mx.sym.np._Symbol
    assert type((x + 1)(x=symbol("other"))) is mx.sym.np._Symbol
    assert mx.test_utils.np_symbol is mx.sym.np._Symbol


def test_groups() -> None:
    x = symbol()
    parts = mx.sym.np.split(x, 2)
    assert isinstance(parts, list)
    assert all(type(part) is mx.sym.np._Symbol for part in parts)
    assert type(mx.sym.Group(parts)) is mx.sym.Symbol
    group = mx.sym.Group(parts, mx.sym.np._Symbol)
    assert type(group) is mx.sym.np._Symbol
    assert len(group) == group.num_outputs == 2
    assert type(group[0]) is type(group[-1]) is mx.sym.np._Symbol
    assert len(list(group)) == 2
    assert repr(group).startswith("<_Symbol group [<_Symbol split")
    assert type(group[0:1]) is mx.sym.np._Symbol


@pytest.mark.parametrize("places", [2, (1,)])
@pytest.mark.parametrize(
    ("function", "axis", "operator"),
    [("hsplit", 1, "hsplit"), ("vsplit", 0, "split"), ("dsplit", 2, "dsplit"), ("array_split", 0, "split")],
)
def test_cutting(function: str, axis: int, operator: str, places: Any) -> None:
    parts = getattr(mx.sym.np, function)(symbol(), places)
    assert isinstance(parts, list)
    assert parts[0].name.rstrip("0123456789") == operator
    array = np.arange(16).reshape(2, 2, 4)
    wanted = onp.split(array.asnumpy(), places, axis)
    for part, expected in zip(parts, wanted, strict=True):
        assert (part.eval(x=array)[0].asnumpy() == expected).all()
    assert len(mx.sym.np.split(symbol(), 1)) == 1


def test_printing() -> None:
    assert repr(symbol()) == "<_Symbol x>"


@pytest.mark.parametrize(
    ("expression", "error", "text"),
    [
        ("len(x)", TypeError, "its length is known when it is computed"),
        ("list(x)", TypeError, "is one output and not iterable"),
        ("x[None]", IndexError, "expected integers, slices, or a tuple of them"),
        ("x[...]", IndexError, "shapes are not known yet"),
        ("x[[0]]", IndexError, "np.take"),
        ("x[::0]", ValueError, "the step of a slice cannot be 0"),
        ("x[0, ::0]", ValueError, "the step of a slice cannot be 0"),
        ("x.__setitem__(0, 1)", NotImplementedForSymbol, "is not available for Symbol"),
        ("x.__iadd__(1)", NotImplementedForSymbol, "__iadd__"),
        ("bool(x)", NotImplementedForSymbol, "bool"),
        ("x.asnumpy()", NotImplementedForSymbol, "asnumpy"),
        ("x.argmax(out=x)", NotImplementedForSymbol, "out="),
        ("x + np.ones((2,))", TypeError, "beside a Symbol; expected a Symbol or a number"),
        ("F.np.exp(np.ones((2,)))", TypeError, "expected symbols. Use mx.np.exp"),
        ("F.np.concatenate([np.ones((2,)), x])", TypeError, "expected symbols"),
        ("F.np.split(x, 'a')", ValueError, "expected a number of sections, or a tuple of indices"),
        ("x.reshape()", TypeError, "expected a shape"),
        ("x.reshape(2, order='F')", NotImplementedError, "only 'C'"),
        ("x.astype('int32', casting='safe')", ValueError, "casting='unsafe'"),
        ("F.npx.nothing(x)", AttributeError, "has no attribute 'nothing'"),
        ("F.np._internal.nothing(x)", AttributeError, "has no attribute 'nothing'"),
        ("hash(x)", TypeError, "unhashable"),
    ],
)
def test_refused(expression: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        eval(expression, {"x": symbol(), "F": mx.sym, "np": np})


def test_numbers_alone_are_computed_at_once() -> None:
    assert mx.sym.np.add(1, 2) == 3
    assert mx.sym.np.exp(0.0) == 1


def test_last_element() -> None:
    found = symbol()[-1].eval(x=np.arange(6).reshape(3, 2))[0]
    assert found.asnumpy().tolist() == [4, 5]
    assert symbol()[()].name == "x"


def test_operators_beyond_those_of_mxnet() -> None:
    x = symbol()
    made = (x @ x, abs(x), x.sum(), x.broadcast_to((2, 2, 2)), x.sort(axis=0), x.exp())
    array = np.array([[1.0, -2.0], [3.0, 0.5]])
    values = [each.eval(x=array)[0].asnumpy() for each in made]
    real = array.asnumpy()
    wanted = [real @ real, abs(real), real.sum(), onp.broadcast_to(real, (2, 2, 2)), onp.sort(real, 0), onp.exp(real)]
    for value, expected in zip(values, wanted, strict=True):
        onp.testing.assert_allclose(value, expected, rtol=1e-5)


def test_creation_makes_symbols_and_arrays_by_front_end() -> None:
    assert isinstance(mx.sym.np.zeros((2,)), mx.sym.np._Symbol)
    assert isinstance(mx.np.zeros((2,)), np.ndarray)
    with pytest.raises(TypeError):
        mx.sym.np.zeros()
    assert isinstance(mx.np.zeros((2,)), np.ndarray)  # after an error, too


def test_random_symbols_draw_numbers() -> None:
    for made in (
        mx.sym.np.random.uniform(2, 3, size=(100,)),
        mx.sym.np.random.normal(2.5, 0.01, size=(100,)),
        mx.sym.npx.random.bernoulli(1.0, size=(100,)) + 1.5,
        mx.sym.np.random.randint(2, 4, size=(100,)),
    ):
        values = made.bind(mx.cpu(), {}).forward()[0].asnumpy()
        assert values.shape == (100,)
        assert 2 <= values.mean() <= 3


def test_shapes_of_numbers_are_known() -> None:
    x = symbol()
    assert (x.sum() * 2).infer_shape(x=(2, 3))[1] == [()]
    assert (x + symbol("b")).infer_shape(x=(2, 1), b=(3,))[1] == [(2, 3)]
    assert (x > 0).infer_type(x="float32")[1] == [onp.bool_]


def test_gradients_of_an_executor() -> None:
    x = np.array([1.0, 2.0, 3.0])
    gradient = np.zeros((3,))
    executor = (symbol() ** 2).sum().bind(mx.cpu(), {"x": x}, {"x": gradient})
    executor.forward(is_train=True)
    executor.backward()
    assert gradient.asnumpy().tolist() == [2, 4, 6]


def test_contexts_are_written() -> None:
    with mx.cpu(1):
        made = mx.sym.np.zeros((2,))
    assert made.list_attr()["ctx"] == "cpu(1)"
    assert mx.sym.np.ones((2,), ctx=mx.cpu(2)).list_attr()["ctx"] == "cpu(2)"


def test_loading_with_numpys_rules(tmp_path: Path) -> None:
    made = symbol()[1:] + 1
    made.save(str(tmp_path / "graph.json"))
    for loaded in (
        mx.sym.numpy._symbol.load(str(tmp_path / "graph.json")),
        mx.sym.numpy._symbol.load_json(made.tojson()),
    ):
        assert type(loaded) is mx.sym.np._Symbol
        assert loaded.tojson() == made.tojson()
