"""Matrices with rows and columns exchanged: the order of their elements is found once and kept with the matrix."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from ...errors import OpIndexError
from ...torch_private import version_of
from .storage import Csr


class Columns(NamedTuple):
    """How the elements of a matrix lie column by column.

    Attributes:
        order: the places of the elements in the matrix.
        rows: their rows.
        starts: where each column that has elements begins and the last one ends.
        used: the numbers of those columns, int64.
    """

    order: Tensor
    rows: Tensor
    starts: Tensor
    used: Tensor


class _Known(NamedTuple):
    columns: Columns
    indptr: Tensor
    versions: tuple[int, int]


# By the tensor of columns; it dies with the matrix. Training on the same matrix, epoch after epoch, orders it once.
_known: WeakIdKeyDictionary = WeakIdKeyDictionary()


def by_column(matrix: Csr) -> Columns:
    """The elements of a matrix column by column, within a column row by row."""
    versions = version_of(matrix.indices), version_of(matrix.indptr)
    known: _Known | None = _known.get(matrix.indices)
    if known is not None and known.indptr is matrix.indptr and known.versions == versions:
        return known.columns
    columns = _ordered(matrix)
    _known[matrix.indices] = _Known(columns, matrix.indptr, versions)
    return columns


def _ordered(matrix: Csr) -> Columns:
    length = matrix.shape[1]
    if len(matrix.indices):
        low, high = (int(bound) for bound in torch.aminmax(matrix.indices))
        if low < 0 or high >= length:
            raise OpIndexError(f"indices go from {low} to {high} for {length} columns")
    keys, order = sorted_stably(matrix.indices, length)
    used, counts = torch.unique_consecutive(keys, return_counts=True)
    starts = torch.cat((counts.new_zeros(1), counts.cumsum(0)))
    rows = matrix.row_numbers()
    if max(len(order), *matrix.shape) < torch.iinfo(torch.int32).max:  # half the memory, and read faster
        order, rows, starts = order.int(), rows.int(), starts.int()
    # index_select, not [order]: several times as fast for vectors.
    return Columns(order, rows.index_select(0, order), starts, used.long())


# Numbers of keys for which NumPy's sort of single numbers is several times as fast as torch's of pairs, as measured.
_PACKED = range(1000, 200_000)


def sorted_stably(keys: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """Whole numbers below a limit in ascending order, and the places where they stood: equal ones as they were."""
    bits = (len(keys) - 1).bit_length()
    if keys.device.type == "cpu" and len(keys) in _PACKED and limit << bits <= torch.iinfo(torch.int64).max:
        packed = (keys.long() << bits) + torch.arange(len(keys))
        packed.numpy().sort()
        return packed >> bits, packed & ((1 << bits) - 1)
    for dtype in (torch.int16, torch.int32):
        if limit <= torch.iinfo(dtype).max:  # torch counts digit by digit: the fewer bytes, the fewer passes
            return torch.sort(keys.to(dtype), stable=True)
    return torch.sort(keys, stable=True)
