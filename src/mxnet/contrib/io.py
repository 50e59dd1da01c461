"""Gluon's data loaders as data iterators, for modules."""

from collections.abc import Iterator
from typing import Any

from ..io import DataDesc, DataIter
from ..ndarray import NDArray, zeros

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Reads a `gluon.data.DataLoader` of pairs of data and label as a Module does.

    A last batch that is smaller is filled up with zeros; `getpad` says by how many examples.

    Args:
        loader: the data loader; its first batch tells the shapes.
        data_name: the name of the data.
        label_name: the name of the label.
        dtype: what data and labels are converted to.
    """

    def __init__(
        self, loader: Any, data_name: str = "data", label_name: str = "softmax_label", dtype: str = "float32"
    ) -> None:
        super().__init__()
        self._loader = loader
        data, label = next(iter(loader))
        self.batch_size: Any = data.shape[0]
        self.dtype = dtype
        self.provide_data: Any = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label: Any = [DataDesc(label_name, label.shape, dtype)]
        self._iter: Iterator[Any] = iter(())
        self._current_batch: Any = None
        self.reset()

    def reset(self) -> None:
        """Begins with the first batch."""
        self._iter = iter(self._loader)

    def iter_next(self) -> bool:
        """Goes to the next batch, if there is one."""
        self._current_batch = next(self._iter, None)
        return self._current_batch is not None

    def getdata(self) -> list[NDArray]:
        """The data of the current batch."""
        return [self._filled(self._current_batch[0])]

    def getlabel(self) -> list[NDArray]:
        """The labels of the current batch."""
        return [self._filled(self._current_batch[1])]

    def getpad(self) -> int:
        """How many examples at the end of the current batch only fill it up."""
        return int(self.batch_size - self._current_batch[0].shape[0])

    def getindex(self) -> None:
        """Numbers of the examples: a loader does not tell them."""

    def _filled(self, array: NDArray) -> NDArray:
        if not self.getpad():
            return array.astype(self.dtype)
        filled = zeros((self.batch_size, *array.shape[1:]), dtype=self.dtype)
        filled[: array.shape[0]] = array.astype(self.dtype)
        return filled
