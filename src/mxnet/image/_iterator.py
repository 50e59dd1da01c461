"""Iterate over images and build lists of augmenters."""

import logging
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

import mxnet.image._augmenter as draws
import mxnet.ndarray as nd

from ..context import cpu
from ..error import FileFormatError, OpParamError, OpShapeError
from ..io._base import DataBatch, DataIter, check_batch_size
from ..ndarray import NDArray
from ..recordio import MXIndexedRecordIO, MXRecordIO, unpack
from ._augmenter import Augmenter
from ._color import ColorJitterAug, ColorNormalizeAug, HueJitterAug, LightingAug, RandomGrayAug
from ._geometry import CastAug, CenterCropAug, HorizontalFlipAug, RandomCropAug, RandomSizedCropAug, ResizeAug
from ._reader import Listed, imdecode, make_list, read_list

__all__ = ["CreateAugmenter", "ImageIter"]


# Of ImageNet's pixels: how much they vary along which directions of color, their mean and standard deviation.
EIGENVALUES = (55.46, 4.794, 1.148)
EIGENVECTORS = ((-0.5675, 0.7192, 0.4009), (-0.5808, -0.0045, -0.8140), (-0.5836, -0.6948, 0.4203))
MEAN = (123.68, 116.28, 103.53)
STD = (58.395, 57.12, 57.375)


def CreateAugmenter(
    data_shape: tuple[int, ...],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """A list of augmenters that make float32 images of one size.

    Args:
        data_shape: (channels, height, width) of the result.
        resize: first make the shorter side this long, if above 0.
        rand_crop: cut at a random place instead of the middle.
        rand_resize: with `rand_crop`: cut a part of random size and ratio.
        rand_mirror: mirror half of the images.
        mean: to subtract from red, green, blue: an array, or True for ImageNet's.
        std: to divide by: an array, or True for ImageNet's.
        brightness: strength of random changes; see `ColorJitterAug`.
        contrast: likewise.
        saturation: likewise.
        hue: strength of random turns of hue; see `HueJitterAug`.
        pca_noise: strength of random light; see `LightingAug`.
        rand_gray: probability that an image loses its color.
        inter_method: the interpolation of all resizing; see `resize_short`.

    Example:
        >>> mx.image.CreateAugmenter((3, 224, 224), rand_crop=True, rand_mirror=True, mean=True, std=True)
    """
    if rand_resize and not rand_crop:
        raise ValueError("[image.CreateAugmenter] received rand_resize=True without rand_crop=True; expected both.")
    size = (data_shape[2], data_shape[1])
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        augmenters.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    elif rand_crop:
        augmenters.append(RandomCropAug(size, inter_method))
    else:
        augmenters.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    augmenters.append(CastAug())
    augmenters += color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray)
    mean = nd.array(MEAN, ctx=cpu()) if mean is True else _checked_channels(mean, "mean")
    std = nd.array(STD, ctx=cpu()) if std is True else _checked_channels(std, "std")
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters


def color_augmenters(
    brightness: float, contrast: float, saturation: float, hue: float, pca_noise: float, rand_gray: float
) -> list[Augmenter]:
    """The augmenters of color that are asked for by a strength above 0."""
    augmenters: list[Augmenter] = []
    if brightness or contrast or saturation:
        augmenters.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, np.array(EIGENVALUES), np.array(EIGENVECTORS)))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    return augmenters


def _checked_channels(values: Any, name: str) -> Any:
    if values is not None and not (isinstance(values, (np.ndarray, NDArray)) and values.shape[:1] in ((1,), (3,))):
        shown = values.shape if isinstance(values, (np.ndarray, NDArray)) else values
        raise ValueError(
            f"[image.CreateAugmenter] {name}: received {shown!r}; expected True, None, or an array of 1 or 3 numbers."
        )
    return values


_LABEL_DTYPES = ("int32", "float32", "int64", "float64")
_LAST_BATCH = ("pad", "discard", "roll_over")


class ImageIter(DataIter):
    """Batches of images of one size.

    The images come from a record file (`path_imgrec`), a list file (`path_imglist`) or a list (`imglist`). Subclasses
    may replace `next_sample`, `read_image`, `imdecode`, `check_valid_image`, `augmentation_transform` and
    `postprocess_data`, the steps an image takes.

    Args:
        batch_size: images a batch.
        data_shape: (3, height, width).
        label_width: labels an image.
        path_imgrec: a `.rec` file.
        path_imglist: a `.lst` file; beside a record file, its labels replace those of the records.
        path_root: the folder that paths in a list start from.
        path_imgidx: the `.idx` file of the record file; needed to shuffle and to read in parts.
        shuffle: read in a new random order in each pass.
        part_index: which part of the images to read, from 0.
        num_parts: into how many parts they are divided.
        aug_list: augmenters; without it, those of `CreateAugmenter(data_shape, **kwargs)`.
        imglist: a list of [label, path], where the label is a number or a list of numbers.
        data_name: name of the images in `provide_data`.
        label_name: name of the labels in `provide_label`.
        dtype: of labels in a list: int32, float32, int64 or float64.
        last_batch_handle: what becomes of images that fill no batch: `pad` fills it with the first ones, `discard`
            leaves them out, `roll_over` puts them before the next pass.
        **kwargs: arguments of `CreateAugmenter`.

    Example:
        >>> images = mx.image.ImageIter(32, (3, 224, 224), path_imgrec="train.rec", path_imgidx="train.idx",
        ...                             shuffle=True, rand_crop=True, rand_mirror=True)
        >>> for batch in images:
        ...     data, label = batch.data[0], batch.label[0]
    """

    __module__ = "mxnet.image.image"

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, ...],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[Any] | None = None,
        imglist: list[Any] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(check_batch_size(batch_size, type(self).__name__))
        self._check_choice("dtype", dtype, _LABEL_DTYPES)
        self._check_choice("last_batch_handle", last_batch_handle, _LAST_BATCH)
        self.check_data_shape(data_shape)
        self.data_shape = data_shape = tuple(data_shape)
        self.label_width = label_width
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.path_root = path_root
        self.provide_data: Any = [(data_name, (batch_size, *data_shape))]
        self.provide_label: Any = [(label_name, (batch_size, label_width) if label_width > 1 else (batch_size,))]
        self._open(path_imgrec, path_imgidx, path_imglist, imglist, dtype)
        self.seq: list[Any] | None = self._order(part_index, num_parts)
        self.num_image: int | None = None if self.seq is None else len(self.seq)
        self.auglist: list[Any] = CreateAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.cur = 0
        self._allow_read = True
        self._rest: tuple[NDArray, NDArray, int] | None = None  # a batch begun at the end of the last pass
        self.reset()

    def _check_choice(self, name: str, value: str, choices: Sequence[str]) -> None:
        if value not in choices:
            raise OpParamError(
                f"[{type(self).__name__}] {name}: received {value!r}; expected one of {', '.join(map(repr, choices))}."
            )

    def _open(
        self,
        path_imgrec: str | None,
        path_imgidx: str | None,
        path_imglist: str | None,
        imglist: list[Any] | None,
        dtype: str,
    ) -> None:
        """Finds out which images there are."""
        who = type(self).__name__
        if not (path_imgrec or path_imglist or isinstance(imglist, list)):
            raise OpParamError(f"[{who}] received no images; expected path_imgrec, path_imglist, or a list in imglist.")
        self.imgrec: MXRecordIO | None = None
        self.imgidx: list[Any] | None = None
        self.imglist: Listed | None = None
        if path_imgrec:
            logging.info("%s: loading recordio %s...", who, path_imgrec)
            if path_imgidx:
                indexed = MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
                self.imgrec, self.imgidx = indexed, list(indexed.keys)
            else:
                self.imgrec = MXRecordIO(path_imgrec, "r")
        if path_imglist:
            logging.info("%s: loading image list %s...", who, path_imglist)
            self.imglist = read_list(path_imglist, dtype)
        elif isinstance(imglist, list):
            self.imglist = make_list(imglist, dtype)

    def _order(self, part_index: int, num_parts: int) -> list[Any] | None:
        """The keys to read, or None for a record file that is read from its beginning to its end."""
        who = type(self).__name__
        if self.imgrec is None:
            assert self.imglist is not None
            keys = list(self.imglist)
        elif self.imgidx is not None:
            keys = self.imgidx
        elif self.shuffle or num_parts > 1:
            raise OpParamError(
                f"[{who}] received shuffle={self.shuffle}, num_parts={num_parts} and no index; expected path_imgidx: "
                "records can be read in another order only with it."
            )
        else:
            return None
        if num_parts > 1:
            if not 0 <= part_index < num_parts:
                raise OpParamError(
                    f"[{who}] part_index: received {part_index}; expected 0 to num_parts - 1 = {num_parts - 1}."
                )
            length = len(keys) // num_parts
            return keys[part_index * length : (part_index + 1) * length]
        return keys

    def reset(self) -> None:
        """Begins a new pass; images left over from the last one stay for it, if they are to roll over."""
        self._reorder()
        if self.last_batch_handle != "roll_over" or self._rest is None:
            self._rewind()

    def hard_reset(self) -> None:
        """Begins a new pass without what was left over from the last one."""
        self._reorder()
        self._rest = None
        self._rewind()

    def _reorder(self) -> None:
        if self.seq is not None and self.shuffle:
            draws.shuffle(self.seq)

    def _rewind(self) -> None:
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._allow_read = True

    def next_sample(self) -> tuple[Any, bytes]:
        """Label and encoded bytes of the next image.

        Raises:
            StopIteration: the pass is over.
        """
        if not self._allow_read:
            raise StopIteration
        if self.seq is None:
            assert self.imgrec is not None
            record = self.imgrec.read()
            if record is None:
                return self._end()
            self.cur += 1
            header, image = unpack(record)
            return header.label, image
        if self.cur >= len(self.seq):
            return self._end()
        key = self.seq[self.cur]
        self.cur += 1
        if isinstance(self.imgrec, MXIndexedRecordIO):
            header, image = unpack(self.imgrec.read_idx(key))
            return (header.label if self.imglist is None else self.imglist[key][0]), image
        assert self.imglist is not None
        label, name = self.imglist[key]
        return label, self.read_image(name)

    def _end(self) -> tuple[Any, bytes]:
        """At the end of the images; the first ones come again, to fill a batch, unless it is to be discarded."""
        if self.last_batch_handle != "discard":
            if self.imgrec is not None:
                self.imgrec.reset()
            self.cur = 0
        raise StopIteration

    def locate(self) -> str:
        """The image read last, in words: `filename: cat.jpg` or `index: 7`."""
        key = self.cur - 1 if self.seq is None else self.seq[self.cur - 1]
        if self.imglist is not None and key in self.imglist:
            return f"filename: {self.imglist[key][1]}"
        return f"index: {key}"

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: the pass is over.
            FileFormatError: an image is broken; the text says which one.
        """
        if self._rest is not None:
            data, label, count = self._rest
        else:
            data, label = self._blank_batch()
            count = self._batchify(data, label)
        pad = self.batch_size - count
        if pad:
            if self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over" and self._rest is None:
                self._rest = data, label, count
                raise StopIteration
            while count < self.batch_size:
                count = self._batchify(data, label, count)
            self._rest = None
            self._allow_read = self.last_batch_handle != "pad"
        return DataBatch([data], [label], pad=pad)

    def _blank_batch(self) -> tuple[NDArray, NDArray]:
        return nd.zeros(self.provide_data[0][1]), nd.zeros(self.provide_label[0][1])

    def _batchify(self, batch_data: NDArray, batch_label: NDArray, start: int = 0) -> int:
        """Puts images into a batch from `start` on, until it is full or the pass is over; how many it then has."""
        filled = start
        while filled < self.batch_size:
            try:
                label, encoded = self.next_sample()
            except StopIteration:
                if not filled:
                    raise
                break
            if self._place(label, encoded, batch_data, batch_label, filled):
                filled += 1
        return filled

    def _place(self, label: Any, encoded: bytes, batch_data: NDArray, batch_label: NDArray, position: int) -> bool:
        """Puts one image into a batch; False if it is not valid and left out."""
        image = self.imdecode(encoded)
        try:
            self.check_valid_image([image])
        except RuntimeError as error:
            self._skip(error)
            return False
        batch_data[position] = self._fitting(self.postprocess_data(self.augmentation_transform(image)))
        batch_label[position] = self._fitting_label(label)
        return True

    def _skip(self, error: Exception) -> None:
        logging.warning("%s: left out the image %s: %s", type(self).__name__, self.locate(), error)

    def _fitting(self, image: NDArray) -> NDArray:
        if image.shape != self.data_shape:
            raise OpShapeError(
                f"[{type(self).__name__}] the image {self.locate()} has shape {image.shape} after the augmenters; "
                f"expected data_shape {self.data_shape}. Let a crop or ForceResizeAug give all images this size."
            )
        return image

    def _fitting_label(self, label: Any) -> Any:
        size = label.size if isinstance(label, (NDArray, np.ndarray)) else 1
        if size != self.label_width:
            raise OpShapeError(
                f"[{type(self).__name__}] the image {self.locate()} has {size} label(s); expected "
                f"label_width={self.label_width}."
            )
        return label.reshape((-1,)) if size > 1 else label

    def check_data_shape(self, data_shape: tuple[int, ...]) -> None:
        """Refuses shapes that are not those of color images."""
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ValueError(
                f"[{type(self).__name__}] data_shape: received {tuple(data_shape)}; expected (3, height, width)."
            )

    def check_valid_image(self, data: Sequence[NDArray]) -> None:
        """Raises a RuntimeError for an image that is to be left out."""
        if not data[0].shape:
            raise RuntimeError("the image has no pixels")

    def imdecode(self, s: bytes) -> NDArray:
        """Decodes an image; an error says which one is broken."""
        try:
            return imdecode(s)
        except Exception as error:
            raise FileFormatError(f"[{type(self).__name__}] Broken image {self.locate()}, {error}") from error

    def read_image(self, fname: str) -> bytes:
        """The bytes of an image file."""
        with open(os.path.join(self.path_root or "", fname), "rb") as file:
            return file.read()

    def augmentation_transform(self, data: NDArray) -> NDArray:
        """The image after all augmenters."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: NDArray) -> NDArray:
        """The image as batches have it: channels first."""
        return nd.transpose(datum, axes=(2, 0, 1))
