"""Implement `python -m mxnet convert`."""

import argparse
import os
import zipfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..base import MXNetError
from ..convert.onnx.mx2onnx.export_model import export_model
from ..convert.onnx.mx2onnx.graph import input_names
from ..convert.onnx.runtime import run_model
from ..convert.torch_export import WrongConversion, load, verify
from ..convert.torch_export import example_inputs as program_inputs
from ..formats.atomic import atomic_write
from ..formats.params import write
from ..formats.tensors import SUFFIX, as_stored, read_notes, read_tensors, write_tensors
from ..symbol import Symbol
from ..symbol.checkpoint import load_checkpoint
from ..symbol.torch_export import load_program, save_program, save_tensors
from .inspect_graph import onnx_inputs
from .model_files import (
    ONNX,
    PROGRAM,
    SYMBOL_NOTE,
    Array,
    Model,
    base_of,
    example_inputs,
    largest_difference,
    outputs,
    read_model,
)
from .output import (
    DONE,
    EXPECTED_ERRORS,
    FAILED,
    HelpFormatter,
    Targets,
    activity,
    add_force,
    describe_exits,
    existing_files,
    progress,
    unused_stem,
)

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


DIFFERS = 3
UNVERIFIED = 4
_EXITS = {
    DONE: "the files are written and verified",
    FAILED: "nothing is written; the message says why",
    DIFFERS: "the files are written, and the converted model gives other results",
    UNVERIFIED: "the files are written, and could not be verified; the message says why",
}
_EXAMPLES = """python -m mxnet convert resnet50 --to onnx --shape 1,3,224,224
python -m mxnet convert resnet50-0000.params --to safetensors
python -m mxnet convert resnet50.onnx --to mxnet --output again
python -m mxnet convert model.pt2 --to mxnet --output model"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = commands.add_parser(
        "convert",
        help="write a model for other software, or as MXNet's files",
        description="Writes a model as .safetensors (the parameters, and the graph as a note), for PyTorch (.pt2, a "
        "program that torch.export.load reads without this library, and .pt, a state dict), as .onnx, or, from .onnx, "
        ".pt2 and .safetensors, as MXNet's -symbol.json and -0000.params. Written files are read again and compared "
        "with the model; the last line says how much they differ. New files are named after the model; if one of "
        "them exists, MODEL-1 is taken, then MODEL-2 and so on. An existing file is replaced with --force only. torch "
        "reads .pt2 files, which may run code in them: convert only those that you trust.",
        epilog=describe_exits(_EXITS, _EXAMPLES),
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "model",
        help="prefix of PREFIX-symbol.json and PREFIX-0000.params, or one of these files, or an .onnx, .pt2 or "
        ".safetensors file",
    )
    parser.add_argument("--to", required=True, choices=tuple(FORMATS), help="what to write")
    parser.add_argument(
        "--epoch", type=int, help="number in the name of the parameters' file; by default the only one there is"
    )
    parser.add_argument("--output", help="path or prefix of the new files; by default beside the model")
    add_force(parser)
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=1,3,224,224",
        help="shape of an input; the name may be left out where there is one input",
    )
    parser.add_argument("--dtype", action="append", default=[], metavar="NAME=int32", help="dtype of an input")
    parser.add_argument("--dynamic-batch", action="store_true", help="let the first length differ from run to run")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files of a converted model, compare them with the model and return the exit status."""
    form = FORMATS[args.to]
    if args.model.endswith(form.sources) or (args.to == "mxnet" and not args.model.endswith((ONNX, PROGRAM, SUFFIX))):
        raise ValueError(f"[convert] {args.model} --to {args.to}: it is one already; expected {_other(args.to)}.")
    targets = Targets(_choose_paths(args), "convert", "Give another name with --output", args.force)
    targets.expect_new()
    with activity(f"convert: reading {args.model}"):
        model = read_model(args.model, args.epoch)
        if args.model.endswith((ONNX, PROGRAM)):
            _complete_by_file(args)
    with activity(f"convert: writing {targets.paths[0]}"), targets.save():
        written = form.write(model, args, targets.paths)
    for path in written:
        print(f"wrote {path} ({os.path.getsize(path)} bytes)")
    try:
        return _judge(form.verify(model, args, written))
    except WrongConversion as error:
        print(f"WRONG: {error}")
        return DIFFERS
    except (*EXPECTED_ERRORS, RuntimeError) as error:  # RuntimeError: torch's own, of a program
        print(f"NOT VERIFIED: {error}")
        return UNVERIFIED


def _judge(verdict: Verdict) -> int:
    text = f"{verdict.compared}, largest relative difference {verdict.difference:.2g}"
    if verdict.difference <= TOLERANCE:
        print(f"verified: {text}")
        return DONE
    print(f"WRONG: {text}; expected at most {TOLERANCE:g}. The converted model gives other results: do not use it.")
    return DIFFERS


def _other(kind: str) -> str:
    return "an .onnx, .pt2 or .safetensors file" if kind == "mxnet" else "another kind"


def _choose_paths(args: argparse.Namespace) -> list[str]:
    """Return the paths of the new files: those of `--output`, else names beside the model that do not exist."""
    endings = [ending.format(epoch=args.epoch or 0) for ending in FORMATS[args.to].endings]
    if args.output:
        if args.to == "safetensors" and not args.output.endswith(SUFFIX):
            raise ValueError(f"[convert] --output: received {args.output!r}; expected a name that ends with {SUFFIX}.")
        if len(endings) == 1:
            return [args.output]
        given = next((ending for ending in endings if args.output.endswith(ending)), "")
        return [args.output.removesuffix(given) + ending for ending in endings]
    base = base_of(args.model, args.epoch)
    stem = base if args.force else unused_stem(base, lambda stem: [stem + ending for ending in endings])
    if stem != base:
        existing = existing_files([base + ending for ending in endings])
        print(f"kept {', '.join(existing)}: the new name is {stem}; --force replaces existing files")
    return [stem + ending for ending in endings]


def _complete_by_file(args: argparse.Namespace) -> None:
    """Take shapes and dtypes missing from the command line from the file; a dynamic length becomes 1."""
    if args.model.endswith(PROGRAM):
        examples = program_inputs(load(args.model))
        found = {name: (value.shape, value.dtype.name) for name, value in examples.items()}
    else:
        found = onnx_inputs(args.model)
    args.shape = args.shape or [f"{name}={','.join(str(n or 1) for n in shape)}" for name, (shape, _) in found.items()]
    args.dtype = args.dtype or [f"{name}={dtype}" for name, (_, dtype) in found.items()]
