"""Describe symbol files and ONNX files."""

import os
from collections import Counter
from typing import Any

from ..base import MXNetError
from ..convert.onnx.onnx2mx.import_model import load_onnx
from ..convert.onnx.onnx2mx.importers import IMPORTS
from ..formats.atomic import open_mapped
from ..formats.symbol_json import VARIABLE, GraphRecord, NodeRecord, read_symbol_json
from ..graph.node import variables
from ..graph.records import from_record
from ..graph.upgrade import upgrade
from ..ops.registry import names as operator_names
from .output import bytes_text, listed, table

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


_ONNX_LINES = 16
_DEFAULT_DOMAINS = ("", "ai.onnx")


def describe_onnx(path: str, show_all: bool) -> list[str]:
    """The graph: who wrote it, inputs, outputs, operators, and whether it can be imported."""
    onnx, model = load_onnx(path, "inspect")
    graph = model.graph
    opsets = [f"{entry.domain or 'ai.onnx'} {entry.version}" for entry in model.opset_import]
    counts = Counter(node.op_type for node in graph.node)
    unknown = sorted(
        {
            node.op_type
            for node in graph.node
            if node.op_type != "Constant" and (node.op_type not in IMPORTS or node.domain not in _DEFAULT_DOMAINS)
        }
    )
    inputs = [_value_text(onnx, each) for each in _inputs(graph)]
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        f"kind      ONNX, IR version {model.ir_version}, opset {', '.join(opsets)}",
        f"written   by {model.producer_name or 'nobody named'} {model.producer_version}".rstrip(),
        f"nodes     {len(graph.node)}, {len(graph.initializer)} constants",
        f"inputs    {listed(inputs) or 'none'}",
        f"outputs   {listed([_value_text(onnx, each) for each in graph.output])}",
    ]
    if unknown:
        lines.append(f"UNKNOWN   {', '.join(f'{name} ({counts[name]})' for name in unknown)}: cannot be imported here")
    lines.append("operators")
    return lines + table([(count, name) for name, count in counts.most_common()], 0 if show_all else _ONNX_LINES)


def onnx_inputs(path: str) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shapes and dtypes of a file's inputs by name; a length that may differ is 0."""
    onnx, model = load_onnx(path, "convert")
    return {each.name: (_shape(each), _dtype(onnx, each)) for each in _inputs(model.graph)}


def _inputs(graph: Any) -> list[Any]:
    constants = {each.name for each in graph.initializer}
    return [each for each in graph.input if each.name not in constants]


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(int(length.dim_value) for length in value.type.tensor_type.shape.dim)


def _dtype(onnx: Any, value: Any) -> str:
    kind = value.type.tensor_type.elem_type
    return str(onnx.helper.tensor_dtype_to_np_dtype(kind).name) if kind else "float32"


def _value_text(onnx: Any, value: Any) -> str:
    shape = "x".join(str(length or "?") for length in _shape(value))
    return f"{value.name} ({_dtype(onnx, value)} {shape or '()'})"
