"""Decode images of record files into batches."""

import os
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import numpy as np

from regluon.array.interop import from_numpy
from regluon.formats.images import Pixels

from ..error import FileFormatError, OpParamError
from ..ndarray.utils import load, save
from ._base import Passes, Rows
from ._image_params import ColorParams, RecordParams
from ._records import BatchSource, Loaded

Values = np.ndarray[Any, Any]
# Puts the record at a position into its places in a batch, and says the record's number.
Make = Callable[[int, Values, Values, Random], int]


@dataclass(slots=True)
class _Batch:
    """A batch in the making."""

    rows: Rows
    number: int
    data: Values
    label: Values
    index: Values
    work: list["Future[None]"] = field(default_factory=list)


class ImageSource(BatchSource):
    """Makes batches in threads: OpenCV and NumPy work without holding the interpreter.

    Results do not depend on the number of threads: the order is decided beforehand, and each example draws from a
    generator of its own.

    Args:
        given: sizes, threads, seeds.
        count: how many records there are.
        label_shape: shape of the labels of an example.
        label_fill: what labels are set to before they are written.
        make: reads and prepares one example.
        dtype: of the data.
    """

    def __init__(
        self,
        given: RecordParams,
        count: int,
        label_shape: tuple[int, ...],
        label_fill: float,
        make: Make,
        dtype: str,
    ) -> None:
        self._given = given
        self._label_shape = label_shape
        self._label_fill = label_fill
        self._make = make
        self._dtype = dtype
        self._passes = Passes(count, given.batch_size, given.round_batch, given.seed if given.shuffle else None)
        self._plan = self._passes.batches()
        self._pending: deque[_Batch] = deque()
        self._started = 0
        self._finished = False
        self._seed = (given.seed if given.seed_aug is None else given.seed_aug) & 0xFFFFFFFF
        self._start_threads()

    def _start_threads(self) -> None:
        self._process = os.getpid()
        self._threads = ThreadPoolExecutor(self._given.preprocess_threads, thread_name_prefix="images")
        weakref.finalize(self, self._threads.shutdown, wait=False, cancel_futures=True)

    def load(self) -> Loaded | None:
        """The next batch, or None when the pass is over."""
        if self._process != os.getpid():
            # Threads do not survive a fork: what they had begun is begun again.
            self._start_threads()
            for batch in self._pending:
                self._begin(batch)
        self._work_ahead()
        if not self._pending:
            self._finished = True
            return None
        batch = self._pending[0]
        for part in batch.work:
            part.result()
        self._pending.popleft()
        self._work_ahead()
        self._finished = batch.rows.pad > 0
        return Loaded(from_numpy(batch.data), from_numpy(batch.label), batch.rows.pad, batch.index)

    def restart(self) -> None:
        """Begins a new pass."""
        for batch in self._pending:
            for part in batch.work:
                part.cancel()
        self._pending.clear()
        self._passes.restart(self._finished)
        self._plan = self._passes.batches()
        self._started = 0
        self._finished = False

    def _work_ahead(self) -> None:
        """Begins batches until there are as many as wanted: the next one and those made in advance."""
        while len(self._pending) <= self._given.prefetch_buffer:
            rows = next(self._plan, None)
            if rows is None:
                return
            size = self._given.batch_size
            batch = _Batch(
                rows,
                self._started,
                np.empty((size, *self._given.data_shape), self._dtype),
                np.full((size, *self._label_shape), self._label_fill, np.float32),
                np.empty(size, np.uint64),
            )
            self._started += 1
            self._begin(batch)
            self._pending.append(batch)

    def _begin(self, batch: _Batch) -> None:
        """Hands a batch to the threads, in parts large enough to be worth the way."""
        size = len(batch.rows.numbers)
        step = max(1, size // (2 * self._given.preprocess_threads))
        parts = [range(start, min(start + step, size)) for start in range(0, size, step)]
        batch.work = [self._threads.submit(self._fill, batch, self._passes.number, part) for part in parts]

    def _fill(self, batch: _Batch, number: int, places: range) -> None:
        for place in places:
            draw = Random(self._seed << 96 | number << 64 | batch.number << 32 | place)
            row = batch.rows.numbers[place]
            batch.index[place] = self._make(row, batch.data[place], batch.label[place, ...], draw)


@dataclass(frozen=True)
class Chance:
    """How pixels may be changed at random while they become numbers."""

    mirror: bool = False
    rand_mirror: bool = False
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0


class Normalizer:
    """Writes images into a batch: `(pixels - mean) * scale / std`, channels first and red first.

    As uint8, pixels stay as they are; as int8, the mean is subtracted and what is out of range is cut off.

    Args:
        given: mean, deviation and scale.
        chance: what is left to chance.
        channels: how many channels a batch has.
        dtype: the batch's dtype.
        mean_image: the mean of each value of an image; stands in for the mean of each channel.
        who: the iterator named in errors.
    """

    def __init__(
        self,
        given: ColorParams,
        chance: Chance,
        channels: int,
        dtype: str,
        mean_image: Values | None,
        who: str,
    ) -> None:
        means = np.array([given.mean_r, given.mean_g, given.mean_b, given.mean_a][:channels], np.float32)
        deviations = np.array([given.std_r, given.std_g, given.std_b, given.std_a][:channels], np.float32)
        if not deviations.all():
            raise OpParamError(f"[{who}] received a standard deviation of 0 in {deviations.tolist()}; expected others.")
        self._chance = chance
        self._dtype = dtype
        self._mean: Values = means[:, None, None] if mean_image is None else mean_image
        self._factor: Values = (np.float32(given.scale) / deviations)[:, None, None]
        self._scale = given.scale
        self._plain = dtype == "float32" and not self._mean.any() and bool((self._factor == 1).all())
        # Three channels are blue first, four blue, green, red, alpha; one is itself.
        self._order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[channels]
        self._random_light = chance.max_random_contrast > 0 or chance.max_random_illumination > 0

    def __call__(self, pixels: Pixels, out: Values, draw: Random) -> None:
        """Writes an image of (height, width, channels) to its place in a batch, of (channels, height, width)."""
        chance = self._chance
        if chance.mirror or (chance.rand_mirror and draw.random() < 0.5):
            pixels = pixels[:, ::-1]
        if self._dtype == "uint8":
            self._copy(pixels, out)
            return
        if self._dtype == "int8":
            shifted = np.empty(out.shape, np.float32)
            self._copy(pixels, shifted)
            np.clip(np.rint(shifted - self._mean), -128, 127, out=out, casting="unsafe")
            return
        self._copy(pixels, out)
        if self._plain and not self._random_light:
            return
        out -= self._mean
        if not self._random_light:
            out *= self._factor
            return
        contrast = 1 + draw.uniform(-chance.max_random_contrast, chance.max_random_contrast)
        light = draw.uniform(-chance.max_random_illumination, chance.max_random_illumination)
        out *= self._factor * np.float32(contrast)
        out += self._factor * np.float32(light)

    def _copy(self, pixels: Pixels, out: Values) -> None:
        if pixels.ndim == 2:
            out[0] = pixels
        else:
            for target, source in enumerate(self._order):
                out[target] = pixels[:, :, source]


class MeanParams(Protocol):
    """What says where the mean image is and which shape it has."""

    @property
    def mean_img(self) -> str:
        """The file."""

    @property
    def data_shape(self) -> tuple[int, ...]:
        """The images' shape."""

    @property
    def seed(self) -> int:
        """For what is left to chance."""


def mean_image(given: MeanParams, count: int, read: Callable[[int, Random], Pixels], who: str) -> Values:
    """The mean image of the file `mean_img`; if there is none, it is calculated and saved.

    Args:
        given: the file and the images' shape.
        count: how many images there are.
        read: gives the pixels of an image as they go into a batch.
        who: the iterator named in errors.
    """
    if os.path.exists(given.mean_img):
        found = load(given.mean_img)
        arrays = list(found.values() if isinstance(found, dict) else found)
        if len(arrays) != 1 or arrays[0].shape != given.data_shape:
            raise FileFormatError(
                f"[{who}] {given.mean_img}: received arrays of shapes {[each.shape for each in arrays]}; expected one "
                f"of data_shape={given.data_shape}. Delete the file to have it made again."
            )
        return arrays[0].asnumpy()
    plain = Normalizer(ColorParams(), Chance(), given.data_shape[0], "float32", None, who)
    total = np.zeros(given.data_shape, np.float64)
    values = np.empty(given.data_shape, np.float32)
    for row in range(count):
        draw = Random(given.seed << 32 | row)
        plain(read(row, draw), values, draw)
        total += values
    made: Values = (total / count).astype(np.float32)
    save(given.mean_img, {"mean_img": from_numpy(made.copy())})
    return made
