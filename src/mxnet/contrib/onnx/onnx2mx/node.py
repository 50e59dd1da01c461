"""What a translation sees of an ONNX node."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ....symbol import Symbol, var

Array = np.ndarray[Any, Any]
Translation: TypeAlias = "Callable[[OnnxNode], Any]"

IMPORTS: dict[str, Translation] = {}


class NotImportable(Exception):
    """A node cannot be expressed with MXNet's operators; the text says why."""


def imports(*operators: str) -> Callable[[Translation], Translation]:
    """Enters the decorated function for ONNX operators."""

    def enter(translation: Translation) -> Translation:
        for name in operators:
            IMPORTS[name] = translation
        return translation

    return enter


class Values:
    """The values of a graph: symbols, and constants that become parameters when they are used as such."""

    def __init__(self, constants: dict[str, Array]) -> None:
        self.constants = constants
        self.symbols: dict[str, Symbol] = {}
        self.params: dict[str, Array] = {}

    def symbol(self, name: str) -> Symbol:
        """A value as a symbol; a constant becomes a variable with a parameter of its name."""
        if name not in self.symbols:
            if name not in self.constants:
                raise NotImportable(f"it takes {name!r}, which nothing before it gives")
            self.symbols[name] = self.parameter(name, self.constants[name])
        return self.symbols[name]

    def parameter(self, name: str, value: Array) -> Symbol:
        """A new variable with a value."""
        if value.ndim == 0:
            value = value.reshape(1)
        self.params[name] = value
        return var(name, shape=value.shape, dtype=value.dtype)


class OnnxNode:
    """A node to translate.

    Attributes:
        op: the ONNX operator.
        name: a name for the result: that of the first output.
        inputs: names of the inputs, empty for those left out.
        outputs: names of the outputs.
        attrs: the attributes as Python values.
        opset: the version of ONNX's operators that the file uses.
    """

    def __init__(self, onnx: Any, proto: Any, values: Values, opset: int) -> None:
        self.op, self.inputs, self.outputs = proto.op_type, list(proto.input), list(proto.output)
        self.name = self.outputs[0]
        self.attrs = {each.name: _plain(onnx.helper.get_attribute_value(each)) for each in proto.attribute}
        self._values, self.opset = values, opset

    def has(self, place: int) -> bool:
        """Whether an input is given."""
        return place < len(self.inputs) and bool(self.inputs[place])

    def symbol(self, place: int = 0) -> Symbol:
        """An input as a symbol."""
        return self._values.symbol(self.inputs[place])

    def symbols(self) -> list[Symbol]:
        """All inputs as symbols."""
        return [self._values.symbol(name) for name in self.inputs]

    def constant(self, place: int, what: str) -> Array:
        """The value of an input that must be known."""
        found = self._values.constants.get(self.inputs[place]) if self.has(place) else None
        if found is None:
            raise NotImportable(f"its {what} is computed; only a constant one can be imported")
        return found

    def known(self, place: int) -> Array | None:
        """The value of an input, if it is a constant."""
        return self._values.constants.get(self.inputs[place]) if self.has(place) else None

    def parameter(self, suffix: str, value: Array) -> Symbol:
        """A parameter that the file does not have under a name of its own."""
        return self._values.parameter(f"{self.name}_{suffix}", value)

    def ints(self, attribute: str, place: int | None = None) -> list[int] | None:
        """A list of numbers: an attribute, or since later versions an input."""
        if attribute in self.attrs:
            return [int(each) for each in self.attrs[attribute]]
        if place is not None and self.has(place):
            return [int(each) for each in self.constant(place, attribute).reshape(-1)]
        return None


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
