"""ONNX graphs in memory as networks."""

from os import path
from tempfile import TemporaryDirectory
from typing import Any

from regluon.convert.onnx.runtime import onnx_package

from ....context import Context
from ....ndarray import NDArray
from ....symbol import Symbol
from .import_model import get_model_metadata, import_model
from .import_to_gluon import import_to_gluon

__all__ = ["GraphProto"]


class GraphProto:
    """Imports graphs that a program has loaded or made itself; `import_model` reads files.

    Attributes:
        arg_dict: the parameters of the graph that was imported last, by name.
        aux_dict: its states.
        model_metadata: names and shapes of its inputs and outputs.
        opset_version: of its operators.
    """

    def __init__(self) -> None:
        self.arg_dict: dict[str, NDArray] = {}
        self.aux_dict: dict[str, NDArray] = {}
        self.model_metadata: dict[str, Any] = {}
        self.opset_version = 0

    def from_onnx(self, graph: Any, opset_version: int) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
        """A graph as symbol, parameters and states.

        Args:
            graph: an `onnx.GraphProto`.
            opset_version: of its operators.
        """
        self.opset_version = opset_version
        with TemporaryDirectory() as folder:
            file = _saved(graph, opset_version, folder)
            self.model_metadata = get_model_metadata(file)
            symbol, self.arg_dict, self.aux_dict = import_model(file)
        return symbol, self.arg_dict, self.aux_dict

    def get_graph_metadata(self, graph: Any) -> dict[str, Any]:
        """Names and shapes of the inputs and outputs of a graph."""
        with TemporaryDirectory() as folder:
            return get_model_metadata(_saved(graph, 13, folder))

    def graph_to_gluon(self, graph: Any, ctx: Context | list[Context], opset_version: int) -> Any:
        """A graph as a SymbolBlock.

        Args:
            graph: an `onnx.GraphProto`.
            ctx: where to put its parameters.
            opset_version: of its operators.
        """
        with TemporaryDirectory() as folder:
            return import_to_gluon(_saved(graph, opset_version, folder), ctx)


def _saved(graph: Any, opset_version: int, folder: str) -> str:
    onnx = onnx_package("GraphProto")
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset_version)])
    file = path.join(folder, "graph.onnx")
    onnx.save_model(model, file)
    return file
