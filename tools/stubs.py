"""Writes the typed stubs of the functions and methods that are made from the operator registry.

    python tools/stubs.py                     writes them into src/regluon
    python tools/stubs.py --package folder    writes them into another copy of the package

Editors and type checkers read the stubs; Python reads the registry. They are not kept in git: `make stubs` and `make
check` write them, and packaging puts them into wheels (packaging/typed_stubs.py). tools/type_check.py tries them.
"""

import argparse
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a file, it has its own folder there

from regluon.array import image, linalg, np, npx
from regluon.array.fluent import NAMES as ARRAY_METHODS
from regluon.array.numpy import fallback, fallback_linalg
from regluon.array.register import names_after
from regluon.array.sparse.op import __all__ as SPARSE
from regluon.ops import registry
from regluon.symbol.fluent import NAMES as SYMBOL_METHODS
from regluon.symbol.random_op import __all__ as RANDOM_LIKE
from regluon.symbol.sparse import __all__ as SYMBOL_SPARSE
from tools import stub_official
from tools.stub_functions import World, function, functions, renamed

PACKAGE = Path(__file__).parents[1] / "src" / "regluon"
# Of `F`, what no operator stands for: functions written by hand, and modules.
WRITTEN = ("arange", "eye", "full", "histogram", "linspace", "maximum", "minimum", "ones", "power", "split_v2", "zeros")
MODULES = ("_internal", "contrib", "image", "linalg", "np", "npx", "random", "sparse")
OPERATORS = '''
from typing import TypeVar

import regluon.array as _nd
from regluon.symbol.symbol import Symbol

__all__ = ["ArrayOrSymbol", "Operators", "Result"]

ArrayOrSymbol = TypeVar("ArrayOrSymbol", bound=NDArray | Symbol)

class Result(NDArray, Any):
    """What a block takes or returns where nothing says it better: mostly an array; it may stand for anything."""

class Operators:
    """The functions and modules that mx.nd and mx.sym both have."""

'''
_OUT = "out: {0} | Sequence[{0}] | None = None"

ARRAYS = World(
    *("array", "arrays", "regluon.array.dense", "NDArray", "list[NDArray]"),
    last=(_OUT.format("NDArray"), "name: str | None = None"),
    methods=ARRAY_METHODS,
)
NUMPY_ARRAYS = World(
    *("array", "arrays", "regluon.array.numpy.array", "ndarray", "list[ndarray]"),
    last=(_OUT.format("ndarray"), "name: str | None = None"),
)
SYMBOLS = World(
    *("symbol", "symbols", "regluon.symbol.symbol", "Symbol", "Symbol"),
    last=("name: str | None = None", "attr: dict[str, str] | None = None", "out: Any = None"),
    methods=SYMBOL_METHODS,
    fills_in=True,
    attributes="Unpack[_Attributes]",
)
# What `F` has in `hybrid_forward`: it may be either, and most that is written there is true of both.
EITHER = World(
    *("", "arrays or symbols", "regluon.array.dense", "NDArray", "list[NDArray]"),
    last=(*SYMBOLS.last[:2], ARRAYS.last[0]),
    fills_in=True,
)


def _methods(world: World) -> str:
    body = "\n".join(function(name, registry.find(name), world, method=True) for name in sorted(world.methods))
    head = world.head(f"Methods of {world.things} that call the operator of the same name.")
    return f"{head}\nclass FluentMethods:\n{textwrap.indent(body, '    ')}"


def _world_stubs(world: World) -> dict[str, str]:
    names = [name for name, _ in registry.names()]
    public, internal = [n for n in names if not n.startswith("_")], [n for n in names if n.startswith("_")]
    things = world.things
    texts = {
        "op.pyi": functions(dict(zip(public, public)), world, f"All public operators on {things}."),
        "_internal.pyi": functions(dict(zip(internal, internal)), world, f"Internal forms of operators on {things}."),
        "linalg.pyi": renamed(linalg.__all__, "_linalg_", "._internal", f"Linear algebra on {things}."),
        "image.pyi": renamed(image.__all__, "_image_", "._internal", f"Functions on {things} that hold images."),
        "fluent.pyi": _methods(world),
        "contrib_op.pyi": renamed(names_after("_contrib_"), "_contrib_", "._internal", f"Contributed to {things}."),
    }
    return {f"{world.folder}/{name}": text for name, text in texts.items()}


def _numpy_stubs() -> dict[str, str]:
    """The operators of `mx.np` and `mx.npx` by module."""
    modules = {
        "numpy/_internal": ("_npi_", np._internal, "Operators behind mx.np."),
        "numpy/_op": ("_np_", np._op, "Operators that are functions of mx.np as they stand."),
        "numpy_extension/op": ("_npx_", npx.op, "Operators of mx.npx."),
        "numpy_extension/image": ("_npx__image_", npx.image, "Operators of mx.npx.image."),
    }
    return {
        path: functions({name: prefix + name for name in dir(module)}, NUMPY_ARRAYS, title)
        for path, (prefix, module, title) in modules.items()
    }


def _operators_of_f() -> str:
    """The class of `F` in `hybrid_forward`: the functions that `mx.nd` and `mx.sym` both have, and their modules."""
    public = [name for name, _ in registry.names() if not name.startswith("_") and name not in WRITTEN]
    parts = [function(name, registry.find(name), EITHER, static=True) for name in sorted(public)]
    parts += [f"{name} = staticmethod(_nd.{name})" for name in WRITTEN]
    parts += [f"{name} = _nd.{name}" for name in MODULES]
    return f"{EITHER.head('What F is in hybrid_forward.')}{OPERATORS}{textwrap.indent(chr(10).join(parts), '    ')}\n"


def stubs() -> dict[str, str]:
    """All stubs: path in the package, and text."""
    sparse = renamed(SPARSE, "_sparse_", ".._internal", "Operators on sparse arrays.")
    texts = {**_world_stubs(ARRAYS), **_world_stubs(SYMBOLS), "array/sparse/op.pyi": sparse}
    texts["operators.pyi"] = _operators_of_f()
    texts |= {f"array/{name}.pyi": text for name, text in _numpy_stubs().items()}
    texts["array/numpy/fallback.pyi"] = stub_official.stub(fallback, "Functions that NumPy carries out.")
    texts["array/numpy/fallback_linalg.pyi"] = stub_official.stub(fallback_linalg, "Linear algebra of NumPy's.")
    texts["symbol/random_op.pyi"] = renamed(RANDOM_LIKE, "_random_", "._internal", "Random symbols like others.")
    on_sparse = renamed(set(SYMBOL_SPARSE) - {"cast_storage"}, "_sparse_", "._internal", "Symbols of sparse arrays.")
    texts["symbol/sparse.pyi"] = (
        f"{on_sparse}__all__ += ['cast_storage']\n\nfrom .op import cast_storage as cast_storage\n"
    )
    texts["symbol/_internal.pyi"] += "\n_copyto = _copy\n"
    # An indented blank line would differ from what editors save.
    return {name: "\n".join(line.rstrip() for line in text.split("\n")) for name, text in texts.items()}


def write(package: Path) -> list[str]:
    """Writes the stubs that are not there or differ into a package's folder; returns their paths in it."""
    written = []
    for name, text in stubs().items():
        path = package / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written.append(name)
    return written


def main() -> None:
    """Writes, and says what."""
    parser = argparse.ArgumentParser(description="Writes the typed stubs of operators.")
    parser.add_argument("--package", type=Path, default=PACKAGE, help="the folder of the package that gets them")
    for name in write(parser.parse_args().package):
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
