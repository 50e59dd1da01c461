"""Which files a model is: found from its prefix, or from any one of them."""

import os
import re
from typing import NamedTuple

from ..base import MXNetError
from ..formats.tensors import SUFFIX

_PARAMS = re.compile(r"(?P<prefix>.*)-(?P<epoch>\d{4,})\.params\Z", re.DOTALL)
_GRAPH = "-symbol.json"


class ModelFiles(NamedTuple):
    """The files of a model.

    Attributes:
        graph: the symbol file; empty if there is none.
        params: the file of parameters; empty if there is none, or if several could be meant.
        base: what new files are named after.
        epochs: the numbers of all files of parameters with this prefix.
    """

    graph: str
    params: str
    base: str
    epochs: list[int]


def epochs_of(prefix: str) -> list[int]:
    """The numbers of the files `PREFIX-0003.params` that there are, in order."""
    folder, start = os.path.split(prefix)
    names = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    found = (_PARAMS.match(name) for name in names)
    return sorted(int(each["epoch"]) for each in found if each and each["prefix"] == start)


def params_path(prefix: str, epoch: int) -> str:
    """The file of the parameters of an epoch."""
    return f"{prefix}-{epoch:04d}.params"


def locate(name: str, epoch: int | None, who: str) -> ModelFiles:
    """The files that a prefix, a symbol file or a file of parameters stands for.

    Args:
        name: the prefix or the path.
        epoch: which file of parameters; by default the only one.
        who: the command, for errors.

    Raises:
        MXNetError: there are no such files, or several could be meant.
    """
    if name.endswith(SUFFIX):
        return ModelFiles("", name, name.removesuffix(SUFFIX), [])
    if name.endswith(".params"):
        return _by_params(name)
    prefix = name.removesuffix(_GRAPH) if name.endswith(_GRAPH) else name.removesuffix(".json")
    graph = name if name.endswith(".json") else prefix + _GRAPH
    epochs = epochs_of(prefix)
    if not os.path.exists(graph):
        raise _missing(name, prefix, graph, who)
    if epoch is None and len(epochs) > 1:
        listed = ", ".join(map(str, epochs))
        raise MXNetError(
            f"[{who}] {name}: there are parameters of the epochs {listed}. Choose with --epoch {epochs[-1]}, or give "
            f"the file, {params_path(prefix, epochs[-1])}."
        )
    chosen = epoch if epoch is not None else epochs[0] if epochs else 0
    if chosen not in epochs:
        raise _missing(name, prefix, params_path(prefix, chosen), who)
    return ModelFiles(graph, params_path(prefix, chosen), prefix, epochs)


def _by_params(name: str) -> ModelFiles:
    named = _PARAMS.match(name)
    graph = "" if named is None else named["prefix"] + _GRAPH
    return ModelFiles(graph if os.path.exists(graph) else "", name, name.removesuffix(".params"), [])


def _missing(name: str, prefix: str, path: str, who: str) -> MXNetError:
    folder, start = os.path.split(prefix)
    names = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    near = sorted(each for each in names if start and each.startswith(start))[:8]
    return MXNetError(
        f"[{who}] received {name!r}; expected an .onnx, .pt2, .safetensors, .params or -symbol.json file, or a prefix "
        f"with the files {prefix}{_GRAPH} and {prefix}-0000.params; there is no {path}. What begins like it: "
        f"{', '.join(near) or 'nothing'}. Another epoch is chosen with --epoch."
    )
