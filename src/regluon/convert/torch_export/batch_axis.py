"""Recover symbolic batch axes and lengths."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

import torch

Length: TypeAlias = tuple[int, int]
Lengths: TypeAlias = tuple[Length, ...]
# Sizes of dynamic lengths, a pair for each. No multiple of one pair is a multiple of another, so that lengths which
# come from different dynamic ones never look the same.
_PAIRS = ((2, 5), (3, 7), (5, 11), (7, 13), (11, 17), (13, 23))


def varies(length: Length) -> bool:
    """Whether a length differs from size to size."""
    return length[0] != length[1]


def number(value: int) -> Length:
    """A length that is the same at all sizes."""
    return (int(value), int(value))


def shape_at(lengths: Lengths, size: int) -> tuple[int, ...]:
    """The shape at the exported sizes (0) or at the others (1)."""
    return tuple(length[size] for length in lengths)


def product(lengths: Iterable[Length]) -> Length:
    """The number of elements at both sizes."""
    first, second = 1, 1
    for length in lengths:
        first, second = first * length[0], second * length[1]
    return first, second


class DynamicSizes:
    """Numbers for the lengths that a program leaves open.

    Args:
        program: with dynamic shapes.
    """

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        self._values: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
        for place, (symbol, allowed) in enumerate(
            sorted(program.range_constraints.items(), key=lambda each: str(each[0]))
        ):
            if not symbol.is_symbol:
                continue  # a bound on an expression of others
            pair = _PAIRS[place % len(_PAIRS)]
            for size in (0, 1):
                low, high = int(allowed.lower), allowed.upper
                chosen = max(pair[size], low + size)
                self._values[size][symbol] = int(min(chosen, high)) if high.is_finite else chosen

    def __bool__(self) -> bool:
        return bool(self._values[0])

    def length(self, value: Any) -> Length:
        """A length at both sizes."""
        if not isinstance(value, torch.SymInt):
            return number(value)
        expression = value.node.expr
        first, second = (int(expression.xreplace(values)) for values in self._values)
        return first, second

    def lengths(self, value: Any) -> Any:
        """The lengths of a tensor, of each of several, or a number at both sizes; None for what has none."""
        if isinstance(value, torch.Tensor):
            return tuple(self.length(each) for each in value.shape)
        if isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool):
            return self.length(value)
        if isinstance(value, (tuple, list)):
            return [self.lengths(each) for each in value]
        return None


def reshape_codes(before: Lengths, after: Lengths) -> tuple[int, ...] | None:
    """What MXNet's Reshape takes as shape, such that it fits all sizes; None if its codes cannot express it.

    0 keeps a length, -1 is what remains, -3 joins two lengths, -4 splits one.
    """
    simple = _numbers_and_rest(before, after)
    return _walked(before, after) if simple is None else simple


def _numbers_and_rest(before: Lengths, after: Lengths) -> tuple[int, ...] | None:
    codes = []
    for axis, length in enumerate(after):
        if not varies(length):
            codes.append(length[0])
        elif axis < len(before) and before[axis] == length:
            codes.append(0)
        else:
            codes.append(-1)
    return tuple(codes) if codes.count(-1) < 2 and not any(length[0] == 0 for length in after) else None


def _walked(before: Lengths, after: Lengths) -> tuple[int, ...] | None:
    """Codes found from left to right; they have to use up both shapes together."""
    codes: list[int] = []
    source, target = 0, 0
    while source < len(before) and target < len(after):
        one, two = product(before[source : source + 2]), product(after[target : target + 2])
        if before[source] == after[target]:
            codes.append(0)
            source, target = source + 1, target + 1
        elif after[target] == one and source + 1 < len(before):
            codes.append(-3)
            source, target = source + 2, target + 1
        elif before[source] == two and target + 1 < len(after) and not _both_vary(after[target : target + 2]):
            codes += [-4, *(-1 if varies(length) else length[0] for length in after[target : target + 2])]
            source, target = source + 1, target + 2
        else:
            return None
    return tuple(codes) if source == len(before) and target == len(after) else None


def _both_vary(pair: Sequence[Length]) -> bool:
    return all(varies(length) for length in pair)


_RESHAPES = {"aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten.unflatten.int"}
_EXPANDS = {"aten.expand.default"}
# New tensors, by which of their arguments the sizes are.
_CREATIONS = {f"aten.{name}.default": 0 for name in ("full", "zeros", "ones")}
_CREATIONS |= {f"aten.{name}.default": 1 for name in ("new_full", "new_zeros", "new_ones")}
# Which sizes of a new tensor are the batch if several equal it: all of them, the first, the second, or none.
_GUESSES = (slice(None), slice(1), slice(1, 2), slice(0))
_NO_DATA = "meta"  # torch's device of tensors that have shapes alone


class KeepsBatch(Exception):
    """The program cannot be followed with another batch size."""


def other_batches(program: torch.export.ExportedProgram, user_inputs: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    """The lengths of all values by node, at the exported batch size and at twice that.

    Where a size could be the batch or happen to equal it, there are several answers; the likeliest comes first.

    Args:
        program: with fixed shapes.
        user_inputs: the nodes of its inputs that are tensors.
    """
    shapes = [tuple(node.meta["val"].shape) for node in user_inputs]
    if not shapes or not shapes[0]:
        return
    batch = shapes[0][0]
    together = [node for node, shape in zip(user_inputs, shapes, strict=True) if shape and shape[0] == batch]
    found: list[dict[Any, Any]] = []
    for varying in dict.fromkeys((tuple(together), tuple(user_inputs[:1]))):
        for creates in _GUESSES:
            try:
                lengths = _Follower(program, batch, varying, creates).run()
            except KeepsBatch:
                continue
            if lengths not in found:
                found.append(lengths)
                yield lengths


class _Follower:
    """Runs a program on tensors without data, its batch twice as large.

    Args:
        program: the program.
        batch: its batch size.
        varying: the nodes of the inputs that hold a batch.
        creates: which sizes of new tensors are the batch, of those that equal it.
    """

    def __init__(
        self, program: torch.export.ExportedProgram, batch: int, varying: Sequence[Any], creates: slice
    ) -> None:
        self._program, self._batch, self._varying, self._creates = program, batch, set(varying), creates
        self._results: dict[Any, Any] = {}
        # How many elements of one axis belong to one example, for axes that a batch was joined into.
        self._inner: dict[Any, int | None] = {}

    def run(self) -> dict[Any, Any]:
        """The lengths by node."""
        with torch.no_grad():
            for node in self._program.graph.nodes:
                if node.op == "placeholder":
                    self._results[node] = self._input(node)
                elif node.op == "call_function":
                    self._results[node] = self._called(node)
                    self._inner[node] = self._inner_of(node)
        return {node: _paired(node.meta.get("val"), value) for node, value in self._results.items()}

    def _input(self, node: Any) -> Any:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return value
        shape = tuple(value.shape)
        if node in self._varying:
            shape, self._inner[node] = (2 * shape[0], *shape[1:]), 1
        return torch.empty(shape, dtype=value.dtype, device=_NO_DATA)

    def _called(self, node: Any) -> Any:
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda each: self._results[each])
        name = str(node.target)
        if name in _RESHAPES:
            return self._results[node.args[0]].reshape(self._reshaped(node))
        if name in _EXPANDS:
            args = (args[0], self._expanded(node, args[0]), *args[2:])
        if name in _CREATIONS:
            place = _CREATIONS[name]
            sizes = list(args[place])
            for axis in [axis for axis, size in enumerate(sizes) if size == self._batch][self._creates]:
                sizes[axis] *= 2
            args = (*args[:place], sizes, *args[place + 1 :])
        if "device" in kwargs:
            kwargs = {**kwargs, "device": _NO_DATA}
        try:
            return node.target(*args, **kwargs)
        except Exception as error:  # operators refuse shapes with errors of many classes
            raise KeepsBatch(node.name) from error

    def _lengths(self, node: Any) -> Lengths:
        found: Lengths = _paired(node.meta["val"], self._results[node])
        return found

    def _reshaped(self, node: Any) -> list[int]:
        """The shape that a reshape gives at the other batch size."""
        source = node.args[0]
        before = self._lengths(source)
        after = [int(size) for size in node.meta["val"].shape]
        axes = [axis for axis, length in enumerate(before) if varies(length)]
        if not axes:
            return after
        inner = self._inner.get(source)
        if len(axes) > 1 or inner is None:
            raise KeepsBatch(node.name)
        distance = inner * prod(length[0] for length in before[axes[0] + 1 :])
        axis = self._axis_with(distance, after)
        if axis is None:
            raise KeepsBatch(node.name)
        self._inner[node] = distance // prod(after[axis + 1 :])
        return [*after[:axis], 2 * after[axis], *after[axis + 1 :]]

    def _axis_with(self, distance: int, shape: Sequence[int]) -> int | None:
        """The axis that the batch lies in if its examples are so many elements apart."""
        possible = []
        for axis, length in enumerate(shape):
            step = prod(shape[axis + 1 :])
            if distance % step == 0 and (step * length) % (distance * self._batch) == 0:
                if length == self._batch and distance == step:
                    return axis
                possible.append(axis)
        return possible[0] if possible else None

    def _expanded(self, node: Any, data: torch.Tensor) -> list[int]:
        sizes = list(node.args[1])
        shift = len(sizes) - data.dim()
        for axis, size in enumerate(sizes):
            if axis >= shift and data.shape[axis - shift] != node.args[0].meta["val"].shape[axis - shift]:
                sizes[axis] = -1
            elif axis == 0 and size == self._batch:
                sizes[0] = 2 * size
        return sizes

    def _inner_of(self, node: Any) -> int | None:
        """How many elements of the varying axis belong to an example: known for a batch, else as in an input."""
        if node in self._inner:
            return self._inner[node]
        first = self._results[node][0] if isinstance(self._results[node], (tuple, list)) else self._results[node]
        if not isinstance(first, torch.Tensor):
            return None
        value = node.meta["val"][0] if isinstance(node.meta["val"], (tuple, list)) else node.meta["val"]
        varying = [length for length in _paired(value, first) if varies(length)]
        if varying == [(self._batch, 2 * self._batch)]:
            return 1
        for source in node.all_input_nodes:
            lengths = _paired(source.meta.get("val"), self._results.get(source))
            if isinstance(lengths, tuple) and varying and varying[0] in lengths:
                return self._inner.get(source)
        return None


def _paired(first: Any, second: Any) -> Any:
    """The lengths of a value at both sizes."""
    if isinstance(first, torch.Tensor):
        return tuple((int(a), int(b)) for a, b in zip(first.shape, second.shape, strict=True))
    if isinstance(first, (tuple, list)):
        if len(first) != len(second):  # one for each example
            raise KeepsBatch
        return [_paired(a, b) for a, b in zip(first, second, strict=True)]
    if isinstance(first, int) and not isinstance(first, bool):
        return (first, int(second))
    return None
