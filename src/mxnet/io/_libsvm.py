"""Batches of LibSVM files: a label and the columns of a line that are not 0."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from regluon.ops.params import Shape

from ..error import FileFormatError, OpParamError
from ._base import check_batch_size
from ._order import Passes
from ._params import read_params
from ._sparse_rows import SparseTable
from ._stream import MXDataIter
from ._table import TableSource, Take, take_rows
from ._text import NONE, keywords_only, read_lines

__all__ = ["LibSVMIter"]


@dataclass(frozen=True)
class LibSVMParams:
    """What `LibSVMIter` takes."""

    data_libsvm: str
    data_shape: Shape
    batch_size: int
    label_libsvm: str = NONE
    label_shape: Shape = (1,)
    num_parts: int = 1
    part_index: int = 0
    round_batch: bool = True
    prefetch_buffer: int = 4
    ctx: Literal["cpu", "gpu"] = "gpu"
    dtype: Literal["float32"] | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


class LibSVMIter(MXDataIter):
    """Batches of the lines of a LibSVM file, `label column:value column:value ...`, as CSR arrays.

    Takes keyword arguments only.

    Args:
        data_libsvm: the file, or a folder of files that are read one after the other. Columns count from 0.
        data_shape: the number of columns, as `(columns,)`.
        batch_size: lines in a batch.
        label_libsvm: a file of the same kind whose columns are the labels; without it, the label is the number that
            each line of the data begins with.
        label_shape: the number of label columns.
        num_parts: how many parts the files are cut into, by bytes.
        part_index: which of them to read.
        round_batch: must be True: the last batch is filled up with the first lines, after which the next pass begins.
        data_name: the name of the data.
        label_name: the name of the labels.
        dtype: `"float32"`.
        prefetch_buffer: accepted and not needed: the file is read once and kept in memory.
        ctx: accepted and not needed: batches are in CPU memory.
    """

    __module__ = "mxnet.io"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        keywords_only(args, "LibSVMIter")
        given = read_params(LibSVMParams, "LibSVMIter", kwargs)
        self._params = kwargs
        batch_size = check_batch_size(given.batch_size, "LibSVMIter")
        if not given.round_batch:
            raise OpParamError("[LibSVMIter] round_batch: received False; expected True: rows cannot be left unset.")
        data, numbers = _read(given.data_libsvm, _columns(given.data_shape, "data_shape"), given)
        labels: Take = take_rows(numbers)
        if given.label_libsvm != NONE:
            label, others = _read(given.label_libsvm, _columns(given.label_shape, "label_shape"), given)
            if len(others) != len(numbers):
                raise FileFormatError(
                    f"[LibSVMIter] {given.label_libsvm} has {len(others)} lines; expected {len(numbers)}, as "
                    f"in {given.data_libsvm}."
                )
            labels = label.take
        elif given.label_shape != (1,):
            raise OpParamError(
                f"[LibSVMIter] label_shape: received {given.label_shape}; expected (1,) without a label_libsvm."
            )
        passes = Passes(len(numbers), batch_size)
        super().__init__(TableSource(data.take, labels, passes), given.data_name, given.label_name)


def _columns(shape: Shape, name: str) -> int:
    if len(shape) != 1 or shape[0] < 1:
        raise OpParamError(f"[LibSVMIter] {name}: received {shape}; expected a number of columns, such as (100,).")
    return math.prod(shape)


def _read(path: str, width: int, given: LibSVMParams) -> tuple[SparseTable, np.ndarray[Any, Any]]:
    labels: list[float] = []
    starts = [0]
    columns: list[int] = []
    values: list[float] = []
    for line, place in read_lines(path, given.num_parts, given.part_index, "LibSVMIter"):
        fields = line.split()
        if not fields:
            continue
        label, *entries = fields
        try:
            labels.append(float(label))
            for entry in entries:
                column, value = entry.split(b":")
                columns.append(int(column))
                values.append(float(value))
        except ValueError:
            raise FileFormatError(
                f"[LibSVMIter] {place}: received {line[:60].decode()!r}; expected a label and entries `column:value`."
            ) from None
        outside = [column for column in columns[starts[-1] :] if not 0 <= column < width]
        if outside:
            raise FileFormatError(
                f"[LibSVMIter] {place}: received column {outside[0]}; expected 0 to {width - 1}, from shape ({width},)."
            )
        starts.append(len(columns))
    if not labels:
        raise FileFormatError(
            f"[LibSVMIter] {path}: part {given.part_index} of {given.num_parts} has no lines; expected one or more."
        )
    table = SparseTable(width, np.array(starts), np.array(columns, np.int64), np.array(values, np.float32))
    return table, np.array(labels, np.float32)
