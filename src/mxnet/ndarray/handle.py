"""The part of an NDArray that everything else in this room builds on: what it holds."""

from typing import Any

import torch

from ..context import Context, cpu
from ..recording import GradientSlot, Tape, plain

_CPU = cpu()


class Handle:
    """A thin, mutable handle around a torch tensor.

    Attributes:
        _t: the storage.
        _ctx: the Context it lives on.
        _node: the tensor that stands for it in a recorded graph, or None; see recording.py.
        _tape: the tape it was recorded on, or None.
        _slot: where `backward` puts its gradient, or None.
    """

    __slots__ = ("__weakref__", "_ctx", "_node", "_slot", "_t", "_tape")

    _t: torch.Tensor
    _ctx: Context
    _node: torch.Tensor | None
    _tape: Tape | None
    _slot: GradientSlot | None

    # The class of arrays that operators return for inputs of this class.
    _result_type: "type[Handle]"

    def __init__(self, tensor: torch.Tensor, context: Context = _CPU) -> None:
        # MXNet's pickles call NDArray(None), then __setstate__.
        self._t = tensor
        self._ctx = context
        self._node = None
        self._tape = None
        self._slot = None

    def _plain(self) -> torch.Tensor:
        """The storage, cut from any graph: what code outside of operators may read and write."""
        return plain(self)

    def _alias(self) -> torch.Tensor:
        """Another tensor over the storage, to hand out: `backward` counts the tensors that see a gradient's memory."""
        return plain(self).detach()

    @classmethod
    def _recorded(cls, tensor: torch.Tensor, context: Context, tape: Tape) -> Any:
        """An array for a result made while recording."""
        array = cls(tensor, context)
        if tensor.requires_grad:
            array._node, array._tape = tensor, tape
        return array
