"""Scaled gradients in a small memory that is used again and again.

New memory for a second set of gradients costs more time than the update itself: the system hands out its pages one by
one, and takes them back. So gradients are scaled part by part, in a buffer that stays in the processor's cache.
"""

import threading
from collections.abc import Iterator

import torch

from ...torch_private import foreach
from .rule import Tensors

_SIZE = 1 << 19  # elements: a smaller one leaves threads without work, a larger one leaves the cache
_MAX_PLANS = 32  # a program has few sets of weights


class _Scratch(threading.local):
    """A thread's buffers by dtype, and how lists of known shapes are divided over them."""

    def __init__(self) -> None:
        self.buffers: dict[torch.dtype, torch.Tensor] = {}
        self.plans: dict[tuple[object, ...], list[tuple[slice, torch.Tensor, Tensors]]] = {}

    def buffer(self, dtype: torch.dtype) -> torch.Tensor:
        found = self.buffers.get(dtype)
        if found is None:
            found = self.buffers[dtype] = torch.empty(_SIZE, dtype=dtype)
        return found

    def plan(self, grads: Tensors) -> list[tuple[slice, torch.Tensor, Tensors]]:
        """Runs of the list, with the piece of the buffer and its views for each; no views for one that is too large."""
        key = (grads[0].dtype, *[grad.shape for grad in grads])
        found = self.plans.get(key)
        if found is None:
            if len(self.plans) >= _MAX_PLANS:
                self.plans.clear()
            found = self.plans[key] = self._divided(grads)
        return found

    def _divided(self, grads: Tensors) -> list[tuple[slice, torch.Tensor, Tensors]]:
        buffer = self.buffer(grads[0].dtype)
        parts: list[tuple[slice, torch.Tensor, Tensors]] = []
        start = used = 0
        views: Tensors = []
        for place, grad in enumerate(grads):
            size = grad.numel()
            if views and used + size > _SIZE:
                parts.append((slice(start, place), buffer[:used], views))
                views, used = [], 0
            if not views:
                start = place
            if size > _SIZE:
                parts.append((slice(place, place + 1), buffer, []))
                continue
            views.append(buffer[used : used + size].view(grad.shape))
            used += size
        if views:
            parts.append((slice(start, len(grads)), buffer[:used], views))
        return parts


_scratch = _Scratch()


def scaled_parts(factor: float, grads: Tensors, *lists: Tensors) -> Iterator[list[Tensors]]:
    """The lists part by part, with factor * grads in place of the gradients; each part holds until the next one.

    Args:
        factor: what to multiply gradients by.
        grads: contiguous tensors on the CPU, of one dtype.
        *lists: further contiguous tensors, in the same shapes; parts of a large one are flat views of it.
    """
    for run, piece, views in _scratch.plan(grads):
        if views:
            foreach.copy_(views, grads[run])
            piece.mul_(factor)
            yield [views, *[tensors[run] for tensors in lists]]
            continue
        flat = [tensors[run.start].view(-1).split(_SIZE) for tensors in (grads, *lists)]
        for grad, *others in zip(*flat, strict=True):
            scaled = torch.mul(grad, factor, out=piece[: grad.numel()])
            yield [[scaled], *[[other] for other in others]]
