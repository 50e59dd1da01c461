"""What an iterator gives: a batch, and the description of each array in it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["DataBatch", "DataDesc"]


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
