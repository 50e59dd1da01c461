"""Decide whether a name works, differs or is missing."""

import ast
import inspect
import json
import re
import textwrap
import types
from collections.abc import Hashable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ...arguments import nearest
from .counterparts import Counterpart, counterpart
from .resolver import PACKAGES, Found, Lost, Paths, Refused, Resolved, resolve, short, shown, subject

DATA = Path(__file__).with_name("differences.json")


class Difference(NamedTuple):
    """A row: what MXNet 1.9.1 does, what happens here, and the reason."""

    section: str
    theirs: str
    ours: str
    why: str


def differences(path: str) -> list[Difference]:
    """The rows that are about a name."""
    return _by_subject().get(subject(path), [])


@cache
def _by_subject() -> dict[Hashable, list[Difference]]:
    found: dict[Hashable, list[Difference]] = {}
    for row in json.loads(DATA.read_text(encoding="utf-8")):
        difference = Difference(row["section"], row["theirs"], row["ours"], row["why"])
        for about in set(map(subject, row["names"])):
            found.setdefault(about, []).append(difference)
    return found


_MARK = "Refused: "  # how docstrings of such functions begin


def refusal(value: Any) -> str:
    """What a function, class or placeholder says when it is used; nothing, if it does something.

    The library marks what refuses with the annotation NoReturn, so that nothing has to be called to find out.
    """
    if isinstance(value, property):
        value = value.fget
    document = inspect.getdoc(value) if isinstance(value, types.FunctionType) else None
    if document and document.startswith(_MARK):
        return _plain(document.removeprefix(_MARK).partition("\n")[0])
    if isinstance(value, types.FunctionType):
        return _text(value) if _never_returns(value) else ""
    if isinstance(value, type):
        return _text_of_class(value)
    return _text_of_placeholder(value)


def _text_of_class(value: type) -> str:
    """A class refuses if its constructor hands over to a function that does."""
    constructor = vars(value).get("__init__")
    if not isinstance(constructor, types.FunctionType) or not value.__module__.startswith(PACKAGES):
        return ""
    called = [constructor.__globals__.get(name) for name in constructor.__code__.co_names]
    return next((_text(each) for each in called if isinstance(each, types.FunctionType) and _never_returns(each)), "")


def _text_of_placeholder(value: Any) -> str:
    """The handle of the C library, and the types of its pointers, refuse to be called or looked into."""
    if not type(value).__module__.startswith(PACKAGES):
        return ""
    methods = (vars(type(value)).get(name) for name in ("__call__", "__getattr__"))
    return next((_text(each) for each in methods if isinstance(each, types.FunctionType) and _never_returns(each)), "")


def _never_returns(function: types.FunctionType) -> bool:
    return function.__annotations__.get("return") in (NoReturn, "NoReturn")


def _text(function: types.FunctionType) -> str:
    """The text of the error that a function raises in the end, read off its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return _plain(inspect.getdoc(function) or "it is refused")
    match tree.body:
        case [ast.FunctionDef(body=[*_, ast.Raise(exc=ast.Call(args=[text, *_]))])]:
            return _plain(_rendered(text))
    return _plain((inspect.getdoc(function) or "it is refused").partition("\n")[0])


def _rendered(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_rendered, values))
        case ast.FormattedValue(value=value):
            return ast.unparse(value)
    return ast.unparse(node)


def _plain(text: str) -> str:
    """Without the name that error texts begin with: the report has it already."""
    return re.sub(r"^\[[^\]]*\] ", "", text)


# By full names; one that ends in a dot stands for all that begin with it.
_INSTEAD = {
    "mxnet.device": "MXNet 2.0 has it. Write mx.context, with the same functions.",
    "mxnet.device.": "MXNet 2.0 has it. Write mx.context, with the same functions.",
    "mxnet.current_device": "MXNet 2.0 has it. Write mx.current_context.",
    "mxnet.gluon.metric": "MXNet 2.0 has it. Write mx.metric.",
    "mxnet.gluon.metric.": "MXNet 2.0 has it. Write mx.metric.",
    "mxnet.gluon.probability": "MXNet 2.0 has it. The distributions of torch.distributions do the same on as_torch().",
    "mxnet.gluon.probability.": "MXNet 2.0 has it. torch.distributions does the same on as_torch().",
    "mxnet.amp": "MXNet 2.0 has it. Write mx.contrib.amp.",
    "mxnet.amp.": "MXNet 2.0 has it. Write mx.contrib.amp.",
    "mxnet.symbol_numpy": "MXNet 2.0 has it. Write mx.sym.np.",
    "mxnet.gluon.nn.Concatenate": "MXNet 2.0 has it. Write gluon.contrib.nn.Concurrent.",
    "mxnet.gluon.nn.HybridConcatenate": "MXNet 2.0 has it. Write gluon.contrib.nn.HybridConcurrent.",
    "mxnet.gluon.nn.Identity": "MXNet 2.0 has it. Write gluon.contrib.nn.Identity.",
    "mxnet.gluon.nn.SyncBatchNorm": "MXNet 2.0 has it. Write gluon.contrib.nn.SyncBatchNorm.",
    "mxnet.gluon.nn.SiLU": "MXNet 2.0 has it. Write gluon.nn.Swish.",
    "mxnet.npx.set_np_float64": "MXNet 2.0 has it. Write npx.set_np(dtype=True).",
    "mxnet.optimizer.AdamW": "MXNet 2.0 has it. Write nd.contrib.adamw_update in an optimizer of your own.",
    "mxnet.th": "MXNet's plugin for Lua Torch, gone since 1.0. `NDArray.as_torch()` gives a tensor of PyTorch.",
    "mxnet.caffe": "MXNet's plugin for Caffe, gone since 1.0. Write the layer with operators.",
    "mxnet.eia": "Amazon's builds of MXNet had it, for Elastic Inference, which has ended. Write mx.cpu or mx.gpu.",
    "mxnet.symbol_caffe": "MXNet's plugin for Caffe, gone since 1.0. Write the layer with operators.",
}


def instead_of(path: str) -> str:
    """What to write instead of a name of another version; nothing, for a name of none."""
    if path in _INSTEAD:
        return _INSTEAD[path]
    return next((text for name, text in _INSTEAD.items() if name.endswith(".") and path.startswith(name)), "")


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
