"""Define data iterators, descriptions of their data and the order of examples."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from regluon.call_repr import call_text

from ..error import OpParamError

__all__ = ["DataBatch", "DataDesc", "DataIter"]


class _NameAndShape(NamedTuple):
    name: str
    shape: tuple[int, ...]


class DataDesc(_NameAndShape):
    """Name, shape, dtype and layout of an array; as a tuple, its name and shape.

    Args:
        name: the array's name.
        shape: its shape, batch included.
        dtype: its data type.
        layout: what each axis means; `N` is the batch.
    """

    __module__ = "mxnet.io.io"

    dtype: Any
    layout: str | None

    def __new__(
        cls, name: str, shape: Sequence[int], dtype: Any = np.float32, layout: str | None = "NCHW"
    ) -> "DataDesc":
        """Keeps dtype and layout beside the tuple."""
        made = super().__new__(cls, name, shape)  # type: ignore[arg-type]  # the shape is kept as it was given
        made.dtype = dtype
        made.layout = layout
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.name, self.shape, self.dtype, self.layout)

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """The axis of a layout that counts the examples: 0 without a layout, -1 if there is none."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Iterable[tuple[str, Any]], types: Iterable[tuple[str, Any]] | None) -> "list[DataDesc]":
        """Descriptions from pairs of names and shapes, and perhaps pairs of names and dtypes."""
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        dtype_of = dict(types)
        return [DataDesc(name, shape, dtype_of[name]) for name, shape in shapes]


class DataBatch:
    """One batch of examples.

    Args:
        data: a list of arrays.
        label: a list of arrays, or None.
        pad: how many examples at the end only fill the batch up.
        index: numbers of the examples.
        bucket_key: the bucket that the batch belongs to, for `BucketingModule`.
        provide_data: descriptions of the arrays in `data`, if they differ from the iterator's.
        provide_label: the same for `label`.
    """

    __module__ = "mxnet.io.io"

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ) -> None:
        for name, arrays in (("data", data), ("label", label)):
            if arrays is not None and not isinstance(arrays, (list, tuple)):
                raise TypeError(
                    f"[DataBatch] {name}: received {type(arrays).__name__}; expected a list of arrays: "
                    f"`{name}=[array]` for a single one."
                )
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        data = [each.shape for each in self.data] if self.data is not None else None
        label = [each.shape for each in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {data} label shapes: {label}"


_Self = TypeVar("_Self", bound="DataIter")


class DataIter:
    """Gives batches until the pass over the data ends; `reset` begins the next one.

    A subclass writes `next`, or `iter_next`, `getdata`, `getlabel` and `getpad`, and says in `provide_data` and
    `provide_label` what its batches hold.

    Args:
        batch_size: how many examples a batch has.
    """

    __module__ = "mxnet.io.io"

    provide_data: Any
    provide_label: Any

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __repr__(self) -> str:
        kept = [*(getattr(self, "provide_data", None) or ()), *(getattr(self, "provide_label", None) or ())]
        shapes = [f"{each[0]}: {'x'.join(map(str, each[1]))}" for each in kept]
        return call_text(type(self).__name__, *shapes, batch_size=getattr(self, "batch_size", 0), **self._described())

    def _described(self) -> dict[str, Any]:
        """What `repr` says besides shapes and batch size."""
        return {}

    def __iter__(self: _Self) -> _Self:
        return self

    def reset(self) -> None:
        """Begins a new pass over the data."""

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: the pass is over.
        """
        if self.iter_next():
            return DataBatch(data=self.getdata(), label=self.getlabel(), pad=self.getpad(), index=self.getindex())
        raise StopIteration

    def __next__(self) -> DataBatch:
        return self.next()

    def iter_next(self) -> Any:
        """Moves to the next batch and says whether there is one."""

    def getdata(self) -> Any:
        """The data of the current batch."""

    def getlabel(self) -> Any:
        """The labels of the current batch."""

    def getindex(self) -> Any:
        """The numbers of the examples of the current batch, or None."""

    def getpad(self) -> Any:
        """How many examples at the end of the current batch only fill it up."""


def check_batch_size(batch_size: Any, who: str) -> int:
    """A batch size that makes batches.

    Raises:
        OpParamError: it is no whole number above 0.
    """
    if not hasattr(batch_size, "__index__") or isinstance(batch_size, bool) or int(batch_size) < 1:
        raise OpParamError(f"[{who}] batch_size: received {batch_size!r}; expected a whole number from 1 on.")
    return int(batch_size)


class Rows(NamedTuple):
    """The numbers of a batch's examples, and how many at the end only fill it up."""

    numbers: list[int]
    pad: int


class Passes:
    """The batches of one pass over the examples after another, as MXNet's native iterators order them.

    With `round_batch`, the last batch is filled up with the first examples of the next pass, which then begins after
    them. Without it, the places keep the examples of the batch before, and count as padding.

    Args:
        count: how many examples there are.
        batch_size: examples in a batch.
        round_batch: see above.
        seed: draws a new order for each pass; None keeps the given one.
    """

    def __init__(self, count: int, batch_size: int, round_batch: bool = True, seed: int | None = None) -> None:
        self.count = count
        self.batch_size = batch_size
        self.round_batch = round_batch
        self.seed = seed
        self.number = 0
        self._start = 0
        self._next = (1, 0)

    def restart(self, finished: bool) -> None:
        """Begins the next pass; after a finished one, with the first example that did not fill it up."""
        self.number, self._start = self._next if finished else (self.number + 1, 0)

    def batches(self) -> Iterator[Rows]:
        """The batches of the current pass."""
        order = self._order(self.number)[self._start :]
        self._next = (self.number + 1, 0)
        before: list[int] = []
        for begin in range(0, len(order), self.batch_size):
            numbers = order[begin : begin + self.batch_size]
            pad = self.batch_size - len(numbers)
            if pad and self.round_batch:
                numbers = numbers + self._from_next(pad)
            elif pad:
                numbers = numbers + (before or order[:1] * self.batch_size)[-pad:]
            before = numbers
            yield Rows(numbers, pad)

    def _from_next(self, count: int) -> list[int]:
        """The first examples of the next pass, and of those after it if that has too few."""
        numbers: list[int] = []
        number = self.number
        while len(numbers) < count:
            number += 1
            numbers += (found := self._order(number)[: count - len(numbers)])
            self._next = (number, len(found))
        return numbers

    def _order(self, number: int) -> list[int]:
        if self.seed is None:
            return list(range(self.count))
        # A pass and the examples that fill it up from the next are drawn apart, and must agree.
        draw = np.random.Generator(np.random.PCG64([self.seed & 0xFFFFFFFF, number]))
        order: list[int] = draw.permutation(self.count).tolist()
        return order


def part_by_bytes(starts: list[int], size: int, num_parts: int, part_index: int, align: int) -> list[int]:
    """The examples of one part of a file that is cut into equally long parts.

    Args:
        starts: where each example begins.
        size: the file's length.
        num_parts: how many parts there are.
        part_index: which one.
        align: parts are multiples of this.
    """
    step = -(-size // num_parts)
    step = max(-(-step // align) * align, 1)
    return [number for number, start in enumerate(starts) if start // step == part_index]


def check_part(num_parts: int, part_index: int, who: str) -> None:
    """Refuses a part that does not exist."""
    if num_parts < 1 or not 0 <= part_index < num_parts:
        raise OpParamError(
            f"[{who}] received num_parts={num_parts}, part_index={part_index}; expected 0 <= part_index < num_parts."
        )
