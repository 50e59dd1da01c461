"""A model read from its files, and what it gives for made-up inputs."""

from typing import Any, NamedTuple

import numpy as np

from ..array import NDArray, array
from ..array import load as load_arrays
from ..context import cpu
from ..convert.onnx.onnx2mx.import_model import import_model
from ..convert.torch_export import WrongConversion, from_exported_program
from ..formats.atomic import open_mapped
from ..formats.params import read
from ..formats.stored import Contents
from ..formats.tensors import SUFFIX, read_notes, read_tensors
from ..symbol import Symbol, load_json
from ..symbol import load as load_symbol
from .locating import locate

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
