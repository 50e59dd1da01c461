"""Keeps the layers apart: imports go downward only and stand at the top of a file, and no text is run as code."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCES = Path(__file__).resolve().parent.parent / "src"

# Modules and packages directly under src/regluon, lowest floor first. Each imports from the floors below it and from
# itself; those that share a floor do not import each other.
ENGINE_FLOORS = (
    # Foundations.
    ("base", "dtype_flags", "suggestions", "scopes", "call_repr", "version"),
    ("errors",),
    ("arguments",),
    ("config", "dtypes"),
    ("distributed", "torch_private", "tracebacks"),
    ("context",),
    ("rng",),
    # From files to programs.
    ("formats",),
    ("native",),
    ("features", "kernels"),
    ("ops",),
    ("graph",),
    ("compiler",),
    ("autograd",),
    # Arrays and symbols.
    ("runtime",),
    ("array",),
    ("symbol", "data"),
    ("operators",),
    # Features beside MXNet's.
    ("convert",),
    ("cli",),
)
# Modules and packages directly under src/mxnet, above the engine. `mxnet` itself imports all, none imports it.
INTERFACE_FLOORS = (
    ("attribute", "base", "context", "error", "libinfo", "log", "name", "runtime"),
    ("launch", "library", "ndarray", "ndarray_doc", "recordio", "registry", "tools"),
    ("autograd", "engine", "random", "util"),
    ("symbol", "symbol_doc"),
    ("numpy", "numpy_extension", "executor", "operator", "rtc"),
    # Parts of training.
    ("initializer", "lr_scheduler", "_event_files", "numpy_dispatch_protocol", "numpy_op_signature"),
    ("profiler", "visualization"),
    ("_numpy_op_doc", "io", "metric", "optimizer"),
    ("image", "kvstore"),
    ("gluon",),
    ("torch",),
    # Legacy interfaces and commands.
    ("executor_manager",),
    ("callback", "monitor", "notebook"),
    ("model",),
    ("module",),
    ("rnn",),
    ("contrib",),
    ("onnx", "test_utils", "_commands"),
    ("_former", "_hints"),
    ("__main__",),
)
FLOORS = (
    *(tuple(f"regluon.{name}" for name in names) for names in ENGINE_FLOORS),
    *(tuple(f"mxnet.{name}" for name in names) for names in INTERFACE_FLOORS),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Rooms that may import torch. The others call operators, so that tracing and export see everything.
TORCH_ROOMS = {
    *(f"regluon.{name}" for name in ("dtypes", "config", "context", "rng", "distributed", "torch_private", "native")),
    *(f"regluon.{name}" for name in ("kernels", "ops", "graph", "compiler", "autograd", "runtime", "array", "symbol")),
    *(f"regluon.{name}" for name in ("data", "features")),
    *("mxnet.kvstore", "mxnet.test_utils", "mxnet.util"),
    "mxnet._event_files",  # torch writes them
    "mxnet._commands",  # `doctor` reports torch's version and features, `bench` measures torch too
    "mxnet.torch",  # blocks as modules
}
# Modules of other rooms that may: they join Gluon and modules of torch.
TORCH_MODULES = {"mxnet.gluon._torch_parameter", "mxnet.gluon.contrib._torch_block"}
TORCH_PACKAGES = ("regluon.convert.torch_export.",)

# Modules that import by name: former module paths, which pickles contain.
IMPORTERS = {"mxnet._former.module_paths"}

# What the foundations may import besides each other, the standard library and, where the list above says so, torch.
FOUNDATION_PACKAGES = {"numpy", "torch"}
FOUNDATIONS = {room for rooms in FLOORS[: FLOOR_OF["regluon.formats"]] for room in rooms}

PACKAGES = ("regluon", "mxnet")
RUNS_TEXT = {"exec", "eval", "__import__", "importlib.import_module", "import_module"}
UNPICKLERS = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}


class Import(NamedTuple):
    """One import statement's target, as an absolute dotted path."""

    target: str
    line: int
    in_function: bool
    for_types_only: bool


class Module:
    """A source file: its dotted name, its tree, and what it imports."""

    def __init__(self, path: Path, sources: Path) -> None:
        parts = path.relative_to(sources).with_suffix("").parts
        self.path = path
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.room = ".".join(self.name.split(".")[:2])
        self.tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        self.imports = list(self._walk(self.tree, False, False))

    def at(self, line: int) -> str:
        return f"{self.path.relative_to(SOURCES) if self.path.is_relative_to(SOURCES) else self.path}:{line}"

    def _walk(self, node: ast.AST, in_function: bool, for_types_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(alias.name, child.lineno, in_function, for_types_only)
            elif isinstance(child, ast.ImportFrom):
                origin = self._origin(child)
                for alias in child.names:
                    yield Import(f"{origin}.{alias.name}", child.lineno, in_function, for_types_only)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for statement in child.body:
                    yield from self._walk(ast.Module([statement], []), in_function, True)
                for statement in child.orelse:
                    yield from self._walk(ast.Module([statement], []), in_function, for_types_only)
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from self._walk(child, in_function or function, for_types_only)

    def _origin(self, node: ast.ImportFrom) -> str:
        """The absolute name of what stands after `from`."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        up = node.level - (1 if self.is_package else 0)
        package = parts[: len(parts) - up] if up else parts
        return ".".join([*package, *([node.module] if node.module else [])])


def read_modules(sources: Path = SOURCES) -> dict[str, Module]:
    modules = (Module(path, sources) for top in PACKAGES for path in sorted((sources / top).rglob("*.py")))
    return {module.name: module for module in modules}


MODULES = read_modules()


def own_module(target: str, modules: dict[str, Module]) -> str | None:
    """The longest part of an import's target that is a module of the package; None for other packages."""
    parts = target.split(".")
    if parts[0] not in PACKAGES:
        return None
    while len(parts) > 1 and ".".join(parts) not in modules:
        parts.pop()
    return ".".join(parts)


def room_of(target: str) -> str | None:
    """The room an import's target lies in: None for other packages, the package's name for its `__init__`."""
    parts = target.split(".")
    if parts[0] not in PACKAGES:
        return None
    room = ".".join(parts[:2])
    return room if room in FLOOR_OF else parts[0]


def layer_faults(modules: dict[str, Module]) -> list[str]:
    faults = []
    for module in modules.values():
        if module.room not in FLOOR_OF:
            continue
        for found in module.imports:
            room = room_of(found.target)
            if room is None or room == module.room:
                continue
            where = f"{module.at(found.line)}: {module.room} imports {found.target}"
            if room in PACKAGES:
                faults.append(f"{where}, which lies in no room below it; import from the module that defines it.")
            elif FLOOR_OF[room] >= FLOOR_OF[module.room]:
                faults.append(f"{where}, but {room} does not stand below {module.room}: see FLOORS in this test.")
    return faults


def import_cycle(modules: dict[str, Module]) -> list[str]:
    """One cycle of modules that need each other to be imported, or an empty list."""
    needs = {
        name: sorted(
            {
                needed
                for found in module.imports
                if not found.for_types_only and not found.in_function
                if (needed := own_module(found.target, modules)) in modules and needed != name
            }
        )
        for name, module in modules.items()
    }
    finished: set[str] = set()

    def search(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in finished:
            return []
        for needed in needs[name]:
            if cycle := search(needed, [*path, name]):
                return cycle
        finished.add(name)
        return []

    for name in needs:
        if cycle := search(name, []):
            return cycle
    return []


def hidden_imports(modules: dict[str, Module]) -> list[str]:
    return [
        f"{module.at(found.line)}: {found.target} is imported inside a function; move it to the top of the file."
        for module in modules.values()
        for found in module.imports
        if found.in_function and room_of(found.target)
    ]


def torch_faults(modules: dict[str, Module]) -> list[str]:
    return [
        f"{module.at(found.line)}: {module.room} imports {found.target}; only {', '.join(sorted(TORCH_ROOMS))} may "
        "touch torch. Call an operator instead."
        for module in modules.values()
        for found in module.imports
        if found.target.split(".")[0] == "torch" and module.room not in TORCH_ROOMS
        if module.name not in TORCH_MODULES and not f"{module.name}.".startswith(TORCH_PACKAGES)
    ]


def code_from_text(modules: dict[str, Module]) -> list[str]:
    """Calls that turn text or bytes of a file into running code."""
    faults = []
    for module in modules.values():
        for found in module.imports:
            if found.target.split(".")[0] in UNPICKLERS:
                faults.append(f"{module.at(found.line)}: imports {found.target}; no file or socket is ever unpickled.")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called.removeprefix("builtins.") in RUNS_TEXT and module.name not in IMPORTERS:
                    faults.append(f"{module.at(node.lineno)}: calls {called}; parse the text instead of running it.")
                elif called == "torch.load":
                    faults.append(f"{module.at(node.lineno)}: calls torch.load, which unpickles; read .safetensors.")
                elif any(
                    key.arg == "allow_pickle" and not (isinstance(key.value, ast.Constant) and key.value.value is False)
                    for key in node.keywords
                ):
                    faults.append(f"{module.at(node.lineno)}: allow_pickle must be False.")
    return faults


def test_every_room_has_a_floor() -> None:
    rooms = {module.room for module in MODULES.values()} - set(PACKAGES)
    unknown = sorted(rooms - set(FLOOR_OF))
    assert not unknown, (
        f"{unknown} stand on no floor yet; add each to FLOORS in tests/test_layers.py, above what it needs."
    )


def test_no_room_is_listed_twice() -> None:
    assert len(FLOOR_OF) == sum(len(rooms) for rooms in FLOORS)
    assert not TORCH_ROOMS - set(FLOOR_OF)


def test_layers_import_downward_only() -> None:
    faults = layer_faults(MODULES)
    assert not faults, "\n".join(faults)


def test_the_engine_does_not_import_the_interface() -> None:
    faults = [
        f"{module.at(found.line)}: regluon imports {found.target}"
        for module in MODULES.values()
        if module.name.partition(".")[0] == "regluon"
        for found in module.imports
        if found.target.partition(".")[0] == "mxnet"
    ]
    assert not faults, "\n".join(faults)


def test_modules_do_not_import_in_circles() -> None:
    cycle = import_cycle(MODULES)
    assert not cycle, " -> ".join(cycle)


def test_own_imports_stand_at_the_top() -> None:
    faults = hidden_imports(MODULES)
    assert not faults, "\n".join(faults)


def test_torch_stays_where_it_is_allowed() -> None:
    faults = torch_faults(MODULES)
    assert not faults, "\n".join(faults)


def test_foundations_import_only_numpy_and_torch() -> None:
    allowed = FOUNDATION_PACKAGES | set(sys.stdlib_module_names) | {"regluon"}
    faults = [
        f"{module.at(found.line)}: imports {found.target}"
        for module in MODULES.values()
        if module.room in FOUNDATIONS
        for found in module.imports
        if found.target.split(".")[0] not in allowed
    ]
    assert not faults, "\n".join(faults)


def test_no_text_is_run_as_code() -> None:
    faults = code_from_text(MODULES)
    assert not faults, "\n".join(faults)


# The rules above are only worth something if they catch what they forbid.


def packages_with(folder: Path, **sources: str) -> dict[str, Module]:
    """Modules of a small source tree; `ops` is the source of src/regluon/ops/__init__.py, `gluon` of mxnet's."""
    places = {
        "base": "regluon/base.py",
        "error": "regluon/errors.py",
        "ops": "regluon/ops/__init__.py",
        "gluon": "mxnet/gluon/__init__.py",
    }
    for name in ("regluon/__init__.py", "mxnet/__init__.py", "mxnet/error.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    for name, place in places.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(sources.get(name, ""))
    return read_modules(folder)


@pytest.mark.parametrize(
    "source",
    [
        "from ..array import NDArray",
        "from .. import array",
        "import regluon.array",
        "from regluon import array",
        "from .. import NDArray",
        "import mxnet",
        "from mxnet.gluon import Block",
    ],
)
def test_upward_imports_are_found(tmp_path: Path, source: str) -> None:
    assert layer_faults(packages_with(tmp_path, ops=source))


@pytest.mark.parametrize(
    "source", ["from regluon.ops import add", "from regluon import ops", "from ..error import X", "import numpy"]
)
def test_downward_imports_pass(tmp_path: Path, source: str) -> None:
    modules = packages_with(tmp_path, gluon=source)
    assert not layer_faults(modules)
    assert not import_cycle(modules)


def test_circles_are_found(tmp_path: Path) -> None:
    modules = packages_with(tmp_path, base="from . import errors", error="from .base import MXNetError")
    assert import_cycle(modules) == ["regluon.base", "regluon.errors", "regluon.base"]


def test_imports_for_types_only_make_no_circle(tmp_path: Path) -> None:
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import errors"
    assert not import_cycle(packages_with(tmp_path, base=source, error="from .base import MXNetError"))


def test_hidden_imports_are_found(tmp_path: Path) -> None:
    source = "def late():\n    from ..base import MXNetError\n    import json"
    faults = hidden_imports(packages_with(tmp_path, ops=source))
    assert len(faults) == 1
    assert "regluon.base.MXNetError is imported inside a function" in faults[0]


def test_torch_in_gluon_is_found(tmp_path: Path) -> None:
    assert torch_faults(packages_with(tmp_path, gluon="from torch.nn import functional"))
    assert not torch_faults(packages_with(tmp_path, gluon="", ops="import torch"))


@pytest.mark.parametrize(
    "source",
    [
        "exec('x = 1')",
        "y = eval(text)",
        "__import__(name)",
        "importlib.import_module(name)",
        "import pickle",
        "from pickle import loads",
        "torch.load(path)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_code_from_text_is_found(tmp_path: Path, source: str) -> None:
    assert len(code_from_text(packages_with(tmp_path, ops=source))) == 1


def test_methods_named_like_builtins_pass(tmp_path: Path) -> None:
    assert not code_from_text(packages_with(tmp_path, ops="model.eval()\nnp.load(path, allow_pickle=False)"))
