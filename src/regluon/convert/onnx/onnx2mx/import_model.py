"""Reads ONNX files."""

from os import PathLike, fspath
from typing import Any

import numpy as np

from ....array import NDArray, array
from ....base import MXNetError
from ....formats.atomic import open_current
from ....symbol import Group, Symbol, var
from ..runtime import onnx_package
from .importers import IMPORTS
from .node import Array, NotImportable, OnnxNode, Values, label, name_of


class UnsupportedOnnx(MXNetError, NotImplementedError):
    """An ONNX file has nodes that cannot be imported; the text lists all of them."""

    __module__ = "mxnet.contrib.onnx.onnx2mx.import_model"


def import_model(model_file: str | PathLike[str]) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """The network in an ONNX file.

    Args:
        model_file: the file.

    Returns:
        The graph, its parameters and its states by name.

    Raises:
        UnsupportedOnnx: nodes that cannot be imported; the text lists all of them.

    Example:
        >>> sym, arg_params, aux_params = mx.contrib.onnx.import_model("net.onnx")
    """
    onnx, model = load_onnx(model_file, "import_model")
    opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)
    graph = model.graph
    values = Values({each.name: _array(onnx, each, f"the constant {each.name!r}") for each in graph.initializer})
    for each in graph.input:
        if each.name not in values.constants:
            values.symbols[each.name] = var(each.name)
    _translate(onnx, graph, values, opset)
    missing = [each.name for each in graph.output if each.name not in {**values.symbols, **values.constants}]
    if missing:
        listed = ", ".join(map(str, missing))
        raise MXNetError(f"[import_model] {fspath(model_file)}: nothing in the graph gives {listed}.")
    heads = [values.symbol(each.name) for each in graph.output]
    symbol = heads[0] if len(heads) == 1 else Group(heads)
    states, known = set(symbol.list_auxiliary_states()), set(symbol.list_inputs())
    arrays = {name: array(value, dtype=value.dtype) for name, value in values.params.items() if name in known}
    return (
        symbol,
        {name: value for name, value in arrays.items() if name not in states},
        {name: value for name, value in arrays.items() if name in states},
    )


def _translate(onnx: Any, graph: Any, values: Values, opset: int) -> None:
    problems: list[str] = []
    unknown: set[str] = set()
    for proto in graph.node:
        try:
            if proto.op_type == "Constant":
                values.constants[name_of(proto)] = _constant(onnx, proto)
                continue
            translation = IMPORTS.get(proto.op_type)
            if translation is None or proto.domain not in ("", "ai.onnx"):
                problems.append(f"{label(proto)}: there is no translation of this operator")
            elif not unknown.intersection(proto.input):
                node = OnnxNode(onnx, proto, values, opset)
                found = translation(node)
                outputs = found if isinstance(found, list) else [found]
                values.symbols.update(zip(node.outputs, outputs, strict=False))
                continue
        except (NotImportable, MXNetError) as reason:
            problems.append(f"{label(proto)}: {reason}")
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError) as error:
            # A combination of values that no translation was written for.
            problems.append(f"{label(proto)}: it does not fit what ONNX says of this operator: {error!r}")
        unknown.update(proto.output)
    if problems:
        listed = "".join(f"\n  {problem}" for problem in problems)
        raise UnsupportedOnnx(f"[import_model] {len(problems)} of {len(graph.node)} nodes cannot be imported:{listed}")


def _constant(onnx: Any, proto: Any) -> Array:
    """The value of a Constant node: a tensor, or numbers."""
    if len(proto.attribute) != 1:
        raise NotImportable(f"it has {len(proto.attribute)} attributes; expected its value")
    attribute = proto.attribute[0]
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return _array(onnx, value, "its value")
    if attribute.name not in ("value_float", "value_floats", "value_int", "value_ints"):
        raise NotImportable(f"attribute {attribute.name!r} is not the value of a constant that can be imported")
    return np.array(value, np.float32 if "float" in attribute.name else np.int64)


def _array(onnx: Any, tensor: Any, what: str) -> Array:
    """The numbers of a tensor, of a type that arrays have."""
    count = 1
    for length in tensor.dims:
        count *= length  # a Python number: it cannot overflow
    if min(tensor.dims, default=0) < 0 or count > tensor.ByteSize():
        shape = tuple(tensor.dims)
        raise MXNetError(
            f"[import_model] {what} has the shape {shape} and takes {tensor.ByteSize()} bytes in the file; expected a "
            "shape that its numbers fill."
        )
    try:
        found: Array = onnx.numpy_helper.to_array(tensor)
    except Exception as error:  # the reader of tensors has no error of its own
        raise MXNetError(f"[import_model] {what} cannot be read: {error}") from None
    if found.dtype.kind not in "biuf":
        raise MXNetError(f"[import_model] {what} is of {found.dtype}; expected numbers.")
    return found


def load_onnx(model_file: str | PathLike[str], who: str) -> tuple[Any, Any]:
    """The package `onnx`, and the model in a file; an MXNetError for a file that is none."""
    onnx = onnx_package(who)
    path = fspath(model_file)
    try:
        with open_current(path) as stream:
            model = onnx.load_model(stream)  # finds data in other files by the name of the stream
    except FileNotFoundError:
        raise MXNetError(f"[{who}] received {path!r}; expected an existing ONNX file, and there is none.") from None
    except Exception as error:  # the reader of messages has classes of its own
        text = (str(error) or type(error).__name__).splitlines()[0]
        raise MXNetError(f"[{who}] {path}: received no valid ONNX file: {text}") from None
    graph = model.graph
    if not graph.output:
        raise MXNetError(f"[{who}] {path}: received no valid ONNX file: its graph has no outputs.")
    names = [each.name for part in (graph.input, graph.output, graph.initializer) for each in part]
    for node in graph.node:
        names += (node.op_type, node.domain, *node.input, *node.output, *(each.name for each in node.attribute))
    if not all(isinstance(name, str) for name in names):
        raise MXNetError(f"[{who}] {path}: received no valid ONNX file: a name in its graph is no UTF-8 text.")
    return onnx, model


def get_model_metadata(model_file: str | PathLike[str]) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Names and shapes of the inputs and outputs of an ONNX file; lengths that vary are 0.

    Returns:
        `input_tensor_data` and `output_tensor_data`, each a list of pairs of name and shape.
    """
    _, model = load_onnx(model_file, "get_model_metadata")
    constants = {each.name for each in model.graph.initializer}
    return {
        "input_tensor_data": [_named_shape(each) for each in model.graph.input if each.name not in constants],
        "output_tensor_data": [_named_shape(each) for each in model.graph.output],
    }


def _named_shape(value: Any) -> tuple[str, tuple[int, ...]]:
    return value.name, tuple(int(length.dim_value) for length in value.type.tensor_type.shape.dim)
