"""Writes a network as an ONNX file."""

import logging
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from ....array import NDArray
from ....array import load as load_arrays
from ....dtypes import torch_dtype
from ....formats.atomic import atomic_write
from ....symbol import Symbol
from ....symbol import load as load_symbol
from ..runtime import onnx_package
from .call import Array
from .graph import Exporter, input_names
from .translations import TRANSLATIONS

_LOG = logging.getLogger("mxnet.onnx")


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Names of the operators that can be written as ONNX.

    Args:
        opset_version: noted only: all are written in one version of ONNX.
    """
    return sorted(TRANSLATIONS)


def export_model(
    sym: Symbol | str | PathLike[str],
    params: Any,
    in_shapes: Sequence[Sequence[int]] | None = None,
    in_types: Any = np.float32,
    onnx_file_path: str = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Sequence[Sequence[Any]] | None = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Sequence[Sequence[int]] | None = None,
) -> str:
    """Writes a network in inference mode as an ONNX file.

    Args:
        sym: the graph, or the file that holds it.
        params: its parameters by name, with or without `arg:` and `aux:`; two dicts of arguments and states; or the
            file that holds them.
        in_shapes: shapes of the inputs, in the order of the graph.
        in_types: dtypes of the inputs, one for all or one for each.
        onnx_file_path: the file to write.
        verbose: log every node.
        dynamic: whether lengths may differ from run to run.
        dynamic_input_shapes: which ones, as None or a name in the place of a length, such as
            `[(None, 3, 224, 224)]`; all by default.
        run_shape_inference: add the shapes of all values between.
        input_type: the older name of in_types.
        input_shape: the older name of in_shapes.

    Returns:
        The path of the file.

    Raises:
        UnsupportedOperators: nodes that cannot be written; the text lists all of them.

    Example:
        >>> mx.contrib.onnx.export_model("net-symbol.json", "net-0000.params", [(1, 3, 224, 224)], np.float32,
        ...     "net.onnx", dynamic=True, dynamic_input_shapes=[(None, 3, 224, 224)])
    """
    onnx = onnx_package("export_model")
    graph = sym if isinstance(sym, Symbol) else _loaded_symbol(sym)
    values = _values(params)
    shapes = _expect_shapes(in_shapes if input_shape is None else input_shape)
    names = input_names(graph._heads, values)
    if len(shapes) != len(names):
        raise ValueError(
            f"[export_model] in_shapes: received {len(shapes)} shapes; expected one for each of the {len(names)} "
            f"inputs: {', '.join(names)}. What is neither an input nor a label must be among the parameters."
        )
    lengths = _with_gaps(shapes, dynamic, dynamic_input_shapes)
    dtypes = _dtypes(in_types if input_type is None else input_type, names)
    kinds = {name: torch_dtype(value.dtype) for name, value in values.items()}
    exporter = Exporter(
        onnx,
        graph._heads,
        values,
        dict(zip(names, lengths, strict=True)),
        {**kinds, **dict(zip(names, dtypes, strict=True))},
        verbose,
    )
    model = exporter.model()
    if run_shape_inference:
        model = onnx.shape_inference.infer_shapes(model)
    path = fspath(onnx_file_path)
    with atomic_write(path, "export_model") as file:
        file.write(model.SerializeToString())
    _LOG.info("Exported ONNX file %s saved to disk", path)
    return path


def _loaded_symbol(path: Any) -> Symbol:
    if not isinstance(path, (str, PathLike)):
        raise ValueError(
            "[export_model] Input sym and params should either be files or objects: received "
            f"{type(path).__name__} as sym; expected a Symbol or a path."
        )
    return load_symbol(path)


def _values(params: Any) -> dict[str, Array]:
    """The parameters as NumPy arrays, names without marks."""
    if isinstance(params, (str, PathLike)):
        params = load_arrays(params)
    if isinstance(params, (list, tuple)) and len(params) == 2 and all(isinstance(part, Mapping) for part in params):
        params = {**params[0], **params[1]}
    if not isinstance(params, Mapping):
        raise ValueError(
            "[export_model] Input sym and params should either be files or objects: received "
            f"{type(params).__name__} as params; expected a dict of arrays, two of them in a list, or a path."
        )
    found = {}
    for name, value in params.items():
        plain = name[4:] if name.startswith(("arg:", "aux:")) else name
        found[plain] = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
    return found


def _expect_shapes(shapes: Any) -> list[tuple[int, ...]]:
    if isinstance(shapes, tuple) and shapes and all(isinstance(length, int) for length in shapes):
        shapes = [shapes]  # one input is often given like this
    if not isinstance(shapes, (list, tuple)):
        raise ValueError(f"[export_model] in_shapes: received {shapes!r}; expected a list, as in [(1, 3, 224, 224)].")
    return [tuple(int(length) for length in shape) for shape in shapes]


def _with_gaps(
    shapes: list[tuple[int, ...]], dynamic: bool, varying: Sequence[Sequence[Any]] | None
) -> list[tuple[int, ...]]:
    """The shapes with 0 for lengths that may differ from run to run."""
    if not dynamic:
        if varying is not None:
            raise ValueError("[export_model] dynamic_input_shapes needs dynamic=True.")
        return shapes
    if varying is None:
        return [(0,) * len(shape) for shape in shapes]
    if [len(shape) for shape in varying] != [len(shape) for shape in shapes]:
        raise ValueError(
            f"[export_model] dynamic_input_shapes: received {list(varying)} for in_shapes {shapes}; expected as many "
            "shapes, with as many lengths."
        )
    return [tuple(n if isinstance(n, int) and n > 0 else 0 for n in shape) for shape in varying]


def _dtypes(types: Any, names: list[str]) -> list[Any]:
    given = list(types) if isinstance(types, (list, tuple)) else [types] * len(names)
    if len(given) != len(names):
        raise ValueError(f"[export_model] in_types: received {len(given)} dtypes; expected {len(names)}.")
    return [torch_dtype(each) for each in given]
