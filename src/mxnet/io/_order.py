"""Which examples make which batch. Pure: workers only carry out what is decided here."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..error import OpParamError


class Rows(NamedTuple):
    """The numbers of a batch's examples, and how many at the end only fill it up."""

    numbers: list[int]
    pad: int


class Passes:
    """The batches of one pass over the examples after another, as MXNet's native iterators order them.

    With `round_batch`, the last batch is filled up with the first examples of the next pass, which then begins after
    them. Without it, the places keep the examples of the batch before, and count as padding.

    Args:
        count: how many examples there are.
        batch_size: examples in a batch.
        round_batch: see above.
        seed: draws a new order for each pass; None keeps the given one.
    """

    def __init__(self, count: int, batch_size: int, round_batch: bool = True, seed: int | None = None) -> None:
        self.count = count
        self.batch_size = batch_size
        self.round_batch = round_batch
        self.seed = seed
        self.number = 0
        self._start = 0
        self._next = (1, 0)

    def restart(self, finished: bool) -> None:
        """Begins the next pass; after a finished one, with the first example that did not fill it up."""
        self.number, self._start = self._next if finished else (self.number + 1, 0)

    def batches(self) -> Iterator[Rows]:
        """The batches of the current pass."""
        order = self._order(self.number)[self._start :]
        self._next = (self.number + 1, 0)
        before: list[int] = []
        for begin in range(0, len(order), self.batch_size):
            numbers = order[begin : begin + self.batch_size]
            pad = self.batch_size - len(numbers)
            if pad and self.round_batch:
                numbers = numbers + self._from_next(pad)
            elif pad:
                numbers = numbers + (before or order[:1] * self.batch_size)[-pad:]
            before = numbers
            yield Rows(numbers, pad)

    def _from_next(self, count: int) -> list[int]:
        """The first examples of the next pass, and of those after it if that has too few."""
        numbers: list[int] = []
        number = self.number
        while len(numbers) < count:
            number += 1
            numbers += (found := self._order(number)[: count - len(numbers)])
            self._next = (number, len(found))
        return numbers

    def _order(self, number: int) -> list[int]:
        if self.seed is None:
            return list(range(self.count))
        # A pass and the examples that fill it up from the next are drawn apart, and must agree.
        draw = np.random.Generator(np.random.PCG64([self.seed & 0xFFFFFFFF, number]))
        order: list[int] = draw.permutation(self.count).tolist()
        return order


def part_by_bytes(starts: list[int], size: int, num_parts: int, part_index: int, align: int) -> list[int]:
    """The examples of one part of a file that is cut into equally long parts.

    Args:
        starts: where each example begins.
        size: the file's length.
        num_parts: how many parts there are.
        part_index: which one.
        align: parts are multiples of this.
    """
    step = -(-size // num_parts)
    step = max(-(-step // align) * align, 1)
    return [number for number, start in enumerate(starts) if start // step == part_index]


def check_part(num_parts: int, part_index: int, who: str) -> None:
    """Refuses a part that does not exist."""
    if num_parts < 1 or not 0 <= part_index < num_parts:
        raise OpParamError(
            f"[{who}] received num_parts={num_parts}, part_index={part_index}; expected 0 <= part_index < num_parts."
        )
