"""Bind names of a program to names of MXNet, scope by scope."""

import ast
import importlib.util
import pkgutil
import sys
import types
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from ...base import MXNetError
from ...ops import registry

Paths = tuple[str, ...]  # what a name may stand for: several, where branches bind it differently

# What `F` is in `hybrid_forward(self, F, x)`: mx.nd or mx.sym. It keeps its own name in the report.
EITHER_FRONT_END = "F"


@dataclass
class Scope:
    """The names of a module, class, function or comprehension.

    Attributes:
        parent: the scope around it.
        is_class: names of a class body are not seen from its methods.
        names: what each name stands for; nothing, for one that the program defines itself.
        stars: for names that a star import brought.
    """

    parent: "Scope | None" = None
    is_class: bool = False
    names: dict[str, Paths] = field(default_factory=dict)
    stars: dict[str, Paths] = field(default_factory=dict)

    def find(self, name: str) -> Paths:
        """What a name stands for, seen from this scope."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.names:
                    return scope.names[name]
                if name in scope.stars:
                    return scope.stars[name]
            scope = scope.parent
        return ()

    def bind(self, name: str, paths: Iterable[str], is_certain: bool) -> None:
        """Binds a name. In a branch that may not be taken, what it stood for before stays possible."""
        known = () if is_certain else self.names.get(name, ())
        self.names[name] = tuple(dict.fromkeys((*known, *paths)))


PACKAGE = "mxnet"
PACKAGES = ("mxnet", "regluon")  # in which the interface is implemented


def exception_types(handler: ast.ExceptHandler) -> list[ast.AST]:
    """The exceptions that a handler catches."""
    if handler.type is None:
        return [ast.Name("Exception")]
    return list(handler.type.elts) if isinstance(handler.type, ast.Tuple) else [handler.type]


def last_name(node: ast.AST) -> str:
    """`c` of `a.b.c`; nothing for what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_ours(module: str) -> bool:
    """Whether a dotted name begins with the package."""
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def is_true(node: ast.AST) -> bool:
    """Whether an expression is True, as written."""
    return isinstance(node, ast.Constant) and node.value is True


class Place(NamedTuple):
    """Where something stands; a line of a notebook counts within its cell."""

    path: str
    line: int
    cell: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{f'cell {self.cell}:' if self.cell else ''}{self.line}"


class Use(NamedTuple):
    """A name of MXNet at a place: the paths it may stand for, and whether the program is ready for its absence."""

    paths: Paths
    place: Place
    is_guarded: bool


class Sign(NamedTuple):
    """Something else that matters: an attribute `.handle`, an argument `pretrained`, a text `MXNET_...`."""

    kind: str
    detail: str
    place: Place


class Reading(NamedTuple):
    """What was found in one file.

    Attributes:
        uses: names of MXNet with their places.
        signs: what else matters.
        defined: names that the program itself puts into MXNet's modules.
        asked: names that the program asks for with `hasattr`, or with `getattr` and a default.
    """

    uses: list[Use]
    signs: list[Sign]
    defined: set[str]
    asked: set[str]


# Modules that have two names; the report shows the short one.
_SHORT = {
    "mxnet.ndarray": "mxnet.nd",
    "mxnet.symbol": "mxnet.sym",
    "mxnet.initializer": "mxnet.init",
    "mxnet.module": "mxnet.mod",
    "mxnet.visualization": "mxnet.viz",
    "mxnet.numpy_extension": "mxnet.npx",
    "mxnet.numpy": "mxnet.np",
    "mxnet.kv": "mxnet.kvstore",
    "mxnet.img": "mxnet.image",
    "mxnet.rnd": "mxnet.random",
    "mxnet.mon": "mxnet.monitor",
}
_FRONT_ENDS = ("mxnet.nd", "mxnet.sym")
_PREFIXES = {"contrib": "_contrib_", "linalg": "_linalg_", "image": "_image_", "_internal": ""}


class Found(NamedTuple):
    """Something that is there: the path up to which it is MXNet's, and the object."""

    path: str
    value: Any


class Lost(NamedTuple):
    """Something that is not: the path of what would have it, that object, and the name it lacks."""

    owner_path: str
    owner: Any
    name: str


class Refused(NamedTuple):
    """Something that says what to do instead as soon as it is looked at."""

    path: str
    text: str


Resolved = Found | Lost | Refused


@cache
def resolve(path: str) -> Resolved:
    """Walks a dotted path from the package on.

    What follows an object that is neither a module nor a class is not MXNet's: `mx.__version__.split` is a use of
    `mx.__version__`.
    """
    if path.partition(".")[0] == EITHER_FRONT_END:
        return _resolve_front_end(path)
    parts = path.split(".")
    here, value = parts[0], sys.modules[parts[0]]
    for name in parts[1:]:
        if not _has_names_of_ours(value):
            break
        try:
            found = _attribute(value, name)
        except AttributeError:
            return Lost(here, value, name)
        except MXNetError as error:
            return Refused(f"{here}.{name}", str(error))
        here, value = f"{here}.{name}", found
    return Found(here, value)


def _resolve_front_end(path: str) -> Resolved:
    """`F.relu` is there if arrays or symbols have it."""
    rest = path[len(EITHER_FRONT_END) :]
    tried = [resolve(module + rest) for module in _FRONT_ENDS]
    best = next((each for each in tried if isinstance(each, Found)), tried[0])
    if isinstance(best, Found):
        shown = best.path.split(".")[2:]
        return Found(".".join([EITHER_FRONT_END, *shown]), best.value)
    return best


def _has_names_of_ours(value: Any) -> bool:
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in PACKAGES
    # Of instances, those that stand for the C library answer for themselves.
    is_ours = (getattr(value, "__module__", None) or "").partition(".")[0] in PACKAGES
    return (isinstance(value, type) and is_ours) or (hasattr(type(value), "__getattr__") and not callable(value))


def _attribute(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        # A few modules of the package are loaded only when they are asked for.
        is_package = isinstance(owner, types.ModuleType) and "__path__" in vars(owner) and not name.startswith("__")
        if is_package and importlib.util.find_spec(f"{owner.__name__}.{name}"):
            return pkgutil.resolve_name(f"{owner.__name__}.{name}")
        raise


def short(path: str) -> str:
    """A path with the short names of modules: `mxnet.ndarray.concat` is `mxnet.nd.concat`."""
    for long, other in _SHORT.items():
        if path == long or path.startswith(f"{long}."):
            return other + path[len(long) :]
    return path


def shown(path: str) -> str:
    """A path as programs write it: `mx.nd.concat`."""
    path = short(path)
    return "mx" + path[len("mxnet") :] if path == "mxnet" or path.startswith("mxnet.") else path


@cache
def subject(path: str) -> Hashable:
    """What a name is about: the same for all names of an object, and for `nd`, `sym` and `F` of an operator."""
    path = short(path)
    for front_end in (EITHER_FRONT_END, "mxnet.sym"):
        if path.startswith(f"{front_end}.") and isinstance(resolve("mxnet.nd" + path[len(front_end) :]), Found):
            path = "mxnet.nd" + path[len(front_end) :]
    found = resolve(path)
    if not isinstance(found, Found):
        return path
    has_identity = isinstance(found.value, (type, types.ModuleType)) or callable(found.value)
    return _operator(path, found.value) or (id(found.value) if has_identity else path)


def _operator(path: str, value: Any) -> str:
    """The operator that a function of `mx.nd` calls, by its registered name."""
    if getattr(value, "__module__", None) not in ("mxnet.ndarray.op", "mxnet.symbol.op"):
        return ""
    *_, module, name = path.split(".")
    operators = dict(registry.names())
    found = operators.get(_PREFIXES.get(module, "") + name)
    return found.name if found else ""


def star(module: str) -> list[str]:
    """The names that a star import of a module brings."""
    found = resolve(module)
    if not isinstance(found, Found) or not isinstance(found.value, types.ModuleType):
        return []
    listed = getattr(found.value, "__all__", None)
    return list(listed) if listed is not None else [name for name in dir(found.value) if not name.startswith("_")]
