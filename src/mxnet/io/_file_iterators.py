"""Iterate over CSV, LibSVM and MNIST files."""

import math
import os
import re
import struct
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from regluon.ops.params import Shape

from ..base import MXNetError
from ..error import FileFormatError, OpParamError
from ._arrays import TableSource, Take, take_rows
from ._base import Passes, check_batch_size, check_part, part_by_bytes
from ._image_params import read_params
from ._records import MXDataIter
from ._sparse_rows import SparseTable

__all__ = ["CSVIter", "LibSVMIter", "MNISTIter"]


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


@dataclass(frozen=True)
class MNISTParams:
    """What `MNISTIter` takes."""

    image: str = "./train-images-idx3-ubyte"
    label: str = "./train-labels-idx1-ubyte"
    batch_size: int = 128
    shuffle: bool = True
    flat: bool = False
    seed: int = 0
    silent: bool = False
    num_parts: int = 1
    part_index: int = 0
    prefetch_buffer: int = 4
    ctx: Literal["cpu", "gpu"] = "gpu"
    dtype: Literal["float32"] | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"
    input_shape: tuple[int, ...] = ()
    data_shape: tuple[int, ...] = ()


class MNISTIter(MXDataIter):
    """Batches of handwritten digits, as float32 from 0 to 255/256. Takes keyword arguments only.

    Examples that do not fill a batch are left out.

    Args:
        image: the file of images, unpacked.
        label: the file of labels, unpacked.
        batch_size: examples in a batch.
        shuffle: draw an order once, which all passes have.
        flat: give rows of pixels instead of (1, height, width).
        seed: for the order.
        silent: accepted and not needed: nothing is printed.
        num_parts: how many parts the examples are cut into.
        part_index: which of them to read.
        data_name: the name of the data.
        label_name: the name of the labels.
        input_shape: accepted and not needed: `flat` decides, as in MXNet, whose examples pass it.
        data_shape: as `input_shape`.
        dtype: `"float32"`.
        prefetch_buffer: accepted and not needed: the files are read once and kept in memory.
        ctx: accepted and not needed: batches are in CPU memory.
    """

    __module__ = "mxnet.io"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        keywords_only(args, "MNISTIter")
        given = read_params(MNISTParams, "MNISTIter", kwargs)
        self._params = kwargs
        batch_size = check_batch_size(given.batch_size, "MNISTIter")
        images, labels = _read_idx(given.image, 3), _read_idx(given.label, 1)
        if len(images) != len(labels):
            raise FileFormatError(
                f"[MNISTIter] {given.label} has {len(labels)} labels; expected {len(images)}, as in {given.image}."
            )
        check_part(given.num_parts, given.part_index, "MNISTIter")
        part = slice(*(len(images) * bound // given.num_parts for bound in (given.part_index, given.part_index + 1)))
        images, labels = images[part], labels[part]
        if batch_size > len(images):
            raise OpParamError(
                f"[MNISTIter] batch_size: received {batch_size}; expected at most {len(images)}, as many as "
                "there are examples."
            )
        if given.shuffle:
            order = np.random.Generator(np.random.PCG64(given.seed & 0xFFFFFFFF)).permutation(len(images))
            images, labels = images[order], labels[order]
        shape = (len(images), -1) if given.flat else (len(images), 1, *images.shape[1:])
        passes = Passes(len(images), batch_size, round_batch=False)
        pixels = images.reshape(shape)
        source = TableSource(
            lambda rows: take_rows(pixels[rows].astype(np.float32) * np.float32(1 / 256))(slice(None)),  # type: ignore[arg-type]
            take_rows(labels.astype(np.float32)),
            passes,
            whole_only=True,
        )
        super().__init__(source, given.data_name, given.label_name)


def _read_idx(path: str, ndim: int) -> Table:
    """The array of unsigned bytes in a file of the MNIST kind."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise MXNetError(
            f"[MNISTIter] received {path!r}; expected a file that can be read: {error.strerror or error}."
        ) from error
    header = 4 + 4 * ndim
    magic = 0x800 + ndim
    if content[:2] == b"\x1f\x8b":
        raise FileFormatError(f"[MNISTIter] {path} is a gzip file: unpack it first.")
    if len(content) < header or struct.unpack(">I", content[:4])[0] != magic:
        raise FileFormatError(
            f"[MNISTIter] {path}: received the beginning {content[:4]!r}; expected {struct.pack('>I', magic)!r}, an "
            f"idx file of bytes with {ndim} axes."
        )
    shape = struct.unpack(f">{ndim}I", content[4:header])
    count = int(np.prod([int(n) for n in shape], dtype=object))
    if count != len(content) - header:
        raise FileFormatError(
            f"[MNISTIter] {path}: the header says shape {shape}, {count} bytes; expected the {len(content) - header} "
            "that follow it."
        )
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)
