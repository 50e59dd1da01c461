"""What the files of a prefix hold together, and whether they fit each other."""

import difflib
import os

from ..formats.atomic import open_mapped
from ..formats.params import read
from ..formats.symbol_json import VARIABLE, read_symbol_json
from .inspect_arrays import describe_params
from .inspect_graph import describe_symbol
from .locating import epochs_of, params_path
from .text import listed


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
