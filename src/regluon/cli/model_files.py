"""Find the files of a model and load it."""

import os
import re
from typing import Any, NamedTuple

import numpy as np

from ..array import NDArray, array
from ..array import load as load_arrays
from ..base import MXNetError
from ..context import cpu
from ..convert.onnx.onnx2mx.import_model import import_model
from ..convert.torch_export import WrongConversion, from_exported_program
from ..formats.atomic import open_mapped
from ..formats.params import read
from ..formats.tensors import SUFFIX, Contents, read_notes, read_tensors
from ..symbol import Symbol, load_json
from ..symbol import load as load_symbol

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


Array = np.ndarray[Any, Any]
ONNX = ".onnx"
PROGRAM = ".pt2"  # of torch.export
SYMBOL_NOTE = "mxnet.symbol"  # where a .safetensors file has the graph


class Model(NamedTuple):
    """A model read from files.

    Attributes:
        symbol: the graph; None if there are parameters only.
        graph_text: the text of the graph's file.
        stored: the parameters as the file has them.
        arrays: the parameters by name, without `arg:` and `aux:`.
    """

    symbol: Symbol | None
    graph_text: str
    stored: Contents
    arrays: dict[str, Array]


def base_of(name: str, epoch: int | None) -> str:
    """Return the path, without an ending, after which files made from a model are named."""
    for ending in (ONNX, PROGRAM):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return locate(name, epoch, "convert").base


def read_model(name: str, epoch: int | None) -> Model:
    """The model of a prefix or of one of its files: `.params`, `-symbol.json`, `.safetensors`, `.onnx` or `.pt2`."""
    if name.endswith(ONNX):
        return _imported(*import_model(name))
    if name.endswith(PROGRAM):
        return _imported(*from_exported_program(name))
    files = locate(name, epoch, "convert")
    contents = _contents(files.params)
    text = files.graph and bytes(open_mapped(files.graph, "convert")).decode("utf-8", "replace")
    if files.params.endswith(SUFFIX):
        text = read_notes(files.params, "convert").get(SYMBOL_NOTE, "")
    symbol = load_symbol(files.graph) if files.graph else load_json(text) if text else None
    return Model(symbol, text, contents, _arrays(files.params))


def _imported(symbol: Symbol, arguments: dict[str, NDArray], states: dict[str, NDArray]) -> Model:
    marked = {f"arg:{name}": value for name, value in arguments.items()}
    marked |= {f"aux:{name}": value for name, value in states.items()}
    contents = Contents([value._to_stored() for value in marked.values()], list(marked))
    arrays = {name[4:]: value.asnumpy() for name, value in marked.items()}
    return Model(symbol, symbol.tojson(), contents, arrays)


def _contents(path: str) -> Contents:
    if path.endswith(SUFFIX):
        return read_tensors(path, "convert")
    return read(open_mapped(path, "convert"), path, "convert")


def _arrays(path: str) -> dict[str, Array]:
    found = load_arrays(path)
    if not isinstance(found, dict):
        return {str(place): value.asnumpy() for place, value in enumerate(found)}
    return {(name[4:] if name.startswith(("arg:", "aux:")) else name): value.asnumpy() for name, value in found.items()}


def example_inputs(shapes: dict[str, tuple[int, ...]], dtypes: dict[str, str], seed: int) -> dict[str, Array]:
    """Return random numbers between 0 and 1 for every input, the same for a seed; integer inputs get 0 and 1."""
    draw = np.random.RandomState(seed)
    found = {}
    for name, shape in shapes.items():
        values = draw.uniform(0, 1, shape)
        kind = np.dtype(dtypes.get(name, "float32"))
        found[name] = (np.round(values) if kind.kind in "iub" else values).astype(kind)
    return found


def outputs(symbol: Symbol, params: dict[str, Array], inputs: dict[str, Array]) -> list[Array]:
    """What this library computes."""
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    shapes, _, _ = symbol.infer_shape(**{name: value.shape for name, value in inputs.items()})
    given = {name: array(value, dtype=value.dtype) for name, value in {**params, **inputs}.items() if name in names}
    for name, shape in zip(symbol.list_arguments(), shapes or (), strict=False):
        if name not in given and name.endswith("label"):
            given[name] = array(np.zeros(shape, np.float32))
    states = {name: given.pop(name) for name in symbol.list_auxiliary_states() if name in given}
    executor = symbol.bind(cpu(), given, aux_states=states, grad_req="null")
    return [output.asnumpy() for output in executor.forward(is_train=False)]


def largest_difference(mine: list[Array], theirs: list[Array]) -> float:
    """Return the largest difference of two lists of outputs, each relative to the largest number of the output.

    Raises:
        WrongConversion: the number of outputs or their shapes differ.
    """
    if [value.shape for value in mine] != [value.shape for value in theirs]:
        raise WrongConversion(
            f"[convert] the converted model gives the shapes {[value.shape for value in theirs]}; expected "
            f"{[value.shape for value in mine]}."
        )
    found = 0.0
    for a, b in zip(mine, theirs, strict=True):
        if a.size:
            a, b = a.astype(np.float64), b.astype(np.float64)
            if (np.isnan(a) != np.isnan(b)).any():
                return float("inf")
            same = (a == b) | np.isnan(a)
            scale = float(np.abs(a[np.isfinite(a)]).max(initial=0)) or 1.0
            found = max(found, float(np.where(same, 0, np.abs(a - b)).max()) / scale)
    return found
