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
        self.name: str = name_of(proto)
        self.attrs: dict[Any, Any] = {each.name: _value(onnx, each) for each in proto.attribute}
        self._values, self.opset = values, opset

    def has(self, place: int) -> bool:
        """Whether an input is given."""
        return place < len(self.inputs) and bool(self.inputs[place])

    def symbol(self, place: int = 0) -> Symbol:
        """An input as a symbol."""
        if place >= len(self.inputs):
            raise NotImportable(f"it has {len(self.inputs)} inputs; expected input {place} as well")
        return self._values.symbol(self.inputs[place])

    def symbols(self, least: int = 1, most: int | None = None) -> list[Symbol]:
        """All inputs as symbols, whose number must lie between two."""
        if len(self.inputs) < least or (most is not None and len(self.inputs) > most):
            expected = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
            raise NotImportable(f"it has {len(self.inputs)} inputs; expected {expected}")
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

    def ints(self, attribute: str, place: int | None = None, count: int | None = None) -> list[int] | None:
        """A list of numbers: an attribute, or since later versions an input; of a given length, if that is told."""
        numbers: list[int] | None = None
        if attribute in self.attrs:
            found = self.attrs[attribute]
            if not isinstance(found, list) or not all(isinstance(each, int) for each in found):
                raise self._wrong(attribute, "a list of integers")
            numbers = found
        elif place is not None and self.has(place):
            constant = self.constant(place, attribute)
            if constant.dtype.kind not in "iu":
                raise NotImportable(f"input {place}, its {attribute}, is of {constant.dtype}; expected integers")
            numbers = [int(each) for each in constant.reshape(-1)]
        if numbers is not None and count is not None and len(numbers) != count:
            raise NotImportable(f"its {attribute} has {len(numbers)} numbers, {_short(numbers)}; expected {count}")
        return numbers

    def integer(self, attribute: str, default: int | None = None) -> int:
        """An attribute that is an integer; without a default it must be there."""
        found = self.attrs.get(attribute, default)
        if not isinstance(found, int):
            raise self._wrong(attribute, "an integer")
        return found

    def real(self, attribute: str, default: float) -> float:
        """An attribute that is a number."""
        found = self.attrs.get(attribute, default)
        if not isinstance(found, (int, float)):
            raise self._wrong(attribute, "a number")
        return found

    def text(self, attribute: str, default: str) -> str:
        """An attribute that is a text."""
        found = self.attrs.get(attribute, default)
        if not isinstance(found, str):
            raise self._wrong(attribute, "a text")
        return found

    def scalar(self, place: int, what: str) -> float:
        """The single number that an input holds."""
        found = self.constant(place, what)
        if found.size != 1 or found.dtype.kind not in "biuf":
            raise NotImportable(f"input {place}, its {what}, has the shape {found.shape}; expected a single number")
        return float(found.reshape(()))

    def _wrong(self, attribute: str, expected: str) -> NotImportable:
        found = _short(self.attrs[attribute]) if attribute in self.attrs else "missing"
        return NotImportable(f"attribute {attribute} is {found}; expected {expected}")


def name_of(proto: Any) -> str:
    """What to call a node: its first output."""
    if not proto.output or not isinstance(proto.output[0], str):
        raise NotImportable("it has no output with a name")
    name: str = proto.output[0]
    return name


def label(proto: Any) -> str:
    """How errors name a node, whatever state it is in."""
    return f"{next(iter(proto.output), '') or proto.name or 'a node without a name'} ({proto.op_type})"


def _value(onnx: Any, attribute: Any) -> Any:
    try:
        value = onnx.helper.get_attribute_value(attribute)
        return value.decode() if isinstance(value, bytes) else value
    except (ValueError, TypeError) as error:  # also what is no text
        raise NotImportable(f"attribute {attribute.name!r} cannot be read: {error}") from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
