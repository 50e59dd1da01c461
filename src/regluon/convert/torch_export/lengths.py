"""The lengths of all values of a program at two sizes: which of them vary shows in the difference.

A graph should run at other batch sizes than the one that a program was exported with. So every length is known twice:
at the exported sizes, and with another batch size. A length that is the same at both is a number; one that differs
varies, and two lengths that agree at both sizes are the same length. Programs with dynamic shapes tell both exactly;
for programs with fixed shapes `batches.py` finds the second.
"""

from collections.abc import Iterable, Sequence
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
