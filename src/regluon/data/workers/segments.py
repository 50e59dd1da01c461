"""How arrays travel between processes: through shared memory that is used again for each batch.

A worker copies the arrays of a batch into one segment and sends only where they lie; the parent copies them out and
tells the worker that the segment is free. So the number of segments, and of open files, stays that of the batches on
their way, however many batches a program keeps.
"""

from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.multiprocessing  # teaches ForkingPickler to send tensors through shared memory

from ...array import NDArray
from ...context import Context, cpu

_ALIGNMENT = 64
_PAGE = 4096


class Placed(NamedTuple):
    """Stands for an array that lies in a segment."""

    offset: int
    shape: tuple[int, ...]
    dtype: Any  # torch's for arrays of ours, NumPy's for others
    kind: type | None  # the class of an array of ours


class Packet(NamedTuple):
    """What a worker sends: its result with arrays replaced, and the segment that has them."""

    content: Any
    segment: int | None
    fresh: torch.Tensor | None  # the segment itself, when it is sent for the first time
    dropped: tuple[int, ...]  # segments that the worker gave up


class Outbox:
    """The segments of a worker."""

    def __init__(self) -> None:
        self._segments: dict[int, torch.Tensor] = {}
        self._free: list[int] = []
        self._count = 0

    def release(self, segments: list[int]) -> None:
        """Takes segments back that the parent has read."""
        self._free += segments

    def pack(self, content: Any) -> Packet:
        """Copies the arrays inside lists, tuples and dicts to a segment."""
        sources: list[tuple[int, np.ndarray]] = []
        replaced, length = _placed(content, sources, 0)
        if not sources:
            return Packet(replaced, None, None, ())
        number, fresh, dropped = self._segment(length)
        target = self._segments[number].numpy()
        for offset, source in sources:
            target[offset : offset + source.nbytes] = source
        return Packet(replaced, number, fresh, dropped)

    def _segment(self, length: int) -> tuple[int, torch.Tensor | None, tuple[int, ...]]:
        """A free segment; a new one if none is long enough, and then the short ones that lie idle are given up."""
        for place, number in enumerate(self._free):
            if len(self._segments[number]) >= length:
                del self._free[place]
                return number, None, ()
        dropped = tuple(self._free)
        for number in dropped:
            del self._segments[number]
        self._free.clear()
        self._count += 1
        fresh = torch.empty(-(-length // _PAGE) * _PAGE, dtype=torch.uint8).share_memory_()
        self._segments[self._count] = fresh
        return self._count, fresh, dropped


class Inbox:
    """What the parent knows of a worker's segments.

    Attributes:
        released: segments that were read since the worker was told last.
    """

    def __init__(self) -> None:
        self._segments: dict[int, torch.Tensor] = {}
        self.released: list[int] = []

    def unpack(self, packet: Packet) -> Any:
        """The result, with arrays of this process's own memory."""
        for number in packet.dropped:
            del self._segments[number]
        if packet.segment is None:
            return packet.content
        if packet.fresh is not None:
            self._segments[packet.segment] = packet.fresh
        result = _taken(packet.content, self._segments[packet.segment])
        self.released.append(packet.segment)
        return result


def _placed(content: Any, sources: list[tuple[int, np.ndarray]], end: int) -> tuple[Any, int]:
    """Replaces arrays; notes their bytes and where they go. Returns the end of what is used as well."""
    kind = type(content)
    if kind is list or kind is tuple:
        parts = []
        for each in content:
            part, end = _placed(each, sources, end)
            parts.append(part)
        return kind(parts), end
    if kind is dict:
        entries = {}
        for key, each in content.items():
            entries[key], end = _placed(each, sources, end)
        return entries, end
    if isinstance(content, NDArray) and content.stype == "default":
        tensor = content._plain().cpu().contiguous()
        mark = Placed(end, tuple(tensor.shape), tensor.dtype, kind)
        flat = tensor.reshape(-1).view(torch.uint8).numpy()
    elif kind is np.ndarray and content.dtype.kind in "biufc":
        mark = Placed(end, content.shape, content.dtype, None)
        flat = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
    else:
        return content, end
    sources.append((end, flat))
    return mark, end + -(-flat.nbytes // _ALIGNMENT) * _ALIGNMENT


def _taken(content: Any, segment: torch.Tensor) -> Any:
    """Puts copies of the arrays back in their places."""
    kind = type(content)
    if kind is Placed:
        return _copied(content, segment)
    if kind is list or kind is tuple:
        return kind([_taken(each, segment) for each in content])
    if kind is dict:
        return {key: _taken(each, segment) for key, each in content.items()}
    return content


def _copied(mark: Placed, segment: torch.Tensor) -> Any:
    size = int(np.prod(mark.shape, dtype=np.int64)) * mark.dtype.itemsize
    source = segment.numpy()[mark.offset : mark.offset + size]
    if mark.kind is None:
        return source.copy().view(mark.dtype).reshape(mark.shape)
    own = torch.empty(size, dtype=torch.uint8)
    own.numpy()[:] = source  # by NumPy: torch would wake its threads for it
    return mark.kind(own.view(mark.dtype).reshape(mark.shape), cpu())


# -- arrays in anything else that is sent: datasets of started workers, queues of a program's own ---------------------


def _rebuilt(kind: Any, tensor: torch.Tensor, context: Context) -> Any:
    return kind(tensor, context)


def _reduced(array: NDArray) -> Any:
    """An array as its tensor, which travels in shared memory: one of just its own elements, on the CPU."""
    tensor, context = array._plain(), array.context
    if tensor.device.type != "cpu":
        tensor, context = tensor.cpu(), cpu()
    if tensor.untyped_storage().nbytes() != tensor.numel() * tensor.element_size():
        tensor = tensor.clone()
    return _rebuilt, (type(array), tensor.detach(), context)


for _kind in (NDArray, NDArray._numpy_type):
    ForkingPickler.register(_kind, _reduced)


def loads(message: bytes | bytearray | memoryview) -> Any:
    """What a worker of a program's own pool sent as bytes."""
    return ForkingPickler.loads(message)
