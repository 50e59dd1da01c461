"""Iterators over text files: CSV and LibSVM."""

import math
import os
import re
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from regluon.ops.params import Shape

from ..base import MXNetError
from ..error import FileFormatError, OpParamError
from ._base import check_batch_size
from ._order import Passes, check_part, part_by_bytes
from ._params import read_params
from ._stream import MXDataIter
from ._table import TableSource, take_rows

__all__ = ["CSVIter"]

Table = np.ndarray[Any, Any]
NONE = "NULL"
DType = Literal["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64"]


@dataclass(frozen=True)
class CSVParams:
    """What `CSVIter` takes."""

    data_csv: str
    data_shape: Shape
    batch_size: int
    label_csv: str = NONE
    label_shape: Shape = (1,)
    round_batch: bool = True
    prefetch_buffer: int = 4
    ctx: Literal["cpu", "gpu"] = "gpu"
    dtype: DType | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


class CSVIter(MXDataIter):
    """Batches of the lines of a CSV file. Takes keyword arguments only.

    Args:
        data_csv: the file, or a folder of files that are read one after the other.
        data_shape: the shape of one line's numbers.
        batch_size: lines in a batch.
        label_csv: the file of labels; without it, all labels are 0.
        label_shape: the shape of one line's labels.
        round_batch: fill up the last batch with the first lines, after which the next pass begins. Otherwise the
            places at the end keep the lines of the batch before, and `pad` counts them.
        dtype: `"float32"`, `"int32"` or `"int64"`.
        data_name: the name of the data.
        label_name: the name of the labels.
        prefetch_buffer: accepted and not needed: the file is read once and kept in memory.
        ctx: accepted and not needed: batches are in CPU memory.
    """

    __module__ = "mxnet.io"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        keywords_only(args, "CSVIter")
        given = read_params(CSVParams, "CSVIter", kwargs)
        self._params = kwargs
        batch_size = check_batch_size(given.batch_size, "CSVIter")
        dtype = given.dtype or "float32"
        if dtype not in ("float32", "int32", "int64"):
            raise OpParamError(f"[CSVIter] dtype: received {dtype!r}; expected 'float32', 'int32' or 'int64'.")
        data = _read_csv(given.data_csv, given.data_shape, dtype, "data")
        if given.label_csv == NONE:
            label = np.zeros((len(data), *given.label_shape), dtype)
        else:
            label = _read_csv(given.label_csv, given.label_shape, dtype, "label")
        if len(label) != len(data):
            raise FileFormatError(
                f"[CSVIter] {given.label_csv} has {len(label)} lines; expected {len(data)}, as in {given.data_csv}."
            )
        if given.label_shape == (1,):
            label = label[:, 0]
        passes = Passes(len(data), batch_size, given.round_batch)
        super().__init__(TableSource(take_rows(data), take_rows(label), passes), given.data_name, given.label_name)


def keywords_only(args: tuple[Any, ...], who: str) -> None:
    """Refuses arguments without a name."""
    if args:
        raise TypeError(f"{who} can only accept keyword arguments; received {args[0]!r} without a name.")


def _read_csv(path: str, shape: Shape, dtype: str, what: str) -> Table:
    tables = [_read_csv_file(name, shape, dtype, what) for name in files_of(path, "CSVIter")]
    return np.concatenate(tables)


def files_of(path: str, who: str) -> list[str]:
    """The files that a path stands for: itself, those of a folder, or several between semicolons."""
    names: list[str] = []
    for part in path.split(";"):
        if os.path.isdir(part):
            inside = sorted(os.path.join(part, name) for name in os.listdir(part))
            names += [name for name in inside if os.path.isfile(name)]
        else:
            names.append(part)
    if not names:
        raise MXNetError(f"[{who}] received {path!r}; expected a file, and this folder has none.")
    for name in names:
        if not os.path.isfile(name):
            raise MXNetError(f"[{who}] received {name!r}; expected an existing file, and there is none.")
    return names


def _read_csv_file(name: str, shape: Shape, dtype: str, what: str) -> Table:
    columns = math.prod(shape)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an empty file is refused below, with its name
            table = np.loadtxt(name, dtype=dtype, delimiter=",", comments=None, ndmin=2, encoding="utf-8")
    except (ValueError, OverflowError) as error:
        raise FileFormatError(f"[CSVIter] {name}: expected numbers of {dtype} between commas: {error}.") from None
    except OSError as error:
        raise MXNetError(f"[CSVIter] {name} cannot be read: {error.strerror or error}.") from error
    if not table.size:
        raise FileFormatError(f"[CSVIter] {name} is empty; expected lines of {columns} numbers.")
    if table.shape[1] != columns:
        raise FileFormatError(
            f"[CSVIter] {name} has {table.shape[1]} numbers in a line; expected {columns}, from {what}_shape={shape}."
        )
    return table.reshape(-1, *shape)


def read_lines(path: str, num_parts: int, part_index: int, who: str) -> list[tuple[bytes, str]]:
    """The lines of one part of a file or a folder, each with its place for errors; empty lines are left out.

    They stay bytes: text would be taken apart at characters that are no white space for MXNet.
    """
    check_part(num_parts, part_index, who)
    lines: list[tuple[bytes, str]] = []
    starts: list[int] = []
    size = 0
    for name in files_of(path, who):
        with open(name, "rb") as stream:
            content = stream.read()
        for number, found in enumerate(re.finditer(rb"[^\r\n]+", content), 1):
            lines.append((found.group(), f"{name}, line {number}"))
            if not found.group().isascii():
                raise FileFormatError(
                    f"[{who}] {name}, line {number}: received {found.group()[:60]!r}; expected text of numbers."
                )
            # A line that begins exactly where a part does belongs to the part before.
            starts.append(max(size + found.start() - 1, 0))
        size += len(content)
    return [lines[i] for i in part_by_bytes(starts, size, num_parts, part_index, align=1)]
