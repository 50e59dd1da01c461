"""Import modules under the paths they had before the engine became the package `regluon`.

Pickles name classes by module. MXNet's own module paths did not change; this finder serves paths of this project.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, ModuleType

# Old path to new path, without `mxnet.`. Submodules follow their package; the longest match counts.
MOVED = {
    "arguments": "regluon.arguments",
    "attribute": "regluon.symbol.attribute_scope",
    "checkpoint": "regluon.symbol.checkpoint",
    "compiler": "regluon.compiler",
    "config": "regluon.config",
    "contrib.onnx": "regluon.convert.onnx",
    "contrib.torch_export": "regluon.convert.torch_export",
    "distributed": "regluon.distributed",
    "dtypes": "regluon.dtypes",
    "flags": "regluon.dtype_flags",
    "formats": "regluon.formats",
    "gluon.operators": "regluon.operators",
    "graph": "regluon.graph",
    "kernels": "regluon.kernels",
    "launch": "regluon.distributed.launch",
    "native": "regluon.native",
    "ndarray": "regluon.array",
    "ndarray.foreign": "regluon.runtime.foreign",
    "ndarray.handle": "regluon.runtime.handle",
    "ndarray.invoke": "regluon.runtime.invoke",
    "ndarray.repeated": "regluon.runtime.repeated",
    "nearest": "regluon.suggestions",
    "ops": "regluon.ops",
    "recording": "regluon.autograd.recording",
    "rng": "regluon.rng",
    "scopes": "regluon.scopes",
    "showing": "regluon.call_repr",
    "symbol": "regluon.symbol",
    "tools": "regluon.cli",
    "tools.bench": "mxnet._commands.bench",
    "tools.command": "mxnet._commands.command",
    "tools.doctor": "mxnet._commands.doctor",
    "torch_private": "regluon.torch_private",
    "tracebacks": "regluon.tracebacks",
    "workers": "regluon.data.workers",
}


def new_path(old: str) -> str | None:
    """Return the present path of the module that was `old`, or None if there is none."""
    parts = old.split(".")[1:]
    for end in range(len(parts), 0, -1):
        new = MOVED.get(".".join(parts[:end]))
        if new:
            return ".".join([new, *parts[end:]])
    # Modules of this project in packages of MXNet's: an underscore shows now that they are private.
    for index, part in enumerate(parts):
        private = ".".join(["mxnet", *parts[:index], f"_{part}", *parts[index + 1 :]])
        if not part.startswith("_") and _find(private):
            return private
    return None


def _find(path: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(path)
    except ModuleNotFoundError:
        return None


class FormerModules(MetaPathFinder, Loader):
    """Find the modules of `mxnet` that lie elsewhere now."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec whose loader imports the present module; None if the module did not move."""
        package, _, leaf = fullname.rpartition(".")
        if package.partition(".")[0] != "mxnet":
            return None
        owner = sys.modules[package].__name__
        if owner != package:  # the package moved, and its modules with it
            new: str | None = MOVED.get(fullname.removeprefix("mxnet."), f"{owner}.{leaf}")
        else:
            new = None if PathFinder.find_spec(fullname, path) else new_path(fullname)
        found = _find(new) if new else None
        if found is None:
            return None
        return ModuleSpec(fullname, self, origin=new, is_package=found.submodule_search_locations is not None)

    def exec_module(self, module: ModuleType) -> None:
        """Put the present module in the place of the new, empty one."""
        spec = module.__spec__
        assert spec is not None
        sys.modules[spec.name] = importlib.import_module(str(spec.origin))

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the present module, for `python -m`."""
        spec = self.find_spec(fullname)
        found = _find(str(spec.origin)) if spec else None
        return found.loader.get_code(found.name) if found and isinstance(found.loader, InspectLoader) else None


def install() -> None:
    """Put the finder before Python's own, which would load a second copy of a moved package's modules."""
    sys.meta_path.insert(0, FormerModules())
