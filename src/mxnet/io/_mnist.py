"""Batches of the MNIST files."""

import struct
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..base import MXNetError
from ..error import FileFormatError, OpParamError
from ._base import check_batch_size
from ._order import Passes, check_part
from ._params import read_params
from ._stream import MXDataIter
from ._table import TableSource, take_rows
from ._text import keywords_only

__all__ = ["MNISTIter"]

Table = np.ndarray[Any, Any]


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
