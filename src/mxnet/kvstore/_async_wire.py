"""What arrays are on their way between workers: tensors in the memory of the processor, with what they stand for."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from regluon.array.sparse.storage import Rows

from ..base import MXNetError
from ..context import cpu
from ..ndarray import NDArray
from ..ndarray.sparse import RowSparseNDArray
from ._collectives import TwoBitCompression


class Dense(NamedTuple):
    """A dense array."""

    elements: Tensor

    def array(self) -> NDArray:
        """The array that was sent."""
        return NDArray(self.elements, cpu())


class SomeRows(NamedTuple):
    """The stored rows of a row_sparse array."""

    values: Tensor
    indices: Tensor
    shape: tuple[int, ...]

    def array(self) -> NDArray:
        """The array that was sent."""
        made: NDArray = RowSparseNDArray(Rows(*self), cpu())
        return made


class TwoBits(NamedTuple):
    """A gradient in two bits for each element."""

    codes: Tensor
    shape: tuple[int, ...]
    threshold: float

    def array(self) -> NDArray:
        """What the codes count as."""
        return NDArray(TwoBitCompression(self.threshold).decompress(self.codes, self.shape), cpu())


Wire = Dense | SomeRows | TwoBits


def packed(array: NDArray, is_copied: bool = True) -> Wire:
    """An array to send.

    Args:
        array: dense or row_sparse.
        is_copied: whether the array may be written before what is made of it has arrived.
    """
    if array.stype == "row_sparse":
        values, indices, shape = array._store  # type: ignore[attr-defined]
        return SomeRows(_alone(values, is_copied), _alone(indices, is_copied), tuple(shape))
    if array.stype != "default":
        raise MXNetError(f"[kvstore] received a {array.stype} array; expected a dense or row_sparse one.")
    return Dense(_alone(array._plain(), is_copied))


def compressed(key: Any, array: NDArray, codec: TwoBitCompression | None) -> Wire | None:
    """A gradient in two bits for each element, if it is of a kind that is sent so."""
    if codec is None or array.stype != "default" or not codec.takes(array._plain()):
        return None
    return TwoBits(codec.compress(key, array._plain().detach()).cpu(), array.shape, codec.threshold)


def num_bytes(wire: Wire) -> int:
    """How much is sent of it, but for a few bytes of headers."""
    return sum(part.nbytes for part in wire if isinstance(part, Tensor))


def _alone(tensor: Tensor, is_copied: bool) -> Tensor:
    detached = tensor.detach()
    moved = detached.to("cpu")
    is_shared = moved.data_ptr() == detached.data_ptr()
    return moved.clone(memory_format=torch.contiguous_format) if is_copied and is_shared else moved
