"""What a translation sees of a node, and what it builds with."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ....dtypes import dtype_name
from ....graph.inference import Inference
from ....graph.node import Entry, Node
from ....ops.partial_shapes import Shape
from .builder import Array, Builder

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
