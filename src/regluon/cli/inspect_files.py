"""Implement `python -m mxnet inspect`."""

import argparse
import difflib
import os
from collections.abc import Callable

from ..errors import FileFormatError
from ..formats.atomic import open_mapped
from ..formats.params import LIST_MAGIC, read
from ..formats.symbol_json import VARIABLE, read_symbol_json
from .inspect_arrays import describe_index, describe_params, describe_records, describe_states, describe_tensors
from .inspect_graph import describe_onnx, describe_symbol
from .model_files import epochs_of, params_path
from .output import DONE, FAILED, HelpFormatter, describe_exits, listed


def is_prefix(path: str) -> bool:
    """Whether there are a model's files that begin with a path, and no file of that name itself."""
    if os.path.exists(path):
        return False
    return os.path.exists(f"{path}-symbol.json") or bool(epochs_of(path))


def describe_prefix(path: str, show_all: bool) -> list[str]:
    """The graph, the newest parameters, and what one has that the other lacks."""
    epochs = epochs_of(path)
    graph = f"{path}-symbol.json"
    has_graph = os.path.exists(graph)
    lines = [f"model     {path}", f"epochs    {listed([str(epoch) for epoch in epochs]) or 'no parameters'}"]
    if has_graph and epochs:
        lines += _fit(graph, params_path(path, epochs[-1]))
    if has_graph:
        lines += ["", *describe_symbol(graph, show_all)]
    if epochs:
        lines += ["", *describe_params(params_path(path, epochs[-1]), show_all)]
    return lines


def _fit(graph: str, params: str) -> list[str]:
    record = read_symbol_json(bytes(open_mapped(graph, "inspect")))
    variables = [node.name for node in record.nodes if node.op == VARIABLE]
    contents = read(open_mapped(params, "inspect"), params, "inspect")
    saved = {name.split(":", 1)[1] if name.startswith(("arg:", "aux:")) else name for name in contents.names}
    extra = sorted(saved - set(variables))
    absent = [name for name in variables if name not in saved]
    lines = [f"fits      {len(saved) - len(extra)} of {len(variables)} variables have parameters"]
    if absent:
        lines.append(f"inputs    {listed(absent)}: not among the parameters")
    if extra:
        near = difflib.get_close_matches(extra[0], absent, 1)
        meant = f"; the nearest to {extra[0]} is {near[0]}" if near else ""
        lines.append(f"PROBLEM   the graph has no {listed(extra)}{meant}")
    return lines


Describe = Callable[[str, bool], list[str]]

_BY_SUFFIX: dict[str, Describe] = {
    ".params": describe_params,
    ".nd": describe_params,
    ".safetensors": describe_tensors,
    ".json": describe_symbol,
    ".rec": describe_records,
    ".idx": describe_index,
    ".states": describe_states,
    ".onnx": describe_onnx,
}
_RECORD_MARK = bytes.fromhex("0a23d7ce")
_EXITS = {DONE: "everything is shown", FAILED: "a file is missing, damaged or of no known kind; the message says which"}
_EXAMPLES = """python -m mxnet inspect resnet50           # resnet50-symbol.json and its parameters
python -m mxnet inspect train.rec --all"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "inspect",
        help="show what a file or a model holds",
        description="Shows what is in a .params, .safetensors, symbol .json, .onnx, .rec, .idx or .states file, in a "
        "checkpoint of gluon.contrib.Checkpoint, or in the files of a prefix, and whether these fit each other. "
        "Nothing in a file is executed, and only what is shown is read.",
        epilog=describe_exits(_EXITS, _EXAMPLES),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("file", nargs="+", help="the files, or prefixes of models")
    parser.add_argument("--all", action="store_true", help="show every array, operator and record")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what each file holds."""
    for place, path in enumerate(args.file):
        lines = describe(path, args.all)
        print("\n".join([""] * bool(place) + lines))
    return DONE


def describe(path: str, show_all: bool = False) -> list[str]:
    """What a file, or the model of a prefix, holds, in lines.

    Raises:
        MXNetError: the file is missing, damaged, or of no known kind.
    """
    if is_prefix(path):
        return describe_prefix(path, show_all)
    for suffix, describer in _BY_SUFFIX.items():
        if path.lower().endswith(suffix):
            return describer(path, show_all)
    head = bytes(open_mapped(path, "inspect")[:16])
    if head[:8] == LIST_MAGIC.to_bytes(8, "little"):
        return describe_params(path, show_all)
    if head[:4] == _RECORD_MARK:
        return describe_records(path, show_all)
    if head[8:9] == b"{":
        return describe_tensors(path, show_all)
    if head.lstrip()[:1] == b"{":
        return describe_symbol(path, show_all)
    if head[:1] == b"\x80":
        return describe_states(path, show_all)
    raise FileFormatError(
        f"[inspect] {path}: received a file beginning with {head[:8].hex(' ') or 'nothing'}; expected one of "
        f"{', '.join(_BY_SUFFIX)}."
    )
