"""Writes the typed stubs of the functions and methods that are made from the operator registry.

    python tools/stubs.py            writes them
    python tools/stubs.py --check    fails if any is not what the registry says

Editors and type checkers read the stubs; Python reads the registry. This keeps the two equal.
"""

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from mxnet.dtypes import NAME_OF_TORCH
from mxnet.ndarray import linalg
from mxnet.ndarray.fluent import NAMES as METHODS
from mxnet.ndarray.sparse.op import __all__ as SPARSE
from mxnet.ops import registry
from mxnet.ops.registry import REQUIRED, Operator, Param

FOLDER = Path(__file__).parents[1] / "src" / "mxnet" / "ndarray"
HEAD = '''"""{title} Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .dense import NDArray

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any
'''


def _default(param: Param) -> str:
    if param.default is REQUIRED:
        return "..."
    if isinstance(param.default, torch.dtype):
        return repr(NAME_OF_TORCH[param.default])
    return repr(param.default)


def _result(operator: Operator) -> str:
    if not isinstance(operator.outputs, int):
        return "Any"
    return "NDArray" if operator.outputs == 1 else "list[NDArray]"


def _arguments(operator: Operator, skip_inputs: int) -> list[str]:
    if operator.variadic:
        arguments = [f"*{operator.inputs[0]}: NDArray"] if not skip_inputs else []
        if operator.count_param:
            arguments.append(f"{operator.count_param}: int = ...")
    else:
        arguments = [
            f"{name}: NDArray" if position < operator.num_required else f"{name}: NDArray | None = None"
            for position, name in list(enumerate(operator.inputs))[skip_inputs:]
        ]
    arguments += [f"{param.name}: {param.kind.stub} = {_default(param)}" for param in operator.params.values()]
    return [*arguments, "out: Any = None", "name: str | None = None", "**kwargs: Any"]


def _function(name: str, operator: Operator, *, method: bool = False) -> str:
    arguments = (["self"] if method else []) + _arguments(operator, skip_inputs=int(method))
    listed = "".join(f"    {argument},\n" for argument in arguments)
    doc = textwrap.indent(f'"""{operator.doc}\n"""' if "\n" in operator.doc else f'"""{operator.doc}"""', "    ")
    return f"def {name}(\n{listed}) -> {_result(operator)}:\n{doc}\n    ...\n"


def _functions(names: Iterable[str], title: str) -> str:
    """Each operator in full under one of its names; further names refer to that one."""
    parts = [HEAD.format(title=title)]
    written: dict[str, str] = {}
    # The registered name first, so that aliases refer to it where it stands in the same file.
    for name in sorted(names, key=lambda name: (registry.find(name).name != name, name)):
        operator = registry.find(name)
        first = written.setdefault(operator.name, name)
        parts.append(_function(name, operator) if first == name else f"{name} = {first}\n")
    return "\n".join(parts)


def _renamed(names: Iterable[str], prefix: str, source: str, title: str) -> str:
    """Functions that stand in a module of their own without the prefix of their registered names."""
    lines = [f"from {source} import {prefix}{name} as {name}" for name in sorted(names)]
    return f'"""{title} Made by tools/stubs.py from the operator registry; do not edit."""\n\n' + "\n".join(
        [*lines, "", f"__all__ = {sorted(names)!r}", ""]
    )


def _methods() -> str:
    body = "\n".join(_function(name, registry.find(name), method=True) for name in sorted(METHODS))
    head = HEAD.format(title="Methods of arrays that call the operator of the same name.")
    return f"{head}\nclass FluentMethods:\n{textwrap.indent(body, '    ')}"


def stubs() -> dict[Path, str]:
    """All stubs: path and text."""
    names = [name for name, _ in registry.names()]
    texts: dict[str, Any] = {
        "op.pyi": _functions([n for n in names if not n.startswith("_")], "All public operators on arrays."),
        "_internal.pyi": _functions([n for n in names if n.startswith("_")], "Internal forms of operators on arrays."),
        "linalg.pyi": _renamed(linalg.__all__, "_linalg_", "._internal", "Linear algebra on arrays."),
        "sparse/op.pyi": _renamed(SPARSE, "_sparse_", ".._internal", "Operators on sparse arrays."),
        "fluent.pyi": _methods(),
    }
    # An indented blank line would differ from what editors save.
    return {FOLDER / name: "\n".join(line.rstrip() for line in text.split("\n")) for name, text in texts.items()}


def main() -> int:
    """Writes or checks; returns the exit code."""
    stale = []
    for path, text in stubs().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
                print(f"wrote {path.name}")
    if stale and "--check" in sys.argv:
        print(f"stubs differ from the registry: {', '.join(path.name for path in stale)}. Run `make stubs`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
