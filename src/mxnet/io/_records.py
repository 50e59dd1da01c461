"""Read records in worker processes."""

import logging
import os
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from regluon.array.dense import NDArray
from regluon.call_repr import call_text
from regluon.formats.image_record import unpack
from regluon.formats.images import Pixels, decode, opencv
from regluon.formats.record_file import RecordFile
from regluon.formats.recordio import read_index

from ..base import MXNetError
from ..error import FileFormatError, OpParamError
from ._base import DataBatch, DataDesc, DataIter, part_by_bytes
from ._image_params import RecordParams

__all__ = ["MXDataIter"]


Labels = np.ndarray[Any, Any]


class RecordSet:
    """The records of one part of a `.rec` file, by their position in it.

    Safe to read from several threads.

    Args:
        given: paths and part.
        label_width: how many labels a record has; -1 if that differs from record to record.
        who: the iterator named in errors.
    """

    def __init__(self, given: RecordParams, label_width: int, who: str) -> None:
        self._who = who
        self._width = label_width
        self._file = RecordFile(given.path_imgrec, who)
        self._offsets = self._choose(given)
        if not self._offsets:
            raise FileFormatError(
                f"[{who}] {given.path_imgrec}: part {given.part_index} of {given.num_parts} has no records; expected "
                "one or more."
            )
        self._list = given.path_imglist
        self._labels = read_image_list(given.path_imglist, label_width, who) if given.path_imglist else None
        # Gray, color, or whatever the file has.
        cv2 = opencv(who)
        self._channels = given.data_shape[0]
        self._flag = {1: cv2.IMREAD_GRAYSCALE, 3: cv2.IMREAD_COLOR, 4: cv2.IMREAD_UNCHANGED}[self._channels]
        if given.verbose:
            logging.info("%s: %d records of %s", who, len(self), given.path_imgrec)

    def __len__(self) -> int:
        return len(self._offsets)

    def _choose(self, given: RecordParams) -> list[int]:
        """Where the records of the wanted part begin."""
        if given.path_imgidx:
            offsets = sorted(read_index(given.path_imgidx, str, self._who)[1].values())
            step = -(-len(offsets) // given.num_parts)
            return offsets[step * given.part_index : step * (given.part_index + 1)]
        offsets = self._file.offsets()
        chosen = part_by_bytes(offsets, self._file.size, given.num_parts, given.part_index, align=4)
        return [offsets[number] for number in chosen]

    def most_labels(self) -> int:
        """The largest number of labels that a record has."""
        if self._labels is not None:
            return max((labels.size for labels in self._labels.values()), default=0)
        return max(
            np.size(unpack(self._file.read_at(offset, f"record {position}")[0])[0].label)
            for position, offset in enumerate(self._offsets)
        )

    def read(self, position: int) -> tuple[Pixels, Labels, int]:
        """Pixels, labels and number of a record."""
        offset = self._offsets[position]
        data, _ = self._file.read_at(offset, f"record {position}")
        name = f"record {position} at byte {offset} of {os.path.basename(self._file.path)}"
        header, encoded = unpack(data)
        pixels = decode(memoryview(encoded), self._flag, self._who, name)
        if self._channels == 4 and (pixels.ndim != 3 or pixels.shape[2] != 4):
            raise OpParamError(
                f"[{self._who}] received an image of shape {pixels.shape} in {name}; expected 4 channels, as in "
                "data_shape."
            )
        return pixels, self._labels_of(header, name), header.id

    def _labels_of(self, header: Any, name: str) -> Labels:
        if self._labels is not None:
            if header.id not in self._labels:
                raise FileFormatError(
                    f"[{self._who}] received the id {header.id} in {name}; expected one that {self._list} lists."
                )
            return self._labels[header.id]
        labels = np.atleast_1d(np.asarray(header.label, np.float32))
        if self._width > 0 and labels.size != self._width:
            raise FileFormatError(
                f"[{self._who}] received {labels.size} labels in {name}; expected label_width={self._width}. "
                f"Give label_width={labels.size}, or a path_imglist with other labels."
            )
        return labels


def read_image_list(path: str, label_width: int, who: str) -> dict[int, Labels]:
    """The labels of each record, from the lines `id TAB label TAB ... TAB path` of a `.lst` file."""
    labels: dict[int, Labels] = {}
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(
            f"[{who}] received path_imglist={path!r}; expected a readable text file: {error}."
        ) from None
    least = max(label_width, 1) + 2
    for number, line in enumerate(lines, 1):
        fields = line.strip().split("\t")
        if fields == [""]:
            continue
        if len(fields) < least:
            raise FileFormatError(
                f"[{who}] {path}, line {number}: received {len(fields)} columns, {line.strip()[:60]!r}; expected an "
                f"id, {max(label_width, 1)} or more labels and a path between tabulators."
            )
        wanted = fields[1 : label_width + 1] if label_width > 0 else fields[1:-1]
        try:
            labels[int(float(fields[0]))] = np.array([float(field) for field in wanted], np.float32)
        except (ValueError, OverflowError):
            raise FileFormatError(
                f"[{who}] {path}, line {number}: received {line.strip()[:60]!r}; expected numbers before the path."
            ) from None
    return labels


@dataclass(frozen=True, slots=True)
class Loaded:
    """A batch as a source gives it."""

    data: NDArray
    label: NDArray
    pad: int
    index: np.ndarray[Any, Any]


class BatchSource:
    """Where an MXDataIter takes its batches from."""

    @abstractmethod
    def load(self) -> Loaded | None:
        """The next batch, or None when the pass is over."""

    @abstractmethod
    def restart(self) -> None:
        """Begins a new pass."""


class MXDataIter(DataIter):
    """Batches of one data and one label array, from a source such as a file of records.

    The first batch is loaded at once, so that errors come early and shapes are known.

    Args:
        handle: the source.
        data_name: the name of the data.
        label_name: the name of the labels.
    """

    __module__ = "mxnet.io.io"

    _params: dict[str, Any] | None = None  # what the iterator was made with, for `repr`

    def __init__(
        self, handle: BatchSource, data_name: str = "data", label_name: str = "softmax_label", **_: Any
    ) -> None:
        super().__init__()
        self.handle = handle
        self._debug_skip_load = False
        self._current: Loaded | None = None
        self._waiting = False
        if not self._load():
            raise MXNetError(
                f"[{type(self).__name__}] there is not a single batch; expected more data or smaller batches."
            )
        self._waiting = True
        first = self._loaded()
        self.provide_data: Any = [DataDesc(data_name, first.data.shape, first.data.dtype)]
        self.provide_label: Any = [DataDesc(label_name, first.label.shape, first.label.dtype)]
        self.batch_size: int = first.data.shape[0]

    def __repr__(self) -> str:
        if self._params is None:
            return super().__repr__()
        return call_text(type(self).__name__, **self._params)

    def _load(self) -> bool:
        """Moves on to the source's next batch; the last one stays current when the pass is over."""
        loaded = self.handle.load()
        if loaded is not None:
            self._current = loaded
        return loaded is not None

    def _loaded(self) -> Loaded:
        if self._current is None:
            raise MXNetError(
                f"[{type(self).__name__}] there is no current batch: call `next()` or `iter_next()` first."
            )
        return self._current

    def debug_skip_load(self) -> None:
        """Gives the same batch again and again from now on, to measure a network without its input."""
        self._debug_skip_load = True
        logging.info("debug_skip_load: only the current batch will be given.")

    def reset(self) -> None:
        """Begins a new pass."""
        self._waiting = False
        self.handle.restart()

    def next(self) -> DataBatch:
        """The next batch."""
        if not self.iter_next():
            raise StopIteration
        batch = self._loaded()
        return DataBatch(data=[batch.data], label=[batch.label], pad=batch.pad, index=batch.index)

    def iter_next(self) -> bool:
        """Moves to the next batch and says whether there is one."""
        if self._waiting or self._debug_skip_load:
            self._waiting = False
            return True
        return self._load()

    def getdata(self) -> NDArray:
        """The data of the current batch."""
        return self._loaded().data

    def getlabel(self) -> NDArray:
        """The labels of the current batch."""
        return self._loaded().label

    def getindex(self) -> np.ndarray[Any, Any]:
        """The numbers of the examples of the current batch."""
        return self._loaded().index

    def getpad(self) -> int:
        """How many examples at the end of the current batch only fill it up."""
        return self._loaded().pad
