"""Writes the typed stubs of the functions and methods that are made from the operator registry.

    python tools/stubs.py                     writes them into src/mxnet
    python tools/stubs.py --package folder    writes them into another copy of the package
    python tools/stubs.py --check             then lets mypy check tools/stubs_sample.py, which uses them

Editors and type checkers read the stubs; Python reads the registry. They are not kept in git: `make stubs` and `make
check` write them, and packaging puts them into wheels (packaging/typed_stubs.py).
"""

import argparse
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import torch

from mxnet.dtypes import NAME_OF_TORCH
from mxnet.ndarray import image, linalg, np, npx
from mxnet.ndarray.fluent import NAMES as ARRAY_METHODS
from mxnet.ndarray.sparse.op import __all__ as SPARSE
from mxnet.ops import registry
from mxnet.ops.registry import REQUIRED, Operator, Param
from mxnet.symbol.fluent import NAMES as SYMBOL_METHODS

PACKAGE = Path(__file__).parents[1] / "src" / "mxnet"
SAMPLE = Path(__file__).with_name("stubs_sample.py")
HEAD = '''"""{title} Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from {module} import {name}

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any
'''


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
    """

    folder: str
    things: str
    module: str
    name: str
    several: str
    last: tuple[str, ...]
    methods: tuple[str, ...]

    def head(self, title: str) -> str:
        """The beginning of a stub that defines functions."""
        return HEAD.format(title=title, module=self.module, name=self.name)


ARRAYS = World(
    *("ndarray", "arrays", ".dense", "NDArray", "list[NDArray]"),
    last=("out: Any = None", "name: str | None = None", "**kwargs: Any"),
    methods=ARRAY_METHODS,
)
SYMBOLS = World(
    *("symbol", "symbols", ".symbol", "Symbol", "Symbol"),
    last=("name: str | None = None", "attr: dict[str, str] | None = None", "out: Any = None", "**kwargs: Any"),
    methods=SYMBOL_METHODS,
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


def _arguments(operator: Operator, world: World, skip_inputs: int) -> list[str]:
    if operator.variadic:
        arguments = [f"*{operator.inputs[0]}: {world.name}"] if not skip_inputs else []
        if operator.count_param:
            arguments.append(f"{operator.count_param}: int = ...")
    else:
        # A graph makes variables for inputs that are left out.
        needed = operator.num_required if world is ARRAYS else 0
        arguments = [
            f"{name}: {world.name}" if position < needed else f"{name}: {world.name} | None = None"
            for position, name in list(enumerate(operator.inputs))[skip_inputs:]
        ]
    arguments += [f"{param.name}: {param.kind.stub} = {_default(param)}" for param in operator.params.values()]
    return [*arguments, *(argument for argument in world.last if argument.split(":")[0] not in operator.params)]


def _function(name: str, operator: Operator, world: World, *, method: bool = False) -> str:
    arguments = (["self"] if method else []) + _arguments(operator, world, skip_inputs=int(method))
    listed = "".join(f"    {argument},\n" for argument in arguments)
    doc = textwrap.indent(f'"""{operator.doc}\n"""' if "\n" in operator.doc else f'"""{operator.doc}"""', "    ")
    return f"def {name}(\n{listed}) -> {_result(operator, world)}:\n{doc}\n    ...\n"


def _functions(names: Iterable[str], world: World, title: str) -> str:
    """Each operator in full under one of its names; further names refer to that one."""
    parts = [world.head(title)]
    written: dict[str, str] = {}
    # The registered name first, so that aliases refer to it where it stands in the same file.
    for name in sorted(names, key=lambda name: (registry.find(name).name != name, name)):
        operator = registry.find(name)
        first = written.setdefault(operator.name, name)
        parts.append(_function(name, operator, world) if first == name else f"{name} = {first}\n")
    return "\n".join(parts)


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
        "op.pyi": _functions(public, world, f"All public operators on {things}."),
        "_internal.pyi": _functions(internal, world, f"Internal forms of operators on {things}."),
        "linalg.pyi": _renamed(linalg.__all__, "_linalg_", "._internal", f"Linear algebra on {things}."),
        "image.pyi": _renamed(image.__all__, "_image_", "._internal", f"Functions on {things} that hold images."),
        "fluent.pyi": _methods(world),
    }
    return {f"{world.folder}/{name}": text for name, text in texts.items()}


def _numpy_stubs() -> dict[str, str]:
    """The operators of `mx.np` and `mx.npx` by module; they stand in full among the internal ones."""
    modules = {
        "numpy/_internal": ("_npi_", np._internal, "Operators behind mx.np."),
        "numpy/_op": ("_np_", np._op, "Operators that are functions of mx.np as they stand."),
        "numpy_extension/op": ("_npx_", npx.op, "Operators of mx.npx."),
        "numpy_extension/image": ("_npx__image_", npx.image, "Operators of mx.npx.image."),
    }
    return {
        path: _renamed(dir(module), prefix, ".._internal", title) for path, (prefix, module, title) in modules.items()
    }


def stubs() -> dict[str, str]:
    """All stubs: path in the package, and text."""
    sparse = _renamed(SPARSE, "_sparse_", ".._internal", "Operators on sparse arrays.")
    texts = {**_world_stubs(ARRAYS), **_world_stubs(SYMBOLS), "ndarray/sparse/op.pyi": sparse}
    texts |= {f"ndarray/{name}.pyi": text for name, text in _numpy_stubs().items()}
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


def main() -> int:
    """Writes; with `--check`, has a program checked that uses what was written. Returns the exit code."""
    parser = argparse.ArgumentParser(description="Writes the typed stubs of operators.")
    parser.add_argument("--package", type=Path, default=PACKAGE, help="the folder of the package that gets them")
    parser.add_argument("--check", action="store_true", help="also let mypy check a program that uses them")
    given = parser.parse_args()
    for name in write(given.package):
        print(f"wrote {name}")
    command = [sys.executable, "-m", "mypy", str(SAMPLE)]
    return subprocess.run(command, cwd=SAMPLE.parents[1], check=False).returncode if given.check else 0


if __name__ == "__main__":
    sys.exit(main())
