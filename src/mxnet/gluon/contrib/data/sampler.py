"""The order in which samples are read: contributed samplers."""

from collections.abc import Iterator

from ...data.sampler import Sampler
from ...utils import ArgumentError

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """Every n-th index; then those between, round by round.

    Args:
        length: number of indices.
        interval: the distance between one and the next.
        rollover: go on with the first index left out, until all are read; otherwise stop after the first round.

    Example:
        >>> list(gluon.contrib.data.IntervalSampler(7, 3))
        [0, 3, 6, 1, 4, 2, 5]
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if not 1 <= interval <= length:
            raise ArgumentError(
                f"[IntervalSampler] interval: received {interval}; expected 1 to the length, which is {length}."
            )
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        # Also without rollover, as in MXNet.
        return self._length
