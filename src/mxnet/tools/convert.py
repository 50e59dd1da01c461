"""`python -m mxnet convert MODEL --to safetensors|torch|onnx|mxnet`: a model for other software and back, checked."""

import argparse
import os
import zipfile

import numpy as np

from ..base import MXNetError
from ..checkpoint import load_checkpoint
from ..contrib.onnx.checking import run_model
from ..contrib.onnx.mx2onnx.export_model import export_model
from ..contrib.onnx.mx2onnx.graph import input_names
from ..contrib.torch_export import example_inputs as program_inputs
from ..contrib.torch_export import load, verify
from ..formats.atomic import atomic_write, together
from ..formats.params import write
from ..formats.stored import as_stored
from ..formats.tensors import SUFFIX, read_tensors, write_tensors
from ..symbol.to_torch import load_program, save_program, save_tensors
from .inspect_onnx import onnx_inputs
from .locating import params_path
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

_TOLERANCE = 1e-3
_NOTES = {"format": "mxnet"}
_SAME = {"safetensors": SUFFIX, "onnx": ONNX, "torch": PROGRAM, "mxnet": (".params", ".json")}
_EXAMPLES = """examples:
  python -m mxnet convert resnet50 --to onnx --shape 1,3,224,224
  python -m mxnet convert resnet50-0000.params --to safetensors
  python -m mxnet convert resnet50.onnx --to mxnet --output again
  python -m mxnet convert model.pt2 --to mxnet --output model"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "convert",
        help="write a model for other software, or as MXNet's files",
        description="Writes a model as .safetensors (the parameters, and the graph as a note), for PyTorch (.pt2, a "
        "program that torch.export.load reads without this library, and .pt, a state dict), as .onnx, or, from .onnx, "
        ".pt2 and .safetensors, as MXNet's -symbol.json and -0000.params. Whatever is written is read again and "
        "compared with what the model gave before. torch reads .pt2 files, which may run code in them: convert only "
        "those that you trust.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "model",
        help="prefix of PREFIX-symbol.json and PREFIX-0000.params, or one of these files, or an .onnx, .pt2 or "
        ".safetensors file",
    )
    parser.add_argument("--to", required=True, choices=tuple(_WRITERS), help="what to write")
    parser.add_argument(
        "--epoch", type=int, help="number in the name of the parameters' file; by default the only one there is"
    )
    parser.add_argument("--output", help="path of the new file; by default beside the model")
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
    """Converts and checks; 1 if the converted model gives something else."""
    if args.to in _SAME and args.model.endswith(_SAME[args.to]):
        raise ValueError(f"[convert] {args.model} --to {args.to}: it is one already; expected another kind.")
    model = read_model(args.model, args.epoch)
    if args.model.endswith((ONNX, PROGRAM)):
        _complete_by_file(args)
    difference = _WRITERS[args.to](model, args)
    print(f"largest difference {difference:.3g}")
    if not difference <= _TOLERANCE:
        print(f"THE CONVERTED MODEL GIVES OTHER RESULTS: expected at most {_TOLERANCE:g}")
        return 1
    return 0


def _report(path: str) -> None:
    print(f"wrote {path} ({os.path.getsize(path)} bytes)")


def _to_safetensors(model: Model, args: argparse.Namespace) -> float:
    path = args.output or model.base + SUFFIX
    if not path.endswith(SUFFIX):
        raise ValueError(f"[convert] --output: received {path!r}; expected a name that ends with {SUFFIX}.")
    notes = {**_NOTES, **({SYMBOL_NOTE: model.graph_text} if model.graph_text else {})}
    write_tensors(path, model.stored.arrays, model.stored.names, "convert", notes)
    _report(path)
    again = read_tensors(path, "convert")
    names = list(model.stored.names) or [str(place) for place in range(len(model.stored.arrays))]
    written = dict(zip(again.names or names, again.arrays, strict=True))
    before = [np.asarray(as_stored(each).data) for each in model.stored.arrays]
    return largest_difference(before, [np.asarray(written[name].data) for name in names])


def _to_torch(model: Model, args: argparse.Namespace) -> float:
    stem = (args.output or model.base).removesuffix(".pt2").removesuffix(".pt")
    save_tensors(f"{stem}.pt", model.arrays)
    _report(f"{stem}.pt")
    difference = _state_dict_difference(f"{stem}.pt", model.arrays)
    if model.symbol is None or (args.model.endswith(".params") and not args.shape):
        missing = "the graph is not beside it" if model.symbol is None else "give the inputs' shapes with --shape"
        print(f"no {stem}.pt2: {missing}")
        return difference
    inputs = _examples(model, args)
    save_program(f"{stem}.pt2", model.symbol._heads, _used(model), inputs, args.dynamic_batch)
    _report(f"{stem}.pt2")
    found = load_program(f"{stem}.pt2", list(inputs.values()))
    return max(difference, largest_difference(outputs(model.symbol, model.arrays, inputs), found))


def _state_dict_difference(path: str, arrays: dict[str, Array]) -> float:
    """Compares the bytes of the tensors in the archive, which needs no unpickling."""
    with zipfile.ZipFile(path) as archive:
        places = {name.split("/data/", 1)[1]: name for name in archive.namelist() if "/data/" in name}
        found = [
            np.frombuffer(archive.read(places[str(number)]), value.dtype).reshape(value.shape)
            for number, value in enumerate(arrays.values())
        ]
    return largest_difference(list(arrays.values()), found)


def _to_onnx(model: Model, args: argparse.Namespace) -> float:
    if model.symbol is None:
        raise MXNetError(
            f"[convert] received {args.model}; expected its graph beside it: an ONNX file needs the graph too."
        )
    path = args.output or f"{model.base}{ONNX}"
    inputs = _examples(model, args)
    varying = [(None, *value.shape[1:]) for value in inputs.values()] if args.dynamic_batch else None
    export_model(
        model.symbol,
        model.arrays,
        [value.shape for value in inputs.values()],
        [value.dtype for value in inputs.values()],
        path,
        dynamic=args.dynamic_batch,
        dynamic_input_shapes=varying,
    )
    _report(path)
    difference = largest_difference(outputs(model.symbol, model.arrays, inputs), run_model(path, inputs))
    if args.dynamic_batch:
        twice = {name: np.concatenate([value, value]) for name, value in inputs.items()}
        more = largest_difference(outputs(model.symbol, model.arrays, twice), run_model(path, twice))
        difference = max(difference, more)
    return difference


def _to_mxnet(model: Model, args: argparse.Namespace) -> float:
    if not args.model.endswith((ONNX, PROGRAM, SUFFIX)):
        raise ValueError(
            f"[convert] {args.model} --to mxnet: it is one already; expected an .onnx, .pt2 or .safetensors file."
        )
    if model.symbol is None:
        raise MXNetError(f"[convert] {args.model} has no graph in it; expected one written with --to safetensors.")
    epoch = args.epoch or 0
    prefix = (args.output or model.base).removesuffix("-symbol.json")
    graph, params = f"{prefix}-symbol.json", params_path(prefix, epoch)
    with together():
        model.symbol.save(graph)
        with atomic_write(params, "convert") as stream:
            write(stream, model.stored.arrays, model.stored.names, who="convert")
    _report(graph)
    _report(params)
    if args.model.endswith(PROGRAM):
        return verify(load(args.model), *load_checkpoint(prefix, epoch)).relative
    again = read_model(prefix, epoch)
    if not args.model.endswith(ONNX):
        return largest_difference(list(model.arrays.values()), [again.arrays[name] for name in model.arrays])
    inputs = _examples(again, args)
    assert again.symbol is not None
    return largest_difference(run_model(args.model, inputs), outputs(again.symbol, again.arrays, inputs))


def _complete_by_file(args: argparse.Namespace) -> None:
    """Takes shapes and dtypes that were not given from the file; some size for a length that may differ."""
    if args.model.endswith(PROGRAM):
        examples = program_inputs(load(args.model))
        found = {name: (value.shape, value.dtype.name) for name, value in examples.items()}
    else:
        found = onnx_inputs(args.model)
    args.shape = args.shape or [f"{name}={','.join(str(n or 1) for n in shape)}" for name, (shape, _) in found.items()]
    args.dtype = args.dtype or [f"{name}={dtype}" for name, (_, dtype) in found.items()]


def _used(model: Model) -> dict[str, Array]:
    """The parameters that the graph has."""
    assert model.symbol is not None
    known = set(model.symbol.list_inputs())
    return {name: value for name, value in model.arrays.items() if name in known}


def _examples(model: Model, args: argparse.Namespace) -> dict[str, Array]:
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
    return example_inputs({name: shapes[name] for name in names}, dtypes)


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


_WRITERS = {"safetensors": _to_safetensors, "torch": _to_torch, "onnx": _to_onnx, "mxnet": _to_mxnet}
