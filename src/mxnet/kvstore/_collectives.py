"""Sum arrays over workers, compressed on request."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from regluon.distributed import ProcessGroup
from regluon.runtime.invoke import check_writable

from ..base import MXNetError
from ..error import OpTypeError
from ..ndarray import NDArray

__all__ = ["TwoBitCompression", "compression"]


def add_up(
    group: ProcessGroup | None, arrays: Sequence[NDArray], what: str, before: float = 1.0, after: float = 1.0
) -> None:
    """Writes sums over all processes over arrays: one message for each dtype.

    Args:
        group: the processes; None for this one alone.
        arrays: dense ones, of the same shapes on every process.
        what: the name of the call, for errors.
        before: a factor of what is added.
        after: a factor of the sum.
    """
    for tensors in _of_each_dtype(arrays, what):
        flat = _joined(tensors)
        _scale(flat, before)
        if group is not None and flat.numel():
            group.all_reduce(flat, what)
        _scale(flat, after)
        _write(flat, tensors)


def summed(group: ProcessGroup, arrays: Sequence[NDArray], what: str) -> list[NDArray]:
    """The sums of arrays over all processes, which leave the arrays as they are: one message for each dtype."""
    found: dict[int, NDArray] = {}
    for kind in dict.fromkeys((array._t.dtype, array._t.device) for array in arrays):
        alike = [place for place, array in enumerate(arrays) if (array._t.dtype, array._t.device) == kind]
        flat = torch.cat([arrays[place]._plain().reshape(-1) for place in alike])
        if flat.numel():
            group.all_reduce(flat, what)
        parts = flat.split([arrays[place].size for place in alike])
        for place, part in zip(alike, parts, strict=True):
            found[place] = NDArray(part.view(arrays[place].shape), arrays[place].context)
    return [found[place] for place in range(len(arrays))]


def reduce_by(group: ProcessGroup | None, array: NDArray, how: str, what: str) -> None:
    """Writes the least, the greatest or the product of each element over all processes over an array."""
    for (tensor,) in _of_each_dtype([array], what):
        if group is not None and tensor.numel():
            parts = torch.stack(group.all_gather(tensor.contiguous(), what))
            if how == "product":
                tensor.copy_(parts.prod(0))
            else:
                tensor.copy_(parts.amin(0) if how == "min" else parts.amax(0))


def copy_from(group: ProcessGroup | None, arrays: Sequence[NDArray], root: int, what: str) -> None:
    """Writes the values of one process over arrays of all: one message for each dtype."""
    for tensors in _of_each_dtype(arrays, what):
        flat = _joined(tensors)
        if group is not None and flat.numel():
            group.broadcast(flat, root, what)
        _write(flat, tensors)


def all_rows(group: ProcessGroup | None, array: NDArray, what: str) -> list[NDArray]:
    """The arrays of all processes, which may differ in their first length."""
    tensor = _dense(array, what)
    parts = [tensor.clone()] if group is None else group.all_gather_rows(tensor, what)
    return [type(array)(part, array.context) for part in parts]


def nccl_version() -> int:
    """The version of NCCL as NCCL counts it, such as 22005 for 2.20.5; 0 where torch is without it."""
    if not (dist.is_nccl_available() and torch.cuda.is_available()):
        return 0
    major, minor, patch = torch.cuda.nccl.version()[:3]
    return int(major) * 10000 + int(minor) * 100 + int(patch)


def is_built(kind: str) -> bool:
    """Whether torch was built with 'gloo', 'cuda' or 'rocm'."""
    found = {"gloo": dist.is_gloo_available(), "cuda": torch.version.cuda, "rocm": torch.version.hip}
    return bool(found[kind])


def _of_each_dtype(arrays: Sequence[NDArray], what: str) -> Iterator[list[Tensor]]:
    """The memory of arrays that are to be written."""
    groups: dict[tuple[torch.dtype, torch.device], list[Tensor]] = {}
    for array in arrays:
        tensor = _dense(array, what)
        check_writable(array, what)
        groups.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    yield from groups.values()


def _dense(array: NDArray, what: str) -> Tensor:
    if not isinstance(array, NDArray):
        raise OpTypeError(f"[{what}] received {type(array).__name__}; expected an NDArray.")
    if array.stype != "default":
        raise OpTypeError(
            f"[{what}] received a {array.stype} array; expected a dense one: call tostype('default'), or use a "
            "'dist_sync' store, which sends rows."
        )
    return array._plain()


def _joined(tensors: list[Tensor]) -> Tensor:
    """All elements in one tensor: a single array's own memory, else a copy."""
    if len(tensors) == 1 and tensors[0].is_contiguous():
        return tensors[0]
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


def _write(flat: Tensor, tensors: list[Tensor]) -> None:
    if flat is tensors[0]:
        torch.autograd.graph.increment_version(flat)  # collective calls write without telling
        return
    for part, tensor in zip(flat.split([tensor.numel() for tensor in tensors]), tensors, strict=True):
        tensor.copy_(part.view(tensor.shape))


def _scale(tensor: Tensor, factor: float) -> None:
    if factor == 1.0:
        return
    if tensor.is_floating_point():
        tensor.mul_(factor)
    else:
        tensor.copy_(tensor.double() * factor)


_POSITIVE, _NEGATIVE = 3, 2  # the codes
_SHIFTS = (6, 4, 2, 0)  # the first element of a byte is in its highest bits


class TwoBitCompression:
    """Packs arrays, and keeps for each key what a receiver was not told yet.

    Args:
        threshold: what an element that is sent counts as.
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold
        self.residuals: dict[Any, Tensor] = {}

    def takes(self, value: Tensor) -> bool:
        """Whether a value is of a kind that is packed: single precision, as in MXNet."""
        return value.dtype == torch.float32 and value.layout == torch.strided

    def compress(self, key: Any, value: Tensor) -> Tensor:
        """A value in two bits for each element."""
        residual = self.residuals.get(key)
        if residual is None:
            residual = self.residuals[key] = torch.zeros_like(value)
        residual += value
        rises, falls = residual >= self.threshold, residual <= -self.threshold
        residual -= self.threshold * rises
        residual += self.threshold * falls
        codes = (rises * _POSITIVE + falls * _NEGATIVE).to(torch.uint8).reshape(-1)
        padded = torch.zeros(-(-codes.numel() // 4) * 4, dtype=torch.uint8, device=value.device)
        padded[: codes.numel()] = codes
        fours = padded.view(-1, 4)
        packed: Tensor = fours[:, 0] << 6
        for place in range(1, 4):
            packed |= fours[:, place] << _SHIFTS[place]
        return packed

    def decompress(self, packed: Tensor, shape: Any, dtype: torch.dtype = torch.float32) -> Tensor:
        """What the packed elements count as."""
        shifts = torch.tensor(_SHIFTS, dtype=torch.uint8, device=packed.device)
        codes = ((packed.unsqueeze(1) >> shifts) & 3).reshape(-1)[: torch.Size(shape).numel()].reshape(shape)
        signs = (codes == _POSITIVE).to(dtype) - (codes == _NEGATIVE).to(dtype)
        return signs * self.threshold


def compression(who: str, params: Any) -> TwoBitCompression | None:
    """The compression that parameters such as {'type': '2bit', 'threshold': 0.5} ask for; None for type 'none'."""
    if not isinstance(params, dict):
        raise TypeError(f"[{who}] received {type(params).__name__}; expected a dict such as {{'type': '2bit'}}.")
    if unknown := params.keys() - {"type", "threshold"}:
        raise MXNetError(f"[{who}] received {', '.join(sorted(unknown))}; expected 'type' and 'threshold'.")
    if (kind := params.get("type")) == "none":
        return None
    if kind != "2bit":
        raise MXNetError(f"[{who}] type: received {kind!r}; expected '2bit' or 'none'.")
    threshold = float(params.get("threshold", 0.5))
    if not threshold > 0:
        raise MXNetError(f"[{who}] threshold: received {threshold}; expected a number above 0.")
    return TwoBitCompression(threshold)
