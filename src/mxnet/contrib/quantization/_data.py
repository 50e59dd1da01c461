"""Data for calibration: iterators of `mx.io`, and loaders seen as such."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...io import DataBatch, DataDesc, DataIter
from ...ndarray import NDArray
from ._checks import QuantizationError


def _flat(batch: Any) -> list[NDArray]:
    """The arrays of a batch; of more than four axes the first two become one."""
    arrays = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if arrays and len(arrays[0].shape) > 4:
        arrays[0] = arrays[0].reshape((-1, *arrays[0].shape[2:]))
    return arrays


class _DataIterWrapper(DataIter):
    """A loader as an iterator of `mx.io`: what it gives is data, up to the labels, which the network may not take.

    Args:
        calib_data: anything that gives batches, each an array or a list of them.
    """

    def __init__(self, calib_data: Iterable[Any]) -> None:
        if not hasattr(calib_data, "__iter__"):
            raise TypeError(
                f"[quantization] calib_data: received {type(calib_data).__name__}; expected a DataIter, a DataLoader "
                "or another iterable of batches."
            )
        self._data = calib_data
        first = next(iter(calib_data), None)
        if first is None:
            raise QuantizationError("[quantization] calib_data: received no batch; expected at least one.")
        example = _flat(first)
        names = [f"data{i}" for i in range(len(example))]
        if len(example) < 3:
            names = ["data", *names[:-1]]
        self.provide_data = [DataDesc(name, array.shape) for name, array in zip(names, example, strict=True)]
        self.batch_size = example[0].shape[0]
        self.reset()

    def reset(self) -> None:
        """Begins anew."""
        self._iter = iter(self._data)

    def next(self) -> DataBatch:
        """The next batch."""
        return DataBatch(data=_flat(next(self._iter))[: len(self.provide_data)])


def _as_data_iter(calib_data: Any) -> tuple[DataIter, Sequence[DataDesc]]:
    """Data for calibration as an iterator of `mx.io`, and the shapes of its batches."""
    data = calib_data if isinstance(calib_data, DataIter) else _DataIterWrapper(calib_data)
    return data, data.provide_data
