"""An ONNX graph in the making."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

OPSET = 17
IR_VERSION = 8


class Builder:
    """Collects nodes and constants under names of their own.

    Args:
        onnx: the package.
        taken: names that are given to inputs and outputs of the graph.
    """

    def __init__(self, onnx: Any, taken: Sequence[str]) -> None:
        self._onnx = onnx
        self._taken = set(taken)
        self._constants: dict[str, Array] = {}
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._nodes: list[Any] = []

    def name(self, wish: str) -> str:
        """A name like the one wished for, that nothing has yet."""
        found, number = wish, 0
        while found in self._taken:
            number += 1
            found = f"{wish}_{number}"
        self._taken.add(found)
        return found

    def constant(self, array: Array, name: str = "constant") -> str:
        """The name of a constant; equal small ones are kept once."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        key = (array.dtype.name, array.shape, array.tobytes()) if array.size <= 64 and name == "constant" else None
        if key is not None and key in self._known:
            return self._known[key]
        found = self.name(name)
        self._constants[found] = array
        if key is not None:
            self._known[key] = found
        return found

    def array(self, name: str) -> Array | None:
        """The value of a constant; None for what is computed."""
        return self._constants.get(name)

    def nodes(self, op: str, inputs: Sequence[str], count: int, prefix: str, attrs: dict[str, Any]) -> list[str]:
        """Adds a node and returns the names of its outputs."""
        outputs = [self.name(f"{prefix}_{op}") for _ in range(count)]
        self._nodes.append(self._onnx.helper.make_node(op, list(inputs), outputs, outputs[0], **attrs))
        return outputs

    def name_output(self, value: str, name: str, is_free: bool) -> None:
        """Makes a value the output `name`, by renaming it if it is computed and not an output already."""
        producer = next((node for node in self._nodes if value in node.output), None) if is_free else None
        if producer is None:
            self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name], name))
            return
        for node in self._nodes:
            for names in (node.input, node.output):
                for place, old in enumerate(names):
                    if old == value:
                        names[place] = name

    def graph(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The finished graph; constants that nothing uses are left out."""
        used = {source for node in self._nodes for source in node.input}
        constants = [
            self._onnx.numpy_helper.from_array(array, key) for key, array in self._constants.items() if key in used
        ]
        return self._onnx.helper.make_graph(self._nodes, name, list(inputs), list(outputs), constants)
