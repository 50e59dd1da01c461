"""What becomes of a name: it works, differs, is missing, or nobody knows it."""

import types
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from ...suggestions import nearest
from .bindings import Paths
from .counterparts import Counterpart, counterpart
from .differences import Difference, differences
from .other_versions import instead_of
from .refusals import refusal
from .resolving import Found, Lost, Refused, Resolved, resolve, short, shown

WORKS, DIFFERS, MISSING, UNKNOWN = "works", "differs", "missing", "unknown"
STATES = (WORKS, DIFFERS, MISSING, UNKNOWN)

# Where a name that stands in the wrong module may have been meant.
_MODULES = (
    *("nd", "gluon.nn", "gluon", "gluon.loss", "gluon.rnn", "gluon.data", "gluon.data.vision", "gluon.utils", "sym"),
    *(
        "metric",
        "optimizer",
        "init",
        "lr_scheduler",
        "io",
        "image",
        "random",
        "context",
        "autograd",
        "nd.contrib",
        "np",
    ),
    *("gluon.data.vision.transforms", "gluon.model_zoo.vision", "gluon.contrib.nn", "npx", "mod", "base", "util"),
)


class Entry(NamedTuple):
    """A name of MXNet.

    Attributes:
        path: the name in full, with the short names of modules.
        kind: module, class, function or value; nothing, if it is not there.
        state: one of STATES.
        instead: for a missing name, what to write; nothing, if nobody knows.
        near: for an unknown name, the nearest that there are.
        differences: what is not as in MXNet 1.9.1.
        counterpart: what one writes with PyTorch.
    """

    path: str
    kind: str
    state: str
    instead: str = ""
    near: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    counterpart: Counterpart | None = None

    @property
    def shown(self) -> str:
        """The name as programs write it."""
        return shown(self.path)


@cache
def entry(paths: Paths) -> Entry:
    """What becomes of a name; of several that it may stand for, the one that is there."""
    tried = [resolve(path) for path in paths]
    found = next((each for each in tried if isinstance(each, Found)), tried[0])
    return _entry(found, paths[tried.index(found)])


def _entry(found: Resolved, written: str) -> Entry:
    match found:
        case Refused(path=path, text=text):
            return Entry(short(path), "value", MISSING, text.partition("] ")[2] or text)
        case Lost(owner_path=owner, name=name):
            path = short(written if written.startswith("F.") else f"{owner}.{name}")
            instead = instead_of(path)
            near = () if instead else tuple(_near(found))
            return Entry(path, "", MISSING if instead else UNKNOWN, instead, near)
    path, text = short(found.path), refusal(found.value)
    rows = tuple(differences(path))
    state = MISSING if text else DIFFERS if rows else WORKS
    return Entry(path, _kind(found.value), state, text, (), rows, counterpart(path))


def _kind(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return "module"
    return "class" if isinstance(value, type) else "function" if callable(value) else "value"


def _near(lost: Lost) -> Iterator[str]:
    """The same name in another module, and names that resemble it where it was looked for."""
    for module in _MODULES if isinstance(lost.owner, types.ModuleType) else ():
        found = resolve(f"mxnet.{module}.{lost.name}")
        if isinstance(found, Found) and found.path.endswith(f".{lost.name}"):
            yield shown(found.path)
            break
    public = [name for name in dir(lost.owner) if not name.startswith("_") or lost.name.startswith("_")]
    for name in nearest(lost.name, public, 2, 0.75):
        yield shown(f"{lost.owner_path}.{name}")
