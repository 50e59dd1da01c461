"""Iterate over images with boxes."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import mxnet.ndarray as nd
from regluon.formats.images import opencv

from ..base import MXNetError
from ..error import OpShapeError
from ..ndarray import NDArray
from ._color import ColorNormalizeAug
from ._detection_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)
from ._geometry import CastAug, ForceResizeAug, ResizeAug
from ._iterator import MEAN, STD, ImageIter, color_augmenters

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter", "ImageDetIter"]


def CreateMultiRandCropAugmenter(
    min_object_covered: float | list[float] = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: float | list[float] = 0.3,
    max_attempts: int | list[int] = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Several `DetRandomCropAug`, of which one is chosen for each image.

    Args:
        min_object_covered: see `DetRandomCropAug`; as all that follow, a list gives each crop its own.
        aspect_ratio_range: likewise; a list of tuples.
        area_range: likewise; a list of tuples.
        min_eject_coverage: likewise.
        max_attempts: likewise.
        skip_prob: the probability that an image is not cropped.
    """
    given = {
        "min_object_covered": min_object_covered,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "min_eject_coverage": min_eject_coverage,
        "max_attempts": max_attempts,
    }
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    count = max(map(len, lists.values()))
    unequal = {name: len(values) for name, values in lists.items() if len(values) not in (1, count)}
    if unequal:
        listed = ", ".join(f"{length} of {name}" for name, length in unequal.items())
        raise ValueError(f"[image.CreateMultiRandCropAugmenter] received {listed}; expected 1 or {count} of each.")
    crops = [
        DetRandomCropAug(**{name: values[i % len(values)] for name, values in lists.items()}) for i in range(count)
    ]
    return DetRandomSelectAug(crops, skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: tuple[int, ...],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: float | list[float] = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: float | list[float] = 0.3,
    max_attempts: int | list[int] = 50,
    pad_val: float | Sequence[float] = (127, 127, 127),
) -> list[DetAugmenter]:
    """A list of augmenters for detection that make float32 images of one size.

    Args:
        data_shape: (channels, height, width) of the result.
        resize: first make the shorter side this long, if above 0.
        rand_crop: probability of a random crop.
        rand_pad: probability of a random border.
        rand_gray: probability that an image loses its color.
        rand_mirror: mirror half of the images.
        mean: to subtract from red, green, blue: a NumPy array, or True for ImageNet's.
        std: to divide by: a NumPy array, or True for ImageNet's.
        brightness: strength of random changes; see `ColorJitterAug`.
        contrast: likewise.
        saturation: likewise.
        pca_noise: strength of random light; see `LightingAug`.
        hue: strength of random turns of hue; see `HueJitterAug`.
        inter_method: the interpolation of all resizing; see `resize_short`.
        min_object_covered: of random crops; see `CreateMultiRandCropAugmenter`.
        aspect_ratio_range: of random crops and borders.
        area_range: of random crops, and its upper limit of borders.
        min_eject_coverage: of random crops.
        max_attempts: of random crops and borders.
        pad_val: the color of borders.
    """
    augmenters: list[DetAugmenter] = [DetBorrowAug(ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        augmenters.append(
            CreateMultiRandCropAugmenter(
                min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts, 1 - rand_crop
            )
        )
    if rand_mirror:
        augmenters.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:  # late, since it makes images larger
        ratios, attempts = _first(aspect_ratio_range), _first(max_attempts)
        most = max(limits[1] for limits in (area_range if isinstance(area_range, list) else [area_range]))
        pad = DetRandomPadAug(ratios, (1.0, most), attempts, pad_val)
        augmenters.append(DetRandomSelectAug([pad], 1 - rand_pad))
    borrowed = [
        ForceResizeAug((data_shape[2], data_shape[1]), inter_method),
        CastAug(),
        *color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray),
    ]
    mean, std = channel_values(mean, MEAN, "mean"), channel_values(std, STD, "std")
    if mean is not None or std is not None:
        borrowed.append(ColorNormalizeAug(mean, std))
    return augmenters + [DetBorrowAug(augmenter) for augmenter in borrowed]


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def channel_values(values: Any, default: Sequence[float], name: str) -> np.ndarray | None:
    """A NumPy array by channel, where True stands for a default."""
    if values is True:
        return np.array(default)
    if values is not None and not (isinstance(values, np.ndarray) and values.shape[:1] in ((1,), (3,))):
        raise ValueError(
            f"[image] {name}: received {values!r}; expected True, None, or a NumPy array of 1 or 3 numbers."
        )
    return values


_LEAST_WIDTH = 5  # class, xmin, ymin, xmax, ymax
_LEAST_HEADER = 2


class ImageDetIter(ImageIter):
    """Batches of images of one size, with the boxes of the objects in them.

    The label of an image is a row of numbers: how many numbers the row begins with (2 or more, this one included),
    how many each object has (5 or more), the rest of the beginning, and then for each object its class, xmin, ymin,
    xmax, ymax as parts of width and height, and anything else. In a batch, labels are (batch, objects, numbers of an
    object); where an image has fewer objects than others, the rest is -1.

    Args:
        batch_size: images a batch.
        data_shape: (3, height, width).
        path_imgrec: see `ImageIter`, as for all down to `imglist`.
        path_imglist: a `.lst` file.
        path_root: the folder that paths in a list start from.
        path_imgidx: the `.idx` file of the record file.
        shuffle: read in a new random order in each pass.
        part_index: which part of the images to read, from 0.
        num_parts: into how many parts they are divided.
        aug_list: DetAugmenters; without it, those of `CreateDetAugmenter(data_shape, **kwargs)`.
        imglist: a list of [label, path].
        data_name: name of the images in `provide_data`.
        label_name: name of the labels in `provide_label`.
        last_batch_handle: `pad`, `discard` or `roll_over`.
        **kwargs: arguments of `CreateDetAugmenter`.
    """

    __module__ = "mxnet.image.detection"

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, ...],
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
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size=batch_size,
            data_shape=data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self.auglist: list[Any] = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [(label_name, (self.batch_size, *self.label_shape))]

    def _estimate_label_shape(self) -> tuple[int, int]:
        """The largest number of objects, and how many numbers each has: a pass over all labels."""
        most, width = 0, 0
        for label in self._labels():
            objects = self._parse_label(label)
            if width and objects.shape[1] != width:
                raise OpShapeError(
                    f"[{type(self).__name__}] the image {self.locate()} has objects of {objects.shape[1]} numbers, "
                    f"others of {width}; expected the same for all."
                )
            most, width = max(most, objects.shape[0]), objects.shape[1]
        if not width:
            raise MXNetError(f"[{type(self).__name__}] there are no images; expected at least one.")
        return most, width

    def _labels(self) -> Iterator[Any]:
        """The labels of one pass; images in a list are not read for it."""
        self.reset()
        if self.imglist is not None and self.seq is not None:
            for key in self.seq:
                self.cur += 1
                yield self.imglist[key][0]
        else:
            while True:
                try:
                    yield self.next_sample()[0]
                except StopIteration:
                    break
        self.reset()

    def _parse_label(self, label: Any) -> np.ndarray:
        """One row for each object that has an area."""
        numbers = (label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)).ravel()
        header, width = (int(number) for number in numbers[:2]) if numbers.size >= 2 else (0, 0)
        if header < _LEAST_HEADER or width < _LEAST_WIDTH or numbers.size < header + width:
            raise OpShapeError(
                f"[{type(self).__name__}] the image {self.locate()} has the label {numbers.tolist()}; expected the "
                "length of the beginning (2 or more), the length of an object (5 or more), and at least one object."
            )
        if (numbers.size - header) % width:
            raise OpShapeError(
                f"[{type(self).__name__}] the label of the image {self.locate()} has {numbers.size} numbers; expected "
                f"{header} and then {width} for each object, as it says."
            )
        objects = numbers[header:].reshape(-1, width)
        valid = objects[(objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])]
        if not len(valid):
            raise OpShapeError(f"[{type(self).__name__}] the image {self.locate()} has no object with an area.")
        return valid

    def _check_valid_label(self, label: np.ndarray) -> None:
        if label.ndim != 2 or label.shape[1] < _LEAST_WIDTH:
            raise OpShapeError(f"expected a label of (objects, 5 or more) after the augmenters, got {label.shape}")
        valid = (label[:, 0] >= 0) & (label[:, 3] > label[:, 1]) & (label[:, 4] > label[:, 2])
        if not valid.any():
            raise OpShapeError("no object of a class from 0 on with an area is left after the augmenters")

    def _blank_batch(self) -> tuple[NDArray, NDArray]:
        return nd.zeros(self.provide_data[0][1]), nd.full(self.provide_label[0][1], -1)

    def _place(self, label: Any, encoded: bytes, batch_data: NDArray, batch_label: NDArray, position: int) -> bool:
        image = self.imdecode(encoded)
        try:
            self.check_valid_image([image])
            image, objects = self.augmentation_transform(image, self._parse_label(label))
            self._check_valid_label(objects)
        except RuntimeError as error:
            self._skip(error)
            return False
        batch_data[position] = self._fitting(self.postprocess_data(image))
        rows = np.full(batch_label.shape[1:], -1, "float32")
        rows[: len(objects)] = objects
        batch_label[position] = nd.array(rows)
        return True

    def augmentation_transform(  # type: ignore[override]  # an image comes with its label
        self, data: NDArray, label: np.ndarray
    ) -> tuple[NDArray, np.ndarray]:
        """Image and label after all augmenters."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def reshape(self, data_shape: tuple[int, ...] | None = None, label_shape: tuple[int, int] | None = None) -> None:
        """Changes the shape of images or labels in the batches that follow.

        Args:
            data_shape: (3, height, width), which the augmenters must already give.
            label_shape: (objects, numbers of an object), with at least as many objects as before.
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.provide_data: Any = [(self.provide_data[0][0], (self.batch_size, *data_shape))]
            self.data_shape: tuple[int, ...] = tuple(data_shape)
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.provide_label: Any = [(self.provide_label[0][0], (self.batch_size, *label_shape))]
            self.label_shape = label_shape

    def check_label_shape(self, label_shape: tuple[int, ...]) -> None:
        """Refuses label shapes that have no room for the labels there are."""
        if len(label_shape) != 2 or label_shape[0] < self.label_shape[0] or label_shape[1] != self.label_shape[1]:
            raise ValueError(
                f"[{type(self).__name__}] label_shape: received {tuple(label_shape)}; expected (objects, numbers of an "
                f"object) with at least {self.label_shape[0]} objects and {self.label_shape[1]} numbers."
            )

    def sync_label_shape(self, it: "ImageDetIter", verbose: bool = False) -> "ImageDetIter":
        """Gives this iterator and another one the same label shape, the larger of both.

        Args:
            it: the other one, such as that of validation.
            verbose: say so in the log.

        Returns:
            The other one.
        """
        if not isinstance(it, ImageDetIter) or it.label_shape[1] != self.label_shape[1]:
            shown = it.label_shape if isinstance(it, ImageDetIter) else type(it).__name__
            raise ValueError(
                f"[{type(self).__name__}.sync_label_shape] it: received {shown}; expected an ImageDetIter whose "
                f"objects have {self.label_shape[1]} numbers."
            )
        before = {self.label_shape, it.label_shape}
        shape = (max(self.label_shape[0], it.label_shape[0]), self.label_shape[1])
        self.reshape(label_shape=shape)
        it.reshape(label_shape=shape)
        if verbose and len(before) > 1:
            logging.info("Resized label_shape to (%d, %d).", *shape)
        return it

    def draw_next(
        self,
        color: tuple[float, float, float] | None = None,
        thickness: int = 2,
        mean: Any = None,
        std: Any = None,
        clip: bool = True,
        waitKey: int | None = None,
        window_name: str = "draw_next",
        id2labels: Mapping[int, str] | None = None,
    ) -> Iterator[np.ndarray]:
        """Draws the boxes into the images, one after the other.

        Args:
            color: red, green, blue of the boxes; random by default.
            thickness: of the lines.
            mean: what was subtracted and is to be added again: a NumPy array, or True for ImageNet's.
            std: what was divided by, likewise.
            clip: limit values to 0 to 255.
            waitKey: show each image in a window and wait so many milliseconds, 0 for a key; needs OpenCV with windows.
            window_name: title of the window.
            id2labels: names of the classes, to be written beside the boxes.

        Yields:
            Images as uint8 of (height, width, 3), blue first, as OpenCV has them.
        """
        cv2 = opencv("ImageDetIter.draw_next")
        mean, std = channel_values(mean, MEAN, "mean"), channel_values(std, STD, "std")
        for image, objects in self._augmented():
            picture = image.asnumpy().astype("float32")
            picture *= 1 if std is None else std
            picture += 0 if mean is None else mean
            picture = np.clip(picture, 0, 255) if clip else picture
            picture = np.ascontiguousarray(picture[:, :, ::-1].astype("uint8"))
            for row in objects:
                _draw(cv2, picture, row, color, thickness, id2labels or {})
            if waitKey is not None:
                cv2.imshow(window_name, picture)
                cv2.waitKey(waitKey)
            yield picture

    def _augmented(self) -> Iterator[tuple[NDArray, np.ndarray]]:
        """Images and labels of the rest of a pass, after the augmenters."""
        while True:
            try:
                label, encoded = self.next_sample()
            except StopIteration:
                return
            image = self.imdecode(encoded)
            try:
                self.check_valid_image([image])
                objects = self._parse_label(label)
            except RuntimeError as error:
                self._skip(error)
                continue
            yield self.augmentation_transform(image, objects)


def _draw(cv2: Any, picture: np.ndarray, row: np.ndarray, color: Any, thickness: int, names: Mapping[int, str]) -> None:
    """One box and the name of its class."""
    height, width = picture.shape[:2]
    left, top, right, bottom = (int(part * side) for part, side in zip(row[1:5], (width, height) * 2, strict=True))
    if left < 0:
        return
    shade = np.random.rand(3) * 255 if color is None else color[::-1]
    cv2.rectangle(picture, (left, top), (right, bottom), tuple(float(part) for part in shade), thickness)
    name = names.get(int(row[0]))
    if name is not None:
        font, scale, white = cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255)
        text_height = cv2.getTextSize(name, font, scale, 2)[0][1]
        cv2.putText(picture, name, (left + 5, top + text_height + 5), font, scale, white, 2)
