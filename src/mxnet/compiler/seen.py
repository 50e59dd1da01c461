"""Version guard: whether parameters are those of an earlier call."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch

from .exported import is_exported


class _Noted(NamedTuple):
    """A tensor as it was: torch's count of the writes to it, and a copy where others may write uncounted."""

    tensor: torch.Tensor
    version: int
    copy: torch.Tensor | None


class Seen:
    """The tensors of some slots as they were.

    Args:
        slots: which to look at.
    """

    def __init__(self, slots: Iterable[int]) -> None:
        self._slots = tuple(slots)
        self._noted: list[_Noted] | None = None

    def note(self, tensors: Sequence[Any]) -> None:
        """Takes them as they are now."""
        self._noted = [_noted(tensors[slot]) for slot in self._slots]

    def forget(self) -> None:
        """Lets go of them; from then on they count as changed."""
        self._noted = None

    def are_same(self, tensors: Sequence[Any]) -> bool:
        """Whether all are the tensors that were noted, and nobody has written to them since."""
        if self._noted is None:
            return False
        for slot, (tensor, version, copy) in zip(self._slots, self._noted, strict=True):
            if tensors[slot] is not tensor or tensor._version != version:
                return False
            if copy is not None and not torch.equal(tensor, copy):
                return False
        return True


def _noted(tensor: torch.Tensor) -> _Noted:
    version = tensor._version  # before the copy: a write by another thread in between counts as a change
    return _Noted(tensor, version, tensor.detach().clone() if is_exported(tensor) else None)
