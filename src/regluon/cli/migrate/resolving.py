"""Names of MXNet looked up in the installed package."""

import importlib.util
import pkgutil
import sys
import types
from collections.abc import Hashable
from functools import cache
from typing import Any, NamedTuple

from ...base import MXNetError
from ...ops import registry
from .bindings import EITHER_FRONT_END
from .syntax import PACKAGES

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
