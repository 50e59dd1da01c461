"""What an ONNX file holds; the package `onnx` reads it, nothing is executed."""

import os
from collections import Counter
from typing import Any

from ..convert.onnx.onnx2mx.import_model import load_onnx
from ..convert.onnx.onnx2mx.importers import IMPORTS
from .text import bytes_text, listed, table

_LINES = 16
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
    return lines + table([(count, name) for name, count in counts.most_common()], 0 if show_all else _LINES)


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
