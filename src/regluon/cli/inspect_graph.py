"""What a symbol file holds; operators need not be known, nothing is executed."""

import os
from collections import Counter

from ..base import MXNetError
from ..formats.atomic import open_mapped
from ..formats.symbol_json import VARIABLE, GraphRecord, NodeRecord, read_symbol_json
from ..graph.node import variables
from ..graph.records import from_record
from ..graph.upgrade import upgrade
from ..ops.registry import names as operator_names
from .text import bytes_text, listed, table

_LINES = 16
_WEIGHTS = ("weight", "bias", "gamma", "beta", "parameters", "mean", "var", "label")


def describe_symbol(path: str, show_all: bool) -> list[str]:
    """The graph: version, inputs, outputs, operators, parameters."""
    record = read_symbol_json(bytes(open_mapped(path, "inspect")))
    operators = [node for node in record.nodes if node.op != VARIABLE]
    counts = Counter(node.op for node in operators)
    known = {name for name, _ in operator_names()}
    unknown = sorted({node.op for node in operators} - known)
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        f"kind      symbol, written by MXNet {_version(record)}",
        f"nodes     {len(record.nodes)}: {len(operators)} operators, {len(record.nodes) - len(operators)} variables",
    ]
    lines += _variables_text(record, bool(unknown))
    lines.append(f"outputs   {listed([_output(record, place, index) for place, index in record.heads])}")
    if unknown:
        lines.append(f"UNKNOWN   {', '.join(f'{name} ({counts[name]})' for name in unknown)}: cannot be run here")
    lines.append("operators")
    return lines + table([(count, name) for name, count in counts.most_common()], 0 if show_all else _LINES)


def _version(record: GraphRecord) -> str:
    if "mxnet_version" not in record.attrs:
        return "0.8 or before (no version is noted)"
    number = record.version
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _output(record: GraphRecord, place: int, index: int) -> str:
    node = record.nodes[place]
    return f"{node.name} ({node.op}{f', output {index}' if index else ''})"


def _variables_text(record: GraphRecord, incomplete: bool) -> list[str]:
    """Inputs and parameters; which states are updated is only known where all operators are."""
    found = [(place, node) for place, node in enumerate(record.nodes) if node.op == VARIABLE]
    data = _used_first(record)
    inputs = [(place, node) for place, node in found if place in data and not node.name.endswith(_WEIGHTS)]
    given = {place for place, _ in inputs}
    labels = [node.name for _, node in found if node.name.endswith("label")]
    others = [node.name for place, node in found if place not in given and not node.name.endswith("label")]
    lines = [f"inputs    {listed([_needs(node) for _, node in inputs]) or 'none'}"]
    if labels:
        lines.append(f"labels    {listed(labels)}")
    states: list[str] = []
    if not incomplete:
        try:
            states = [node.name for node in variables(from_record(upgrade(record))).auxiliary]
        except MXNetError as error:
            lines.append(f"PROBLEM   {error}")
    lines.append(f"params    {len(others)}{f', {len(states)} of them states' if states else ''}: {listed(others, 6)}")
    return lines


def _used_first(record: GraphRecord) -> set[int]:
    """The nodes that are the first input of some operator, or an output of the graph: data come first."""
    first = {node.inputs[0][0] for node in record.nodes if node.inputs}
    return first | {place for place, _ in record.heads}


def _needs(node: NodeRecord) -> str:
    said = [f"{key.strip('_')} {node.attrs[key]}" for key in ("__shape__", "__dtype__") if key in node.attrs]
    return f"{node.name}{f' ({chr(44).join(said)})' if said else ''}"
