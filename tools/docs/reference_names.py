"""The public names of the library: which exist, which are other names of the same thing, and where each is described.

MXNet's names are those of tests/fixtures/api/surface.json; what a module offers beyond them is in its `__all__`.
"""

import functools
import importlib
import inspect
import json
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mxnet
from regluon.ops import registry
from regluon.ops.registry import Operator

from .docstrings import Doc, parsed

ROOT = Path(__file__).parents[2]
SURFACE = ROOT / "tests" / "fixtures" / "api" / "surface.json"

# Packages as the navigation shows them. What has several names is described in the first module here that has it.
PACKAGES: dict[str, tuple[str, ...]] = {
    "Arrays": (
        *("mxnet", "mxnet.nd", "mxnet.nd.random", "mxnet.nd.linalg", "mxnet.nd.contrib", "mxnet.nd.image"),
        *("mxnet.nd.sparse", "mxnet.random", "mxnet.context", "mxnet.autograd"),
    ),
    "NumPy interface": ("mxnet.np", "mxnet.np.linalg", "mxnet.np.random", "mxnet.npx", "mxnet.npx.random"),
    "Gluon": (
        *("mxnet.gluon", "mxnet.gluon.nn", "mxnet.gluon.rnn", "mxnet.gluon.loss", "mxnet.gluon.data"),
        *("mxnet.gluon.data.sampler", "mxnet.gluon.data.vision", "mxnet.gluon.data.vision.transforms"),
        *("mxnet.gluon.model_zoo.vision", "mxnet.gluon.utils", "mxnet.gluon.block", "mxnet.gluon.parameter"),
        *("mxnet.gluon.trainer", "mxnet.gluon.contrib", "mxnet.gluon.contrib.estimator", "mxnet.gluon.contrib.nn"),
        *("mxnet.gluon.contrib.cnn", "mxnet.gluon.contrib.rnn", "mxnet.gluon.contrib.data"),
    ),
    "Training": (
        *("mxnet.optimizer", "mxnet.lr_scheduler", "mxnet.init", "mxnet.metric", "mxnet.kvstore", "mxnet.callback"),
        *("mxnet.monitor", "mxnet.profiler"),
    ),
    "Data": ("mxnet.io", "mxnet.image", "mxnet.recordio"),
    "Symbols": (
        *("mxnet.sym", "mxnet.sym.random", "mxnet.sym.linalg", "mxnet.sym.contrib", "mxnet.sym.image"),
        *("mxnet.sym.sparse", "mxnet.executor", "mxnet.attribute", "mxnet.name", "mxnet.viz"),
    ),
    "Modules": ("mxnet.mod", "mxnet.model", "mxnet.rnn"),
    "Contributed": (
        *("mxnet.contrib.amp", "mxnet.contrib.onnx", "mxnet.contrib.quantization", "mxnet.contrib.hvd"),
        "mxnet.contrib.svrg_optimization.svrg_module",
        *("mxnet.contrib.text.embedding", "mxnet.contrib.text.vocab", "mxnet.contrib.text.utils"),
        *("mxnet.contrib.tensorboard", "mxnet.contrib.io", "mxnet.contrib.autograd"),
    ),
    "Utilities": (
        *("mxnet.operator", "mxnet.util", "mxnet.runtime", "mxnet.engine", "mxnet.error", "mxnet.base", "mxnet.log"),
        *("mxnet.registry", "mxnet.library", "mxnet.rtc", "mxnet.notebook.callback", "mxnet.test_utils"),
    ),
}
MODULES = tuple(path for paths in PACKAGES.values() for path in paths)
# These repeat names of others, and are never the place for those.
_REPEATING = ("mxnet.autograd", "mxnet.gluon.block", "mxnet.gluon.parameter", "mxnet.gluon.trainer", "mxnet.executor")
_ORDER = sorted(MODULES, key=lambda path: path in _REPEATING)
_RANK = {path: position for position, path in enumerate(_ORDER)}

# Names of modules that programs write in full.
_SAME_MODULES = {
    "mxnet.ndarray": "mxnet.nd",
    "mxnet.symbol": "mxnet.sym",
    "mxnet.initializer": "mxnet.init",
    "mxnet.module": "mxnet.mod",
    "mxnet.visualization": "mxnet.viz",
    "mxnet.kv": "mxnet.kvstore",
    "mxnet.numpy_extension": "mxnet.npx",
    "mxnet.numpy": "mxnet.np",
}
# Of a module without `__all__`, and of one whose `__all__` repeats MXNet's, what is not for users.
_NOT_OURS = ("mxnet._former", "mxnet.base", "regluon.base", "regluon.dtypes")
_PACKAGES = ("mxnet", "regluon")

# MXNet's names in modules that surface.json leaves out.
_MORE = {"mxnet.contrib.autograd": ("NDArray", "zeros_like"), "mxnet.contrib.io": ("DataDesc", "DataIter")}

# Classes that have a page of their own, beside those whose members MXNet's list names.
_IMPORTANT = ("mxnet.np.ndarray", "mxnet.gluon.contrib.Checkpoint", "mxnet.gluon.contrib.estimator.Estimator")

SPECIAL = {
    "__add__": "`x + y`, and likewise the other arithmetic and comparing operators of Python.",
    "__call__": "Calls it like a function.",
    "__enter__": "`with x:` makes it the current one inside of the block.",
    "__getitem__": "`x[key]`.",
    "__iter__": "`for each in x`.",
    "__len__": "`len(x)`.",
    "__setitem__": "`x[key] = value`.",
}


@dataclass(eq=False)
class Entry:
    """Something that is described in one place.

    Attributes:
        path: the name under which it is described, from `mxnet` on.
        kind: operator, function, class, method, property, constant, or foreign for what another library defines.
        value: the object.
        operator: what the function or method calls, if it is made from an operator.
        owner: the class that a method or property belongs to.
        names: all public paths, the one of `path` among them, in the order of MODULES.
        members: of a class, what it defines, by name.
        inherited: of a class, what it has from a class that is described too: names with the entries.
    """

    path: str
    kind: str
    value: Any
    operator: Operator | None = None
    owner: "Entry | None" = None
    names: list[str] = field(default_factory=list)
    members: "dict[str, Entry]" = field(default_factory=dict)
    inherited: "dict[str, Entry]" = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    @property
    def module(self) -> str:
        """The module of the path."""
        return self.owner.module if self.owner else self.path.rpartition(".")[0]

    @property
    def short(self) -> str:
        """The path without the package."""
        return self.path.removeprefix("mxnet.")

    @property
    def is_numpy(self) -> bool:
        """Whether it hands its arguments to a function of NumPy."""
        return (getattr(getattr(self.value, "__wrapped__", None), "__module__", None) or "").startswith("numpy")

    @functools.cached_property
    def docstring(self) -> str:
        """Its own docstring, without indentation."""
        if self.operator is not None:
            return self.operator.doc
        if self.kind in ("constant", "foreign"):
            return ""
        if self.is_numpy:
            return f"NumPy's function `{self.name}`, carried out by the official NumPy on copies of the arrays."
        if self.kind == "class" and self.value.__doc__ is None:
            return ""
        return inspect.getdoc(self.value) or ""

    @functools.cached_property
    def doc(self) -> Doc:
        """What is said about it."""
        if self.kind == "constant":
            return Doc(_constant_text(self.value))
        if self.kind == "foreign":
            return Doc(_foreign_text(self.value))
        is_python = isinstance(self.value, (types.WrapperDescriptorType, types.MethodDescriptorType))
        if self.owner and self.name in SPECIAL and (is_python or not self.docstring):
            return Doc(SPECIAL[self.name])
        if self.owner and is_python:
            return Doc(f"As Python's `{self.value.__objclass__.__name__}.{self.name}`.")
        return parsed(self.docstring)


def _constant_text(value: Any) -> str:
    text = repr(value)
    if isinstance(value, (dict, type(None))) or len(text) > 60 or " at 0x" in text:
        kind = type(value).__name__
        return "None until it is set." if value is None else f"A {kind} with {len(value)} entries."
    return f"The {'text' if isinstance(value, str) else 'value'} `{text}`."


def _foreign_text(value: Any) -> str:
    owner = getattr(value, "__module__", None) or type(value).__module__
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", repr(value))
    return f"`{'' if owner == 'builtins' else f'{owner}.'}{name}`, imported here."


def resolve(path: str) -> Any:
    """The object at a public path."""
    found: Any = mxnet
    parts = path.split(".")[1:]
    for position, name in enumerate(parts):
        try:
            found = getattr(found, name)
        except AttributeError:
            found = importlib.import_module(".".join(["mxnet", *parts[: position + 1]]))
    return found


def usual_path(path: str) -> str:
    """A path with the short names of modules."""
    for module, short in _SAME_MODULES.items():
        if path == module or path.startswith(f"{module}."):
            return short + path[len(module) :]
    return path


@functools.cache
def surface() -> dict[str, dict[str, list[str]]]:
    """MXNet's public names: those of modules and those of classes."""
    found: dict[str, dict[str, list[str]]] = json.loads(SURFACE.read_text(encoding="utf-8"))
    return found


@functools.cache
def public_names(module: str) -> list[str]:
    """The public names of a module: MXNet's, and ours."""
    theirs = {name for path, names in surface()["modules"].items() if usual_path(path) == module for name in names}
    theirs.update(_MORE.get(module, ()))
    owner = resolve(module)
    listed = getattr(owner, "__all__", None)
    if listed is None and not theirs:
        listed = [name for name, value in vars(owner).items() if isinstance(value, type)]
    return sorted(theirs | {name for name in listed or () if name not in theirs and _is_ours(owner, name)})


def _is_ours(owner: types.ModuleType, name: str) -> bool:
    """Whether a name that MXNet does not have is for users."""
    value = getattr(owner, name)
    module = getattr(value, "__module__", None) or ""
    is_ours = module.startswith(_PACKAGES) and not module.startswith(_NOT_OURS)
    return not name.startswith("_") and is_ours and callable(value)


def operator_of(value: Any) -> Operator | None:
    """The operator that a function was made from."""
    for cell in getattr(value, "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if isinstance(content, Operator) and getattr(value, "__module__", "").endswith(".op"):
            return content
    return None


def _kind(value: Any) -> str:
    if isinstance(value, type) or inspect.isroutine(value) or callable(value):
        module = getattr(value, "__module__", None) or ""
        if not module.startswith(_PACKAGES):
            return "foreign"
        return "class" if isinstance(value, type) else "function"
    return "constant"


class Names:
    """All entries, and the entry of every public path."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}  # by path, without members
        self.places: dict[str, Entry] = {}  # by every public path
        self.listed: dict[str, dict[str, Entry]] = {}  # by module, then by name there
        self._entry_of: dict[Any, Entry] = {}
        for module in _ORDER:
            self.listed[module] = {name: self._take(module, name) for name in public_names(module)}
        for entry in list(self.entries.values()):
            entry.names.sort(key=lambda path: (_RANK[path.rpartition(".")[0]], path != entry.path, path))
        self._classes = {entry.value: entry for entry in self.entries.values() if entry.kind == "class"}
        for entry in sorted(self._classes.values(), key=lambda entry: len(entry.value.__mro__)):  # bases first
            self._take_members(entry)
        self._take_inherited_paths()

    def _take(self, module: str, name: str) -> Entry:
        path, value = f"{module}.{name}", getattr(resolve(module), name)
        operator = operator_of(value)
        kind = "operator" if operator else _kind(value)
        key = ("operator", operator.name) if operator else path if kind in ("constant", "foreign") else id(value)
        entry = self._entry_of.get(key)
        if entry is None:
            if operator:
                path = self._described_at(module, name, operator)
            entry = self._entry_of[key] = Entry(path, kind, value, operator)
            self.entries[path] = entry
        entry.names.append(f"{module}.{name}")
        self.places[f"{module}.{name}"] = entry
        return entry

    def _described_at(self, module: str, name: str, operator: Operator) -> str:
        """Of an operator's names in a module, the registered one."""
        has_own = operator_of(getattr(resolve(module), operator.name, None)) is operator
        return f"{module}.{operator.name if has_own and operator.name in public_names(module) else name}"

    def _take_members(self, entry: Entry) -> None:
        cls = entry.value
        named = {name for path, names in surface()["classes"].items() if resolve(path) is cls for name in names}
        public = {name for base in cls.__mro__ if base is not object for name in vars(base) if not name.startswith("_")}
        for name in sorted(named | public):
            value = inspect.getattr_static(cls, name, None)
            if value is None and not hasattr(cls, name):
                continue
            base = self._described_base(cls, name, value)
            described = self._classes[base]
            if base is not cls and (name in described.members or name in described.inherited):
                entry.inherited[name] = described
            elif name in named or _is_member(cls, name, value):
                entry.members[name] = self._member(entry, name, value)
                self.places[f"{entry.path}.{name}"] = entry.members[name]

    def _described_base(self, cls: type, name: str, value: Any) -> type:
        """The most basic class that is described and has the same member, or one that only repeats it."""
        found = cls
        for base in cls.__mro__:
            if base not in self._classes:
                continue
            other = inspect.getattr_static(base, name, None)
            if other is value and other is not None:
                found = base
            elif other is not None and found is cls and not _says_something(value):
                return base
        return found

    def _member(self, entry: Entry, name: str, value: Any) -> Entry:
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        operator = operator_of(function)
        if isinstance(value, (property, functools.cached_property)) or inspect.isdatadescriptor(value):
            kind = "property"
        elif callable(function) or inspect.isroutine(function):
            kind = "method"
        else:
            # What the metaclass has, such as the current one of all, is not in the class itself.
            kind = "property" if value is None else "constant"
            function = getattr(type(entry.value), name, value) if value is None else value
        path = f"{entry.path}.{name}"
        return Entry(path, kind, function, operator, entry, [path])

    def _take_inherited_paths(self) -> None:
        for entry in self._classes.values():
            for name in entry.inherited:
                self.places[f"{entry.path}.{name}"] = self.member(entry, name)
            for path in entry.names:
                for name in (*entry.members, *entry.inherited):
                    self.places[f"{path}.{name}"] = self.member(entry, name)

    def member(self, entry: Entry, name: str) -> Entry:
        """The entry of a member, which may be that of a base class."""
        while name not in entry.members:
            entry = entry.inherited[name]
        return entry.members[name]

    def has_module(self, path: str) -> bool:
        """Whether a module is part of the reference."""
        return usual_path(path) in self.listed

    def find(self, path: str) -> Entry | None:
        """The entry of a public path, however its module is written; classes by MXNet's inner paths too."""
        found = self.places.get(usual_path(path))
        if found is None and path in surface()["classes"]:
            found = self._classes.get(resolve(path))
        return found

    def surface_paths(self) -> Iterator[tuple[str, Entry | None]]:
        """Every public name of MXNet with its entry."""
        for module, names in surface()["modules"].items():
            for name in names:
                yield f"{module}.{name}", self.find(f"{module}.{name}")
        for path, names in surface()["classes"].items():
            owner = self.find(path)
            for name in names:
                known = owner is not None and (name in owner.members or name in owner.inherited)
                yield f"{path}.{name}", self.member(owner, name) if known and owner else None

    @functools.cached_property
    def important(self) -> list[Entry]:
        """Classes with pages of their own."""
        found = {self.find(path) for path in (*surface()["classes"], *_IMPORTANT)}
        return sorted((entry for entry in found if entry), key=lambda entry: (_RANK[entry.module], entry.name))


def _says_something(value: Any) -> bool:
    function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    return bool(getattr(function, "__doc__", None))


def _is_member(cls: type, name: str, value: Any) -> bool:
    """Whether a public attribute of a class is for users: it, or what it overrides, says what it does."""
    for base in cls.__mro__:
        if base.__module__.startswith(_PACKAGES) and name in vars(base):
            return _says_something(vars(base)[name]) and not isinstance(value, (int, str, tuple, dict, frozenset, list))
    return False


@functools.cache
def names() -> Names:
    """All names, collected once."""
    return Names()


def internal_operators() -> list[Operator]:
    """Operators that only graphs name: no function of a public module is made from them."""
    public = {entry.operator.name for entry in names().entries.values() if entry.operator}
    everyone = {operator.name: operator for _, operator in registry.names()}
    return [everyone[name] for name in sorted(everyone) if name not in public]
