"""What sparse arrays hold: tensors of stored elements and of where they belong, and how to get to dense and back."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from ...torch_private import version_of

Shape: TypeAlias = tuple[int, ...]


class Rows(NamedTuple):
    """Some rows of an array; all others are zero.

    Attributes:
        values: the rows, (number of stored rows, *shape[1:]).
        indices: their numbers, int64, rising.
        shape: of the whole array.
    """

    values: Tensor
    indices: Tensor
    shape: Shape

    @property
    def dtype(self) -> torch.dtype:
        """Of the stored elements."""
        return self.values.dtype

    @property
    def aux(self) -> tuple[Tensor, ...]:
        """The index arrays, in the order in which files hold them."""
        return (self.indices,)

    @staticmethod
    def assembled(values: Tensor, aux: tuple[Tensor, ...], shape: Shape) -> "Rows":
        """The storage of given parts."""
        return Rows(values, aux[0], shape)

    @staticmethod
    def zeros(shape: Shape, dtype: torch.dtype, device: torch.device) -> "Rows":
        """No row is stored."""
        return Rows(
            torch.empty((0, *shape[1:]), dtype=dtype, device=device),
            torch.empty(0, dtype=torch.int64, device=device),
            shape,
        )

    @staticmethod
    def from_dense(tensor: Tensor) -> "Rows":
        """The rows that are not all zero."""
        used = tensor != 0
        indices = (used.flatten(1).any(1) if tensor.dim() > 1 else used).nonzero().squeeze(1)
        return Rows(tensor.index_select(0, indices), indices, tuple(tensor.shape))

    @staticmethod
    def from_gradient(gradient: Tensor) -> "Rows":
        """The rows of a gradient, which torch may hold as sparse itself."""
        if not gradient.is_sparse:
            return Rows.from_dense(gradient)
        gathered = gradient.coalesce()
        return Rows(gathered.values(), gathered.indices().squeeze(0), tuple(gradient.shape))

    def dense(self) -> Tensor:
        """The whole array."""
        whole = self.values.new_zeros(self.shape)
        return whole.index_copy_(0, self.indices, self.values)

    def gathered(self, tensor: Tensor) -> Tensor:
        """The elements of a dense array of this shape that lie where elements are stored."""
        return tensor.index_select(0, self.indices)

    def is_full(self) -> bool:
        """Whether every row is stored, in order: the usual case of weights."""
        return self.indices.shape[0] == self.shape[0] and _is_rising(self.indices)

    def at(self, rows: Tensor) -> Tensor:
        """The rows of the given numbers, zeros where one is not stored."""
        if not len(self.indices):
            return self.values.new_zeros((len(rows), *self.shape[1:]))
        if self.is_full():
            return self.values.index_select(0, rows)
        known, order = self.indices.sort(stable=True)
        places = torch.searchsorted(known, rows, right=True).sub_(1).clamp_(min=0)
        found = known[places] == rows
        picked = self.values.index_select(0, order[places])
        return picked if bool(found.all()) else picked.masked_fill(~_stretched(found, picked), 0)

    def covering(self, rows: Tensor) -> "Rows":
        """The same array with all of these rows stored, in order."""
        union = torch.unique(torch.cat((self.indices, rows)))
        return self if torch.equal(union, self.indices) else Rows(self.at(union), union, self.shape)

    def written(self, rows: Tensor, values: Tensor) -> "Rows":
        """Overwrites rows; in place where they are all stored."""
        if self.is_full():
            self.values.index_copy_(0, rows, values)
            return self
        whole = self.covering(rows)
        whole.values.index_copy_(0, torch.searchsorted(whole.indices, rows), values)
        return whole


# By the tensor of row numbers: its version when they were looked at, and whether they rise.
_rising: WeakIdKeyDictionary = WeakIdKeyDictionary()


def _is_rising(numbers: Tensor) -> bool:
    """Whether each number is larger than the one before; every step of training asks it of the same weights."""
    known = _rising.get(numbers)
    if known is None or known[0] != version_of(numbers):
        known = _rising[numbers] = version_of(numbers), bool((numbers[1:] > numbers[:-1]).all())
    return bool(known[1])


def _stretched(mask: Tensor, like: Tensor) -> Tensor:
    return mask.reshape(-1, *(1,) * (like.dim() - 1))


class Csr(NamedTuple):
    """The elements of a matrix that are stored, row by row; all others are zero.

    Attributes:
        values: the stored elements.
        indptr: where the elements of each row begin and, as one number more, the last ones end; int64.
        indices: their columns, int64, rising within a row.
        shape: of the whole matrix.
    """

    values: Tensor
    indptr: Tensor
    indices: Tensor
    shape: Shape

    @property
    def dtype(self) -> torch.dtype:
        """Of the stored elements."""
        return self.values.dtype

    @property
    def aux(self) -> tuple[Tensor, ...]:
        """The index arrays, in the order in which files hold them."""
        return self.indptr, self.indices

    @staticmethod
    def assembled(values: Tensor, aux: tuple[Tensor, ...], shape: Shape) -> "Csr":
        """The storage of given parts."""
        starts, columns = aux
        if not len(starts):  # a file may hold an array that was never filled
            starts = torch.zeros(shape[0] + 1, dtype=torch.int64, device=values.device)
        return Csr(values, starts, columns, shape)

    @staticmethod
    def zeros(shape: Shape, dtype: torch.dtype, device: torch.device) -> "Csr":
        """No element is stored."""
        return Csr(
            torch.empty(0, dtype=dtype, device=device),
            torch.zeros(shape[0] + 1, dtype=torch.int64, device=device),
            torch.empty(0, dtype=torch.int64, device=device),
            shape,
        )

    @staticmethod
    def from_places(values: Tensor, places: Tensor, shape: Shape) -> "Csr":
        """From elements and their rising places in the flattened matrix."""
        columns = max(shape[1], 1)
        starts = torch.arange(shape[0] + 1, device=places.device) * shape[1]
        return Csr(values, torch.searchsorted(places, starts), places % columns, shape)

    @staticmethod
    def from_dense(tensor: Tensor) -> "Csr":
        """The elements that are not zero."""
        flat = tensor.reshape(-1)
        places = flat.nonzero().squeeze(1)
        return Csr.from_places(flat.index_select(0, places), places, tuple(tensor.shape))

    @staticmethod
    def from_gradient(gradient: Tensor) -> "Csr":
        """The elements of a gradient that are not zero."""
        return Csr.from_dense(gradient.to_dense())

    def row_numbers(self) -> Tensor:
        """For each stored element the number of its row."""
        return torch.repeat_interleave(self.indptr.diff(), output_size=len(self.indices))

    def places(self) -> Tensor:
        """For each stored element its place in the flattened matrix."""
        return self.row_numbers() * self.shape[1] + self.indices

    def dense(self) -> Tensor:
        """The whole matrix."""
        whole = self.values.new_zeros(self.shape)
        whole.view(-1).index_copy_(0, self.places(), self.values)
        return whole

    def gathered(self, tensor: Tensor) -> Tensor:
        """The elements of a dense matrix of this shape, or one to broadcast to it, where elements are stored."""
        return tensor.expand(self.shape)[self.row_numbers(), self.indices]

    def picked(self, rows: Tensor) -> "Csr":
        """The rows of the given numbers, one after another."""
        counts = self.indptr.diff()[rows]
        starts = torch.cat((counts.new_zeros(1), counts.cumsum(0)))
        shift = torch.repeat_interleave(self.indptr[rows] - starts[:-1], counts)
        elements = torch.arange(len(shift), device=rows.device) + shift
        values, columns = self.values.index_select(0, elements), self.indices.index_select(0, elements)
        return Csr(values, starts, columns, (len(rows), self.shape[1]))


Store: TypeAlias = Rows | Csr
STORES: dict[str, type[Rows] | type[Csr]] = {"row_sparse": Rows, "csr": Csr}


def mapped(store: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """The same places with other values."""
    return store._replace(values=function(store.values))


def moved(store: Any, device: torch.device, dtype: torch.dtype | None = None) -> Any:
    """A copy on a device, of another dtype if one is given."""
    aux = tuple(index.to(device, copy=True) for index in store.aux)
    return store.assembled(store.values.to(device, dtype or store.dtype, copy=True), aux, store.shape)


def combined(a: Store, b: Store, function: Callable[[Tensor, Tensor], Tensor]) -> Store:
    """Element by element, of two arrays of one kind, where any of them has something stored."""
    if isinstance(a, Rows) and isinstance(b, Rows):
        if a.indices.shape == b.indices.shape and torch.equal(a.indices, b.indices):
            return a._replace(values=function(a.values, b.values))
        union = torch.unique(torch.cat((a.indices, b.indices)))
        return Rows(function(a.at(union), b.at(union)), union, a.shape)
    assert isinstance(a, Csr)
    assert isinstance(b, Csr)
    places = a.places(), b.places()
    union = torch.unique(torch.cat(places))
    left, right = (
        store.values.new_zeros(len(union)).index_copy_(0, torch.searchsorted(union, where), store.values)
        for store, where in zip((a, b), places, strict=True)
    )
    values = function(left, right)
    kept = values.nonzero().squeeze(1)  # matrices drop what has become zero, rows stay
    return Csr.from_places(values[kept], union[kept], a.shape)
