"""Writes the typed stubs of the functions and methods that are made from the operator registry.

    python tools/stubs.py                     writes them into src/mxnet
    python tools/stubs.py --package folder    writes them into another copy of the package

Editors and type checkers read the stubs; Python reads the registry. They are not kept in git: `make stubs` and `make
check` write them, and packaging puts them into wheels (packaging/typed_stubs.py). tools/type_check.py tries them.
"""

import argparse
import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import torch

from mxnet.dtypes import NAME_OF_TORCH
from mxnet.graph.attributes import HIDDEN_KEYS
from mxnet.ndarray import image, linalg, np, npx
from mxnet.ndarray.fluent import NAMES as ARRAY_METHODS
from mxnet.ndarray.register import names_after
from mxnet.ndarray.sparse.op import __all__ as SPARSE
from mxnet.ops import registry
from mxnet.ops.registry import REQUIRED, Operator, Param
from mxnet.symbol.fluent import NAMES as SYMBOL_METHODS
from mxnet.symbol.random_op import __all__ as RANDOM_LIKE
from mxnet.symbol.sparse import __all__ as SYMBOL_SPARSE

PACKAGE = Path(__file__).parents[1] / "src" / "mxnet"
HEAD = '''"""{title} Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from mxnet.context import Context
from {module} import {name}

_Shape: TypeAlias = int | Sequence[int]
_Floats: TypeAlias = float | Sequence[float]
_DType: TypeAlias = Any
'''
# Kinds of parameters by what params.py calls them; names of a stub that are no functions begin with an underscore.
ALIASES = {"Shape": "_Shape", "Floats": "_Floats", "DTypeLike": "_DType"}
# What `sym.<operator>` takes beside the operator's own: marks of a node, by the names that MXNet and its graphs know.
MARKS = (*HIDDEN_KEYS, *(f"__{key}__" for key in (*HIDDEN_KEYS, "layout", "init", "shape", "dtype", "profiler_scope")))
ATTRIBUTES = f"""from typing_extensions import TypedDict, Unpack

_Attributes = TypedDict("_Attributes", {{{", ".join(f'"{key}": Any' for key in MARKS)}}}, total=False)
"""


class World(NamedTuple):
    """Where operators work, on arrays or on symbols, and what their functions look like there.

    Attributes:
        folder: whose stubs these are.
        things: what the operators work on, in words.
        module: where the class of inputs and results is defined.
        name: that class.
        several: what an operator with several outputs returns.
        last: the arguments after the operator's own.
        methods: names of the methods that call an operator.
        fills_in: whether inputs that are left out become variables.
        attributes: the type of further keywords, which become attributes of a node of a graph.
    """

    folder: str
    things: str
    module: str
    name: str
    several: str
    last: tuple[str, ...]
    methods: tuple[str, ...] = ()
    fills_in: bool = False
    attributes: str | None = None

    def head(self, title: str) -> str:
        """The beginning of a stub that defines functions."""
        text = HEAD.format(title=title, module=self.module, name=self.name)
        return f"{text}\n{ATTRIBUTES}" if self.attributes else text


# Of `F`, what no operator stands for: functions written by hand, and modules.
WRITTEN = ("arange", "eye", "full", "histogram", "linspace", "maximum", "minimum", "ones", "power", "split_v2", "zeros")
MODULES = ("_internal", "contrib", "image", "linalg", "np", "npx", "random", "sparse")
OPERATORS = '''
from typing import TypeVar

import mxnet.ndarray as _nd
from mxnet.symbol.symbol import Symbol

__all__ = ["ArrayOrSymbol", "Operators", "Result"]

ArrayOrSymbol = TypeVar("ArrayOrSymbol", bound=NDArray | Symbol)

class Result(NDArray, Any):
    """What a block takes or returns where nothing says it better: mostly an array; it may stand for anything."""

class Operators:
    """The functions and modules that mx.nd and mx.sym both have."""

'''
_OUT = "out: {0} | Sequence[{0}] | None = None"

ARRAYS = World(
    *("ndarray", "arrays", "mxnet.ndarray.dense", "NDArray", "list[NDArray]"),
    last=(_OUT.format("NDArray"), "name: str | None = None"),
    methods=ARRAY_METHODS,
)
NUMPY_ARRAYS = World(
    *("ndarray", "arrays", "mxnet.ndarray.numpy.array", "ndarray", "list[ndarray]"),
    last=(_OUT.format("ndarray"), "name: str | None = None"),
)
SYMBOLS = World(
    *("symbol", "symbols", "mxnet.symbol.symbol", "Symbol", "Symbol"),
    last=("name: str | None = None", "attr: dict[str, str] | None = None", "out: Any = None"),
    methods=SYMBOL_METHODS,
    fills_in=True,
    attributes="Unpack[_Attributes]",
)
# What `F` has in `hybrid_forward`: it may be either, and most that is written there is true of both.
EITHER = World(
    *("gluon", "arrays or symbols", "mxnet.ndarray.dense", "NDArray", "list[NDArray]"),
    last=(*SYMBOLS.last[:2], ARRAYS.last[0]),
    fills_in=True,
)


def _default(param: Param) -> str:
    if param.default is REQUIRED:
        return "..."
    if isinstance(param.default, torch.dtype):
        return repr(NAME_OF_TORCH[param.default])
    return repr(param.default)


def _result(operator: Operator, world: World) -> str:
    if not isinstance(operator.outputs, int):
        return "Any" if world.several != world.name else world.name
    return world.name if operator.outputs == 1 else world.several


def _type(param: Param) -> str:
    written = re.sub(r"\b(" + "|".join(ALIASES) + r")\b", lambda found: ALIASES[found[0]], param.kind.stub)
    is_optional = param.default is None and written != "Any" and "None" not in written.split(" | ")
    return f"{written} | None" if is_optional else written


def _arguments(operator: Operator, world: World, skip_inputs: int) -> list[str]:
    if operator.variadic:
        # All in one list will do as well.
        arguments = [f"*{operator.inputs[0]}: {world.name} | Sequence[{world.name}]"] if not skip_inputs else []
        if operator.count_param:
            arguments.append(f"{operator.count_param}: int = ...")
    else:
        needed = 0 if world.fills_in else operator.num_required
        arguments = [
            f"{name}: {world.name}" if position < needed else f"{name}: {world.name} | None = None"
            for position, name in list(enumerate(operator.inputs))[skip_inputs:]
        ]
    for param in operator.params.values():
        # Python has none without a default after one that has it.
        is_needed = param.default is REQUIRED and not any(" = " in argument for argument in arguments)
        arguments.append(f"{param.name}: {_type(param)}" + ("" if is_needed else f" = {_default(param)}"))
    arguments += [argument for argument in world.last if argument.split(":")[0] not in operator.params]
    rest = "Any" if operator.free_params else world.attributes
    return [*arguments, f"**kwargs: {rest}"] if rest else arguments


def _function(name: str, operator: Operator, world: World, *, method: bool = False) -> str:
    """The text of a function, or of a method, whose first input is the object itself."""
    arguments = (["self"] if method else []) + _arguments(operator, world, skip_inputs=int(method))
    listed = "".join(f"    {argument},\n" for argument in arguments)
    doc = textwrap.indent(f'"""{operator.doc}\n"""' if "\n" in operator.doc else f'"""{operator.doc}"""', "    ")
    return f"def {name}(\n{listed}) -> {_result(operator, world)}:\n{doc}\n    ...\n"


def _functions(named: Mapping[str, str], world: World, title: str) -> str:
    """Each operator in full under one of its names; further names refer to that one."""
    parts = [world.head(title)]
    written: dict[str, str] = {}
    # The registered name first, so that aliases refer to it where it stands in the same file.
    for name in sorted(named, key=lambda name: (registry.find(named[name]).name != name, name)):
        operator = registry.find(named[name])
        first = written.setdefault(operator.name, name)
        parts.append(_function(name, operator, world) if first == name else f"{name} = {first}\n")
    return "\n".join([*parts, f"__all__ = {sorted(named)!r}\n"])


def _renamed(names: Iterable[str], prefix: str, source: str, title: str) -> str:
    """Functions that stand in a module of their own without the prefix of their registered names."""
    lines = [f"from {source} import {prefix}{name} as {name}" for name in sorted(names)]
    return f'"""{title} Made by tools/stubs.py from the operator registry; do not edit."""\n\n' + "\n".join(
        [*lines, "", f"__all__ = {sorted(names)!r}", ""]
    )


def _methods(world: World) -> str:
    body = "\n".join(_function(name, registry.find(name), world, method=True) for name in sorted(world.methods))
    head = world.head(f"Methods of {world.things} that call the operator of the same name.")
    return f"{head}\nclass FluentMethods:\n{textwrap.indent(body, '    ')}"


def _world_stubs(world: World) -> dict[str, str]:
    names = [name for name, _ in registry.names()]
    public, internal = [n for n in names if not n.startswith("_")], [n for n in names if n.startswith("_")]
    things = world.things
    texts = {
        "op.pyi": _functions(dict(zip(public, public)), world, f"All public operators on {things}."),
        "_internal.pyi": _functions(dict(zip(internal, internal)), world, f"Internal forms of operators on {things}."),
        "linalg.pyi": _renamed(linalg.__all__, "_linalg_", "._internal", f"Linear algebra on {things}."),
        "image.pyi": _renamed(image.__all__, "_image_", "._internal", f"Functions on {things} that hold images."),
        "fluent.pyi": _methods(world),
        "contrib_op.pyi": _renamed(names_after("_contrib_"), "_contrib_", "._internal", f"Contributed to {things}."),
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
        path: _functions({name: prefix + name for name in dir(module)}, NUMPY_ARRAYS, title)
        for path, (prefix, module, title) in modules.items()
    }


def _operators_of_f() -> str:
    """The class of `F` in `hybrid_forward`: the functions that `mx.nd` and `mx.sym` both have, and their modules."""
    public = [name for name, _ in registry.names() if not name.startswith("_") and name not in WRITTEN]
    parts = [f"@staticmethod\n{_function(name, registry.find(name), EITHER)}" for name in sorted(public)]
    parts += [f"{name} = staticmethod(_nd.{name})" for name in WRITTEN]
    parts += [f"{name} = _nd.{name}" for name in MODULES]
    return f"{EITHER.head('What F is in hybrid_forward.')}{OPERATORS}{textwrap.indent(chr(10).join(parts), '    ')}\n"


def stubs() -> dict[str, str]:
    """All stubs: path in the package, and text."""
    sparse = _renamed(SPARSE, "_sparse_", ".._internal", "Operators on sparse arrays.")
    texts = {**_world_stubs(ARRAYS), **_world_stubs(SYMBOLS), "ndarray/sparse/op.pyi": sparse}
    texts["gluon/operators.pyi"] = _operators_of_f()
    texts |= {f"ndarray/{name}.pyi": text for name, text in _numpy_stubs().items()}
    texts["symbol/random_op.pyi"] = _renamed(RANDOM_LIKE, "_random_", "._internal", "Random symbols like others.")
    on_sparse = _renamed(set(SYMBOL_SPARSE) - {"cast_storage"}, "_sparse_", "._internal", "Symbols of sparse arrays.")
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
