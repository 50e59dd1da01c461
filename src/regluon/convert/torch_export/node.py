"""Describe the nodes and values of a program and register their translations."""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

import regluon.symbol

from ...dtypes import NAME_OF_TORCH
from ...symbol import Symbol, var
from .batch_axis import Length, Lengths, product, reshape_codes, shape_at, varies
from .conversion_errors import NotConvertible

Translation: TypeAlias = "Callable[[AtenNode], Any]"

# By the names that programs print, such as `aten.relu.default`.
TRANSLATIONS: dict[str, Translation] = {}


def translates(*operators: str) -> Callable[[Translation], Translation]:
    """Enters the decorated function for ATen operators.

    Args:
        *operators: names as `add.Tensor`; `relu` alone means `relu.default`.
    """

    def enter(translation: Translation) -> Translation:
        for name in operators:
            TRANSLATIONS[f"aten.{name}" if "." in name else f"aten.{name}.default"] = translation
        return translation

    return enter


def supported_operators() -> list[str]:
    """The ATen operators that have a translation, such as `aten.conv2d.default`."""
    return sorted(TRANSLATIONS)


# MXNet's comparisons return numbers, and few of its operators take bool: what torch calls bool is 0 and 1 in float32.
_BOOL = "float32"


def mxnet_dtype(dtype: torch.dtype) -> str:
    """MXNet's dtype for values of a torch dtype."""
    name = _BOOL if dtype is torch.bool else NAME_OF_TORCH.get(dtype)
    if name is None or name == "bfloat16":
        raise NotConvertible(f"it has values of {dtype}; export the module as float32, after module.float()")
    return name


class Values:
    """Values by node.

    Attributes:
        lengths: of all values, at two sizes; see `lengths.py`.
        symbols: what was translated; a list for several results.
        constants: what depends on neither inputs nor parameters, as torch computes it.
        params: values of the variables of the graph that are no inputs, by name.
        names: names of parameters, buffers and constants, by the names of their nodes.
    """

    def __init__(self, lengths: dict[Any, Any], names: dict[str, str]) -> None:
        self.lengths, self.names = lengths, names
        self.symbols: dict[Any, Any] = {}
        self.constants: dict[Any, Any] = {}
        self.params: dict[str, torch.Tensor] = {}

    def symbol(self, node: Any) -> Symbol:
        """A value as a symbol; a constant becomes a variable with a parameter."""
        if node not in self.symbols:
            value = self.constants.get(node)
            if not isinstance(value, torch.Tensor):
                raise NotConvertible(f"it takes {node.name}, which is no tensor")
            self.symbols[node] = self.parameter(self.names.get(node.name, node.name), value)
        found = self.symbols[node]
        if not isinstance(found, Symbol):
            raise NotConvertible(f"it takes {node.name}, which is several tensors")
        return found

    def parameter(self, name: str, value: torch.Tensor) -> Symbol:
        """A new variable with a value."""
        dtype = mxnet_dtype(value.dtype)
        stored = value.detach().to("cpu", getattr(torch, dtype)).contiguous()
        unique, count = name, 0
        while unique in self.params:
            count += 1
            unique = f"{name}_{count}"
        # MXNet has no arrays without axes.
        self.params[unique] = stored.reshape(1) if stored.dim() == 0 else stored
        return var(unique, shape=tuple(self.params[unique].shape), dtype=dtype)


S: Any = regluon.symbol  # operators are chosen by name and called with what the program says


class AtenNode:
    """A node to translate; its arguments have the names of the ATen operator's schema.

    Attributes:
        name: a name for the result.
        target: the ATen operator.
    """

    def __init__(self, node: Any, name: str, values: Values) -> None:
        self.name, self.target, self._node, self._values = name, node.target, node, values
        self._arguments: dict[str, Any] = {}
        for place, argument in enumerate(node.target._schema.arguments):
            default = argument.default_value if argument.has_default_value() else None
            given = node.args[place] if place < len(node.args) else node.kwargs.get(argument.name, default)
            self._arguments[argument.name] = given

    def __getitem__(self, argument: str) -> Any:
        """An argument as the program has it, sizes that are numbers as numbers."""
        return torch.fx.map_arg(self._arguments[argument], self._number)

    def _number(self, node: Any) -> Any:
        length = self._values.lengths.get(node)
        if isinstance(node.meta.get("val"), torch.Tensor) or not isinstance(length, tuple):
            return node
        if varies(length):
            raise NotConvertible("it takes a size that varies from run to run as a number")
        return length[0]

    def takes(self, argument: str) -> bool:
        """Whether the operator has such an argument."""
        return argument in self._arguments

    def has(self, argument: str) -> bool:
        """Whether an argument is given."""
        return self._arguments.get(argument) is not None

    def node(self, argument: str) -> Any:
        """The node that gives an argument; None if it is none."""
        found = self._arguments[argument]
        return found if isinstance(found, torch.fx.Node) else None

    def number(self, argument: str) -> float | int | None:
        """An argument as a number: one that is written so, or a constant of one element without axes."""
        found = self[argument]
        if isinstance(found, torch.fx.Node):
            constant = self._values.constants.get(found)
            return constant.item() if isinstance(constant, torch.Tensor) and constant.dim() == 0 else None
        return found if isinstance(found, (bool, int, float)) else None

    def symbol(self, argument: str) -> Symbol:
        """A tensor argument."""
        found = self.node(argument)
        if found is None:
            raise NotConvertible(f"its {argument} is {self._arguments[argument]!r}; only a tensor can be converted")
        return self._values.symbol(found)

    def symbol_of(self, node: Any) -> Symbol:
        """The value of a node that an argument holds."""
        return self._values.symbol(node)

    def lengths_of(self, node: Any) -> Lengths:
        """The lengths of the value of such a node."""
        found: Lengths = self._values.lengths[node]
        return found

    def symbols(self, argument: str) -> list[Symbol]:
        """A list of tensors."""
        return [self._values.symbol(node) for node in self._arguments[argument]]

    def constant(self, argument: str) -> torch.Tensor | None:
        """The value of a tensor argument, if it does not depend on inputs or parameters."""
        found = self._values.constants.get(self.node(argument))
        return found if isinstance(found, torch.Tensor) else None

    def lengths(self, argument: str, place: int | None = None) -> Lengths:
        """The lengths of a tensor argument, or of one in a list."""
        node = self._arguments[argument] if place is None else self._arguments[argument][place]
        found: Lengths = self._values.lengths[node]
        return found

    def shape(self, argument: str) -> tuple[int, ...]:
        """The shape of a tensor argument; lengths that vary are those at export."""
        return shape_at(self.lengths(argument), 0)

    def fixed(self, length: Length, what: str) -> int:
        """A length that must be the same in all runs."""
        if varies(length):
            raise NotConvertible(f"{what} varies from run to run; export with a fixed one")
        return length[0]

    @property
    def result(self) -> Any:
        """The lengths of the result; a list of them if there are several results."""
        return self._values.lengths[self._node]

    def dtype(self, argument: str) -> torch.dtype:
        """The dtype of a tensor argument."""
        found: torch.dtype = self._arguments[argument].meta["val"].dtype
        return found

    @property
    def result_dtype(self) -> torch.dtype:
        """The dtype of the result; of the first if there are several."""
        value = self._node.meta["val"]
        found: torch.dtype = (value[0] if isinstance(value, (tuple, list)) else value).dtype
        return found

    def axis(self, argument: str, of: str = "self") -> int:
        """An axis counted from the front."""
        rank = len(self.lengths(of))
        return int(self[argument]) % max(rank, 1)

    def axes(self, argument: str, of: str = "self") -> tuple[int, ...]:
        """Axes counted from the front; all of them if none is given."""
        rank = max(len(self.lengths(of)), 1)
        given = self[argument]
        if isinstance(given, int):
            given = [given]
        return tuple(range(rank)) if not given else tuple(int(axis) % rank for axis in given)

    def cast(self, data: Any, before: torch.dtype, after: torch.dtype) -> Any:
        """Data as another dtype; what torch calls bool is 0 and 1 in float32."""
        if after is torch.bool and before is not torch.bool:
            nonzero = data != 0
            return nonzero if mxnet_dtype(before) == "float32" else S.Cast(nonzero, dtype="float32")
        if mxnet_dtype(before) == mxnet_dtype(after):
            return data
        return S.Cast(data, dtype=mxnet_dtype(after))

    def parameter(self, suffix: str, value: torch.Tensor) -> Symbol:
        """A parameter that the program does not have under a name of its own."""
        return self._values.parameter(f"{self.name}_{suffix}", value)

    def reshaped(self, data: Any, before: Lengths, after: Lengths) -> Any:
        """Data in another shape, at all sizes."""
        if before == after:
            return data
        if len(after) == 2 and before and before[0] == after[0] and product(before[1:]) == after[1]:
            return S.Flatten(data)
        codes = reshape_codes(before or ((1, 1),), after or ((1, 1),))
        if codes is None:
            for node, symbol in self._values.symbols.items():
                if isinstance(symbol, Symbol) and self._values.lengths.get(node) == after:
                    return S.reshape_like(data, symbol)
            raise NotConvertible(
                f"it makes the shape {shape_at(after, 0)} of {shape_at(before, 0)}, of which several lengths vary, or "
                "one is 0; MXNet's Reshape cannot express that"
            )
        return S.Reshape(data, shape=codes)

    def expanded(self, data: Any, before: Lengths, after: Lengths) -> Any:
        """Data repeated along its axes of length 1, and along new axes in front."""
        if before == after:
            return data
        if len(before) < len(after):
            longer = ((1, 1),) * (len(after) - len(before)) + before
            data, before = self.reshaped(data, before, longer), longer
        axes = [axis for axis, (one, many) in enumerate(zip(before, after, strict=True)) if one != many]
        numbers = [axis for axis in axes if not varies(after[axis])]
        if numbers:
            data = S.broadcast_axis(data, axis=tuple(numbers), size=tuple(after[axis][0] for axis in numbers))
        for axis in axes:
            if varies(after[axis]):
                like, place = self.with_length(after[axis])
                data = S.broadcast_like(data, like, lhs_axes=(axis,), rhs_axes=(place,))
        return data

    def with_length(self, length: Length, axis: int | None = None) -> tuple[Symbol, int]:
        """A value that has a length which varies, and along which axis."""
        for node, symbol in self._values.symbols.items():
            lengths = self._values.lengths.get(node)
            if isinstance(symbol, Symbol) and isinstance(lengths, tuple) and length in lengths:
                place = lengths.index(length) if axis is None else axis
                if place < len(lengths) and lengths[place] == length:
                    return symbol, place
        raise NotConvertible("it needs a size that no value before it has")
