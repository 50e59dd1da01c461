"""Version guard: whether parameters are those of an earlier call."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch

from ..torch_private import version_of
from .exported import is_exported


class _Version(NamedTuple):
    """A tensor as it was: torch's count of the writes to it, and a copy where others may write uncounted."""

    tensor: torch.Tensor
    version: int
    copy: torch.Tensor | None


class VersionGuard:
    """Whether the tensors of some slots are those of an earlier call, unwritten since.

    Args:
        slots: which to look at.
    """

    def __init__(self, slots: Iterable[int]) -> None:
        self._slots = tuple(slots)
        self._recorded: list[_Version] | None = None

    def record(self, tensors: Sequence[Any]) -> None:
        """Takes them as they are now."""
        self._recorded = [_version_of(tensors[slot]) for slot in self._slots]

    def forget(self) -> None:
        """Lets go of them; from then on they count as changed."""
        self._recorded = None

    def holds(self, tensors: Sequence[Any]) -> bool:
        """Whether all are the tensors that were recorded, and nobody has written to them since."""
        if self._recorded is None:
            return False
        for slot, (tensor, version, copy) in zip(self._slots, self._recorded, strict=True):
            if tensors[slot] is not tensor or version_of(tensor) != version:
                return False
            if copy is not None and not torch.equal(tensor, copy):
                return False
        return True


def _version_of(tensor: torch.Tensor) -> _Version:
    version = version_of(tensor)  # before the copy: a write by another thread in between counts as a change
    return _Version(tensor, version, tensor.detach().clone() if is_exported(tensor) else None)
