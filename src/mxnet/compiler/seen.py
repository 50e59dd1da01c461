"""Whether parameters are those of an earlier call."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch


class Seen:
    """The tensors of some slots as they were, by torch's count of the writes to each.

    Args:
        slots: which to look at.
    """

    def __init__(self, slots: Iterable[int]) -> None:
        self._slots = tuple(slots)
        self._noted: list[tuple[torch.Tensor, int]] | None = None

    def note(self, tensors: Sequence[Any]) -> None:
        """Takes them as they are now."""
        self._noted = [(tensors[slot], tensors[slot]._version) for slot in self._slots]

    def forget(self) -> None:
        """Lets go of them; from then on they count as changed."""
        self._noted = None

    def are_same(self, tensors: Sequence[Any]) -> bool:
        """Whether all are the tensors that were noted, and nobody has written to them since."""
        if self._noted is None:
            return False
        for slot, (tensor, version) in zip(self._slots, self._noted, strict=True):
            if tensors[slot] is not tensor or tensor._version != version:
                return False
        return True

    @property
    def can_change_unseen(self) -> bool:
        """Whether NumPy or another library shares the memory of one: its writes are not counted."""
        return any(not tensor.untyped_storage().resizable() for tensor, _ in self._noted or ())
