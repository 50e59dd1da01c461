"""Formats that `convert` writes: each with a function that writes a model and one that compares the files with it."""

import argparse
import zipfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..base import MXNetError
from ..convert.onnx.checking import run_model
from ..convert.onnx.mx2onnx.export_model import export_model
from ..convert.onnx.mx2onnx.graph import input_names
from ..convert.torch_export import load, verify
from ..formats.atomic import atomic_write
from ..formats.params import write
from ..formats.stored import as_stored
from ..formats.tensors import SUFFIX, read_notes, read_tensors, write_tensors
from ..symbol import Symbol
from ..symbol.checkpoint import load_checkpoint
from ..symbol.to_torch import load_program, save_program, save_tensors
from .model_files import (
    ONNX,
    PROGRAM,
    SYMBOL_NOTE,
    Array,
    Model,
    example_inputs,
    largest_difference,
    outputs,
    read_model,
)
from .progress import progress

TOLERANCE = 1e-3
_BATCHES = 3
_NOTES = {"format": "mxnet"}


class Verdict(NamedTuple):
    """The result of comparing written files with their model.

    Attributes:
        compared: the compared objects and their number, such as `3 batches`.
        difference: the largest difference relative to the largest number of the same output or array.
    """

    compared: str
    difference: float


class Format(NamedTuple):
    """A format that models are converted to.

    Attributes:
        sources: endings of the files that already have the format.
        endings: endings of the files that are written; `{epoch}` is the number of the parameters' file.
        write: writes a model to paths, in the order of the endings, and returns the paths of the files it wrote.
        verify: compares the written files with the model. Raises WrongConversion if shapes differ, MXNetError or
            ImportError if a comparison is impossible.
    """

    sources: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[Model, argparse.Namespace, Sequence[str]], Sequence[str]]
    verify: Callable[[Model, argparse.Namespace, Sequence[str]], Verdict]


# -- safetensors ----------------------------------------------------------------------------------------------------


def _write_safetensors(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Sequence[str]:
    notes = {**_NOTES, **({SYMBOL_NOTE: model.graph_text} if model.graph_text else {})}
    write_tensors(paths[0], model.stored.arrays, model.stored.names, "convert", notes)
    return paths


def _verify_safetensors(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Verdict:
    again = read_tensors(paths[0], "convert")
    names = list(model.stored.names) or [str(place) for place in range(len(model.stored.arrays))]
    written = dict(zip(again.names or names, again.arrays, strict=True))
    before = [np.asarray(as_stored(each).data) for each in model.stored.arrays]
    difference = largest_difference(before, [np.asarray(written[name].data) for name in names])
    is_same = read_notes(paths[0], "convert").get(SYMBOL_NOTE, "") == model.graph_text
    return _arrays_verdict(len(names), difference, model, is_same)


def _arrays_verdict(count: int, difference: float, model: Model, is_same_graph: bool) -> Verdict:
    compared = f"{count} arrays" if model.symbol is None else f"{count} arrays and the graph"
    return Verdict(compared, difference if is_same_graph else float("inf"))


# -- torch ----------------------------------------------------------------------------------------------------------


def _write_torch(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Sequence[str]:
    tensors, program = paths
    save_tensors(tensors, model.arrays)
    if model.symbol is None or (args.model.endswith(".params") and not args.shape):
        missing = "the graph is not beside it" if model.symbol is None else "give the inputs' shapes with --shape"
        print(f"no {program}: {missing}")
        return [tensors]
    known = set(model.symbol.list_inputs())
    params = {name: value for name, value in model.arrays.items() if name in known}
    save_program(program, model.symbol._heads, params, _batches(model, args)[0], args.dynamic_batch)
    return paths


def _verify_torch(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Verdict:
    difference = _state_dict_difference(paths[0], model.arrays)
    if len(paths) == 1:
        return Verdict(f"{len(model.arrays)} arrays", difference)
    program = load_program(paths[1])
    found = _compare(model, _batches(model, args), lambda inputs: program(list(inputs.values())))
    return found._replace(difference=max(found.difference, difference))


def _state_dict_difference(path: str, arrays: dict[str, Array]) -> float:
    """Return the largest difference from the tensors in an archive; their bytes need no unpickling."""
    with zipfile.ZipFile(path) as archive:
        places = {name.split("/data/", 1)[1]: name for name in archive.namelist() if "/data/" in name}
        found = [
            np.frombuffer(archive.read(places[str(number)]), value.dtype).reshape(value.shape)
            for number, value in enumerate(arrays.values())
        ]
    return largest_difference(list(arrays.values()), found)


# -- onnx -----------------------------------------------------------------------------------------------------------


def _write_onnx(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Sequence[str]:
    if model.symbol is None:
        raise MXNetError(
            f"[convert] received {args.model}; expected its graph beside it: an ONNX file needs the graph too."
        )
    inputs = _batches(model, args)[0]
    varying = [(None, *value.shape[1:]) for value in inputs.values()] if args.dynamic_batch else None
    export_model(
        model.symbol,
        model.arrays,
        [value.shape for value in inputs.values()],
        [value.dtype for value in inputs.values()],
        paths[0],
        dynamic=args.dynamic_batch,
        dynamic_input_shapes=varying,
    )
    return paths


def _verify_onnx(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Verdict:
    return _compare(model, _batches(model, args), lambda inputs: run_model(paths[0], inputs))


# -- mxnet ----------------------------------------------------------------------------------------------------------


def _write_mxnet(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Sequence[str]:
    if model.symbol is None:
        raise MXNetError(f"[convert] {args.model} has no graph in it; expected one written with --to safetensors.")
    graph, params = paths
    model.symbol.save(graph)
    with atomic_write(params, "convert") as stream:
        write(stream, model.stored.arrays, model.stored.names, who="convert")
    return paths


def _verify_mxnet(model: Model, args: argparse.Namespace, paths: Sequence[str]) -> Verdict:
    prefix, epoch = paths[0].removesuffix("-symbol.json"), args.epoch or 0
    if args.model.endswith(PROGRAM):
        program, checkpoint = load(args.model), load_checkpoint(prefix, epoch)
        seeds = progress(range(_BATCHES), _BATCHES, "convert: verifying batch")
        return Verdict(f"{_BATCHES} batches", max(verify(program, *checkpoint, seed).relative for seed in seeds))
    again = read_model(prefix, epoch)
    if args.model.endswith(ONNX):
        return _compare(again, _batches(again, args), lambda inputs: run_model(args.model, inputs))
    difference = largest_difference(list(model.arrays.values()), [again.arrays[name] for name in model.arrays])
    return _arrays_verdict(len(model.arrays), difference, model, _json(again.symbol) == _json(model.symbol))


def _json(symbol: Symbol | None) -> str:
    return "" if symbol is None else symbol.tojson()


# -- inputs and comparison ------------------------------------------------------------------------------------------


def _compare(model: Model, batches: list[dict[str, Array]], run: Callable[[dict[str, Array]], list[Array]]) -> Verdict:
    """Run a model here and elsewhere on the same inputs.

    Raises:
        WrongConversion: the number of outputs or their shapes differ.
        MXNetError: the results cannot be compared, because none is finite or the model's own change from run to run.
    """
    assert model.symbol is not None
    difference, is_finite = 0.0, False
    for inputs in progress(batches, len(batches), "convert: verifying batch"):
        expected = outputs(model.symbol, model.arrays, inputs)
        is_finite |= any(np.isfinite(value).any() for value in expected)
        found = largest_difference(expected, run(inputs))
        if not found <= TOLERANCE:
            own = largest_difference(expected, outputs(model.symbol, model.arrays, inputs))
            if not own <= TOLERANCE:
                raise MXNetError("the model's own results differ from run to run; it may draw random numbers.")
        difference = max(difference, found)
    if not is_finite:
        raise MXNetError("the model gives no finite number for random inputs between 0 and 1.")
    return Verdict(f"{len(batches)} batches", difference)


def _batches(model: Model, args: argparse.Namespace) -> list[dict[str, Array]]:
    """Return random inputs of the shapes and dtypes on the command line; a dynamic batch is tried at two sizes."""
    assert model.symbol is not None
    names = input_names(model.symbol._heads, model.arrays)
    shapes = {name: _shape(text) for name, text in _named(args.shape, names, "--shape").items()}
    missing = [name for name in names if name not in shapes]
    if missing:
        raise ValueError(
            f"[convert] the shapes of {', '.join(missing)} are needed; give each, as in "
            f"--shape {missing[0]}=1,3,224,224. What is no input must be among the parameters."
        )
    dtypes = {name: _dtype(text) for name, text in _named(args.dtype, names, "--dtype").items()}
    given = {name: shapes[name] for name in names}
    found = [example_inputs(given, dtypes, seed) for seed in range(_BATCHES)]
    if args.dynamic_batch:
        twice = {name: (2 * shape[0], *shape[1:]) for name, shape in given.items()}
        found.append(example_inputs(twice, dtypes, _BATCHES))
    return found


def _named(given: list[str], names: list[str], option: str) -> dict[str, str]:
    found = {}
    for text in given:
        name, mark, value = text.rpartition("=")
        if not mark and len(names) == 1:
            name = names[0]
        if name not in names:
            raise ValueError(f"[convert] {option} {text}: the inputs are {', '.join(names) or 'none'}.")
        found[name] = value
    return found


def _dtype(text: str) -> str:
    try:
        return np.dtype(text).name
    except TypeError:
        raise ValueError(f"[convert] --dtype: received {text!r}; expected one of NumPy, such as float32.") from None


def _shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(part) for part in text.strip("()").split(",") if part.strip())
    except ValueError:
        shape = ()
    if not shape or min(shape) < 1:
        raise ValueError(f"[convert] --shape: received {text!r}; expected lengths from 1 on, as in 1,3,224,224.")
    return shape


FORMATS = {
    "safetensors": Format((SUFFIX,), (SUFFIX,), _write_safetensors, _verify_safetensors),
    "torch": Format((PROGRAM,), (".pt", PROGRAM), _write_torch, _verify_torch),
    "onnx": Format((ONNX,), (ONNX,), _write_onnx, _verify_onnx),
    "mxnet": Format((), ("-symbol.json", "-{epoch:04d}.params"), _write_mxnet, _verify_mxnet),
}
