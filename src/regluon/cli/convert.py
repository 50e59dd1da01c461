"""`python -m mxnet convert MODEL --to safetensors|torch|onnx|mxnet`: a model for other software and back, verified."""

import argparse
import os

from ..convert.torch_export import WrongConversion, load
from ..convert.torch_export import example_inputs as program_inputs
from ..formats.tensors import SUFFIX
from .conversions import FORMATS, TOLERANCE, Verdict
from .exits import DONE, EXPECTED_ERRORS, FAILED, HelpFormatter, describe_exits
from .inspect_onnx import onnx_inputs
from .model_files import ONNX, PROGRAM, base_of, read_model
from .progress import activity
from .targets import Targets, add_force, existing_files, unused_stem

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
