"""Describe operator calls, register their translations and collect ONNX nodes."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ....dtypes import dtype_name
from ....graph.inference import Inference
from ....graph.node import Entry, Node
from ....ops.partial_shapes import Shape

__all__ = ["TRANSLATIONS", "Result", "Translation", "Untranslatable", "translates"]


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


# Numbers of ONNX's data types, by MXNet's names.
TENSOR_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
}
FLOATS = ("float16", "float32", "float64")


class Untranslatable(Exception):
    """A node cannot be written as ONNX; the text says why."""


class Call:
    """A node to translate.

    Attributes:
        node: the node.
        inputs: the ONNX names of its inputs, in order.
        params: its parameters, defaults filled in.
    """

    def __init__(self, node: Node, inputs: Sequence[str], builder: Builder, inference: Inference) -> None:
        assert node.operator is not None
        self.node, self.inputs = node, list(inputs)
        self.params: dict[str, Any] = node.operator.full_params(node.params)
        self._named = dict(zip(node.input_names, inputs, strict=False))
        self._builder, self._inference = builder, inference

    # -- what is known ----------------------------------------------------------------------------------------------

    @property
    def x(self) -> str:
        """The first input."""
        return self.inputs[0]

    def input(self, name: str) -> str | None:
        """An input by the operator's name for it; None if it was left out."""
        return self._named.get(name)

    def shape(self, place: int = 0) -> Shape:
        """The shape of an input; lengths that may differ from run to run are 0."""
        return self._known(self.node.inputs[place])

    def sizes(self, place: int = 0) -> Shape:
        """The shape of an input, of which every length must be known."""
        return self._fully_known(self.shape(place), "input")

    def output_shape(self, index: int = 0) -> Shape:
        """The shape of an output; lengths that may differ from run to run are 0."""
        return self._known(Entry(self.node, index))

    def output_sizes(self, index: int = 0) -> Shape:
        """The shape of an output, of which every length must be known."""
        return self._fully_known(self.output_shape(index), "output")

    def length(self, axis: int, place: int = 0) -> int:
        """The length of an input's axis, which must be known."""
        return self._fully_known(self.shape(place)[axis % self.rank(place) :][:1], f"input on axis {axis}")[0]

    def rank(self, place: int = 0) -> int:
        """The number of axes of an input."""
        return len(self.shape(place))

    def axis(self, axis: int, place: int = 0) -> int:
        """An axis counted from the front."""
        return axis % self.rank(place)

    def dtype(self, place: int = 0) -> str:
        """The name of an input's dtype."""
        return self._dtype(self.node.inputs[place])

    def output_dtype(self, index: int = 0) -> str:
        """The name of an output's dtype."""
        return self._dtype(Entry(self.node, index))

    def value(self, name: str) -> Array | None:
        """The array behind a constant; None for what is computed."""
        return self._builder.array(name)

    def _known(self, entry: Entry) -> Shape:
        shape = self._inference.shape(entry)
        if shape is None:
            raise Untranslatable("its shape does not follow from those of the inputs")
        return shape

    def _fully_known(self, shape: Shape, what: str) -> Shape:
        if any(length <= 0 for length in shape):
            raise Untranslatable(f"needs an {what} of fixed size, and {tuple(n or None for n in shape)} is not")
        return shape

    def _dtype(self, entry: Entry) -> str:
        dtype = self._inference.dtype(entry)
        return "float32" if dtype is None else dtype_name(dtype)

    def expect_floats(self) -> None:
        """Refuses integers where ONNX means something else by them."""
        if self.dtype() not in FLOATS:
            raise Untranslatable(f"is translated for floating point numbers only, not for {self.dtype()}")

    # -- building ---------------------------------------------------------------------------------------------------

    def op(self, op: str, *inputs: str, **attrs: Any) -> str:
        """Adds an ONNX node with one output; returns the output's name."""
        return self.ops(op, 1, *inputs, **attrs)[0]

    def ops(self, op: str, count: int, *inputs: str, **attrs: Any) -> list[str]:
        """Adds an ONNX node; returns the names of its outputs."""
        given = {key: value for key, value in attrs.items() if value is not None}
        return self._builder.nodes(op, inputs, count, self.node.name, given)

    def constant(self, array: Any, dtype: str | None = None) -> str:
        """A constant."""
        return self._builder.constant(np.asarray(array, dtype))

    def number(self, value: float, dtype: str | None = None) -> str:
        """A number of the dtype of the first input."""
        return self.constant(value, dtype or self.dtype())

    def ints(self, *values: int) -> str:
        """A list of whole numbers, as ONNX takes shapes and axes."""
        return self.constant(list(values), "int64")

    def cast(self, value: str, dtype: str) -> str:
        """A value in another dtype."""
        return self.op("Cast", value, to=TENSOR_TYPES[dtype])

    def transpose(self, value: str, axes: Sequence[int]) -> str:
        """A value with its axes in another order; of a constant, the constant in that order."""
        array = self.value(value)
        if array is not None:
            return self.constant(np.transpose(array, axes))
        return self.op("Transpose", value, perm=list(axes))

    def reshape(self, value: str, shape: Sequence[int]) -> str:
        """A value in another shape; of a constant, the constant in that shape."""
        array = self.value(value)
        if array is not None and prod(shape) == array.size:
            return self.constant(array.reshape(shape))
        return self.op("Reshape", value, self.ints(*shape))

    def reshape_to_output(self, value: str, index: int = 0) -> str:
        """A value in the shape of an output, of which one length may vary."""
        shape = self.output_shape(index)
        if sum(length <= 0 for length in shape) > 1:
            raise Untranslatable(
                f"gives the shape {tuple(n or None for n in shape)}; at most one length may differ from run to run"
            )
        return self.reshape(value, [length or -1 for length in shape])

    def shape_of(self, value: str) -> str:
        """The shape of a value, found when the model runs."""
        return self.op("Shape", value)


Result: TypeAlias = str | Sequence[str]
Translation: TypeAlias = Callable[[Call], Result]

_Function = TypeVar("_Function", bound=Translation)

TRANSLATIONS: dict[str, Translation] = {}


def translates(*operators: str) -> Callable[[_Function], _Function]:
    """Enters the decorated function for operators, by their registered names."""

    def enter(translation: _Function) -> _Function:
        for name in operators:
            assert name not in TRANSLATIONS, f"{name} is translated twice"
            TRANSLATIONS[name] = translation
        return translation

    return enter
