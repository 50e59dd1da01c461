"""Slots that receive the gradients of variables, and variables that deliver to them."""

from typing import Any, Protocol

import torch

from ..native import watch
from ..ops.common import times_used_up
from ..ops.integer_gradients import integer_variable
from ..torch_private import is_shared, is_zero, run_number

_SMALL = 2048  # elements that are copied sooner than it is found out whether their memory could be taken


class Receiver(Protocol):
    """Takes gradients instead of a slot."""

    def __call__(self, slot: "GradientSlot", value: torch.Tensor | None) -> None:
        """Takes a part of a gradient, while torch's engine runs."""

    def show(self) -> None:
        """A program looks at the gradient: it must not change under its eyes."""


class GradientSlot:
    """Where the gradient of a variable goes.

    Torch calls it when the gradient of the leaf is complete; compiled networks deliver theirs as soon as they have it,
    so that no second set of gradients lies in memory.

    Attributes:
        grad: the buffer.
        request: what to do with it: 'write' or 'add'.
        fresh: whether it was written since whoever uses the gradient looked at it last.
        receiver: who takes gradients instead, `receiver(slot, value)`: sums over workers begin while backward runs.
        is_watched: whether a program has had the buffer in hand, so that it may look at it at any time.
    """

    __slots__ = ("_run", "fresh", "grad", "is_watched", "receiver", "request")

    def __init__(self, grad: Any, request: str) -> None:
        self.grad: Any = grad
        self.request: str = request
        self.fresh: bool = False
        self.receiver: Receiver | None = None
        self.is_watched: bool = False
        self._run = -1  # the run of torch's engine in which something was delivered last

    def __call__(self, leaf: torch.Tensor) -> None:
        """Moves the gradient of the leaf to the buffer; None means that only operators without gradient led here."""
        value, leaf.grad = leaf.grad, None
        if value is not None and (is_zero(value) or value.is_sparse):
            # A gradient that torch knows to be zero has no memory; of others an operator left out rows of zeros.
            value = None if is_zero(value) else value.to_dense()
        self.deliver(value)

    def deliver(self, value: torch.Tensor | None) -> None:
        """Takes a part of the gradient, while torch's engine runs."""
        if self.receiver is not None:
            self.receiver(self, value)
        elif self.begins():
            self.write(value)
        elif value is not None:
            self.grad._t.add_(value)

    def watch(self) -> None:
        """A program gets the buffer in hand."""
        self.is_watched = True
        if self.receiver is not None:
            self.receiver.show()

    def begins(self) -> bool:
        """Whether a delivery is the first in this run of torch's engine; others are added to it."""
        run = run_number()
        before, self._run = self._run, run
        return before != run

    def write(self, value: torch.Tensor | None) -> None:
        """Takes the whole gradient; None stands for zeros."""
        self.fresh = True
        grad = self.grad
        buffer = grad._t
        if value is None:
            if self.request != "add":
                buffer.zero_()
        elif self.request == "add":
            buffer.add_(value)
        elif value.numel() <= _SMALL or buffer.dtype != value.dtype or is_shared(buffer) or is_shared(value):
            buffer.copy_(value)
        else:
            grad._t = value  # nobody else sees either memory: take the new one instead of copying


def make_variable(array: Any, grad: Any, request: str, leaf: torch.Tensor | None = None) -> None:
    """Makes an array a variable: a leaf over its memory, whose gradient goes to `grad`.

    Args:
        array: the array.
        grad: where its gradient goes.
        request: 'write', 'add' or 'null'.
        leaf: a tensor to be the leaf instead of a new one; whoever gives it moves its gradients to the array's slot.
    """
    is_new, leaf = leaf is None, array._leaf() if leaf is None else leaf
    slot = grad._slot_type(grad, request)
    array._node, array._tape, array._slot = None, None, slot
    if request == "null":
        array._slot = NoSlot(grad, request)
        return
    if not leaf.is_floating_point():
        _make_integer_variable(array, leaf, grad, request)
        return
    leaf.requires_grad_(True)
    if is_new and type(slot) is GradientSlot:
        watch(leaf, slot)
    elif is_new:
        leaf.register_post_accumulate_grad_hook(slot)  # one for sparse gradients
    array._node = leaf


class NoSlot(GradientSlot):
    """The slot of an array whose gradient is not wanted ('null').

    As in MXNet its buffer is there until a backward has used up a graph, and None from then on.
    """

    __slots__ = ("_buffer", "_time")

    def __init__(self, grad: Any, request: str) -> None:
        self._buffer, self._time = grad, times_used_up()
        self.request, self.fresh, self._run = request, False, -1
        self.receiver, self.is_watched = None, False

    @property
    def grad(self) -> Any:
        """The buffer, or None."""
        return self._buffer if self._time == times_used_up() else None


class IntegerSlot(GradientSlot):
    """Where the gradient of integers goes: it arrives in real numbers."""

    __slots__ = ()

    def deliver(self, value: torch.Tensor | None) -> None:
        """Takes a part of the gradient, while torch's engine runs."""
        super().deliver(None if value is None else value.to(self.grad._t.dtype))


def _make_integer_variable(array: Any, leaf: torch.Tensor, grad: Any, request: str) -> None:
    """Makes an array of integers a variable; see ops/integer_gradients.py."""
    if type(array._slot) is not GradientSlot:
        return  # the gradients of sparse arrays are real numbers
    array._slot = IntegerSlot(grad, request)
    array._node = integer_variable(leaf)
    array._node.carrier.register_post_accumulate_grad_hook(array._slot)
