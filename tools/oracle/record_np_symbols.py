"""Records graphs of `mx.sym.np` with a real MXNet 1.9.1: their files, shapes and values.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_np_symbols                # writes tests/fixtures/np_symbols/graphs.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mxnet as mx
from mxnet import np, npx
from tools.oracle.np_symbol_programs import EXPRESSIONS, GRAPHS_ONLY

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "np_symbols"

DATA = {
    "x": [[1.5, 2.0, 3.0], [4.0, 0.5, 2.5]],
    "y": [[1.5, 1.0, 4.0], [2.0, 3.0, 2.5]],
    "v": [1.0, 2.0, 0.5],
    "w": [[1.0, 2.0], [0.5, 3.0], [2.0, 1.0]],
    "n": [1, 0],
}


def graph(expression: str) -> Any:
    space = {name: mx.sym.var(name).as_np_ndarray() for name in DATA}
    with mx.name.NameManager():
        return eval(expression, {"F": mx.sym, **space})


def values(symbol: Any) -> dict[str, Any]:
    given = {name: np.array(data, dtype="int32" if name == "n" else "float32") for name, data in DATA.items()}
    given = {name: array for name, array in given.items() if name in symbol.list_arguments()}
    results = symbol.bind(mx.cpu(), given).forward()
    shapes = symbol.infer_shape(**{name: array.shape for name, array in given.items()})[1]
    return {
        "class": type(results[0]).__name__,
        "shape": list(results[0].shape),
        "inferred": [list(shape) for shape in shapes],
        "dtype": str(results[0].dtype),
        "value": results[0].asnumpy().tolist(),
    }


def main() -> None:
    npx.set_np()
    recorded = {}
    for name, expression in {**EXPRESSIONS, **GRAPHS_ONLY}.items():
        symbol = graph(expression)
        case = {"expression": expression, "kind": type(symbol).__name__, "name": symbol.name, "json": symbol.tojson()}
        if name in EXPRESSIONS:
            case.update(values(symbol))
        recorded[name] = case
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "graphs.json").write_text(json.dumps({"data": DATA, "cases": recorded}, indent=1) + "\n")


if __name__ == "__main__":
    main()
