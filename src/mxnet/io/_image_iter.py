"""Iterate over image records."""

from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from ..error import OpParamError
from ._augment import DetectionAugmenter, StandardAugmenter
from ._file_iterators import keywords_only
from ._image_params import DetectionParams, ImageParams, check_augmenter, check_detection, check_records, read_params
from ._image_source import Chance, ImageSource, Normalizer, Values, mean_image
from ._records import MXDataIter, RecordSet

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "ImageDetRecordIter",
]


class ImageRecordIter(MXDataIter):
    """Batches of images from a `.rec` file, as `python -m mxnet.tools.im2rec` makes them.

    Takes keyword arguments only. An image is decoded, resized and warped, padded, cropped, changed in color, mirrored,
    and normalized, in this order. Threads work ahead; results do not depend on their number.

    Args:
        path_imgrec: the record file.
        data_shape: (channels, height, width) of an image in a batch; 1, 3 (red, green, blue) or 4 channels.
        batch_size: images in a batch.
        path_imgidx: its index; without one, the records are found by going through the file once.
        path_imglist: a `.lst` file whose labels replace those of the records.
        label_width: labels of an image.
        shuffle, seed: draw a new order for each pass.
        num_parts, part_index: read one of several parts of the file.
        round_batch: fill up the last batch with the first images, after which the next pass begins. Otherwise the
            places at the end keep the images of the batch before, and `pad` counts them.
        preprocess_threads, prefetch_buffer: how many threads work, and how many batches ahead.
        dtype: `"float32"`; `"uint8"` for pixels as they are; `"int8"` for pixels less the mean, cut off at 127.
        data_name, label_name: names of data and labels.
        seed_aug: for all that is left to chance below; `seed` by default.
        resize: length of the shorter edge after resizing.
        max_rotate_angle, rotate: turn by a random or a fixed number of degrees.
        max_shear_ratio, max_random_scale, min_random_scale, max_aspect_ratio, min_aspect_ratio: shear, scale, stretch.
        max_img_size, min_img_size: limits of the size after that.
        pad, fill_value: add a border of that many pixels, of that color.
        rand_crop: crop anywhere instead of in the middle.
        max_crop_size, min_crop_size: crop a square of a random size, and resize it to `data_shape`.
        random_resized_crop, max_random_area, min_random_area: crop a random share of the image, with a random aspect
            ratio, and resize it to `data_shape`.
        inter_method: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 by size, 10 random.
        brightness, contrast, saturation, random_h, random_s, random_l, pca_noise: change colors by up to so much.
        mirror, rand_mirror: mirror all images, or every other one.
        mean_img: a file with the mean of each value; made by going through all images if it does not exist.
        mean_r, mean_g, mean_b, mean_a: what is subtracted from each channel, without a `mean_img`.
        std_r, std_g, std_b, std_a, scale: what then divides and multiplies the values.
        max_random_contrast, max_random_illumination: multiply by and add up to so much.
        aug_seq: `"aug_default"`.
        verbose: write the number of records to the log.
        device_id, ctx, shuffle_chunk_size, shuffle_chunk_seed: accepted and not needed: batches are in CPU memory, and
            the whole file is shuffled.

    Example:
        >>> images = mx.io.ImageRecordIter(
        ...     path_imgrec="train.rec", data_shape=(3, 224, 224), batch_size=32, resize=256, rand_crop=True,
        ...     rand_mirror=True, shuffle=True)
    """

    __module__ = "mxnet.io"

    _dtype: ClassVar[str | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        who = type(self).__name__
        keywords_only(args, who)
        given = read_params(ImageParams, who, kwargs)
        self._params = kwargs
        check_records(given, who)
        check_augmenter(given, who)
        records = RecordSet(given, given.label_width, who)
        augment = StandardAugmenter(given, who)
        dtype = self._dtype or given.dtype or "float32"
        chance = Chance(given.mirror, given.rand_mirror, given.max_random_contrast, given.max_random_illumination)
        mean = None
        if given.mean_img:
            mean = mean_image(given, len(records), lambda row, draw: augment(records.read(row)[0], draw), who)
        normalize = Normalizer(given, chance, given.data_shape[0], dtype, mean, who)

        def make(row: int, data: Values, label: Values, draw: Random) -> int:
            pixels, labels, number = records.read(row)
            normalize(augment(pixels, draw), data, draw)
            label[...] = labels if label.ndim else labels[0]
            return number

        label_shape = (given.label_width,) if given.label_width > 1 else ()
        source = ImageSource(given, len(records), label_shape, 0.0, make, dtype)
        super().__init__(source, given.data_name, given.label_name)


class ImageRecordIter_v1(ImageRecordIter):  # MXNet's name
    """The same as `ImageRecordIter`, under the name of its older implementation."""

    __module__ = "mxnet.io"


class ImageRecordUInt8Iter(ImageRecordIter):
    """An `ImageRecordIter` that gives pixels as they are, as uint8; mean, deviation and scale have no effect."""

    __module__ = "mxnet.io"

    _dtype = "uint8"


class ImageRecordUInt8Iter_v1(ImageRecordUInt8Iter):  # MXNet's name
    """The same as `ImageRecordUInt8Iter`, under the name of its older implementation."""

    __module__ = "mxnet.io"


class ImageRecordInt8Iter(ImageRecordIter):
    """An `ImageRecordIter` that gives pixels less the mean as int8; deviation and scale have no effect."""

    __module__ = "mxnet.io"

    _dtype = "int8"


# What stands before the labels of an image: its channels, height and width, and the number of labels.
LABEL_HEADER = 4


class ImageDetRecordIter(MXDataIter):
    """Batches of images and boxes from a `.rec` file. Takes keyword arguments only.

    A record's labels are `header width, object width, ..., objects`; an object is `class, left, top, right, bottom,
    ...`, with coordinates from 0 to 1. A row of the batch's labels is `channels, height, width, number of labels,
    labels`, filled up with `label_pad_value`; height and width are those that the image has inside the batch.

    Args:
        path_imgrec, path_imgidx, path_imglist, data_shape, batch_size, shuffle, seed, num_parts, part_index,
            round_batch, preprocess_threads, prefetch_buffer, mean_img, mean_r, ..., scale: as in `ImageRecordIter`; a
            deviation of 0 counts as 1.
        label_width: labels of a record; -1 if records differ.
        label_pad_width: labels of a row of the batch; as many as the longest record has by default.
        label_pad_value: what fills up a row.
        resize: length of the shorter edge after resizing.
        random_hue_prob, max_random_hue, random_saturation_prob, max_random_saturation, random_illumination_prob,
            max_random_illumination, random_contrast_prob, max_random_contrast: change colors, how often and how much.
        rand_mirror_prob: how often to mirror.
        rand_pad_prob, max_pad_scale, fill_value: how often to put the image into a larger one, how large, its color.
        rand_crop_prob, num_crop_sampler: how often to crop, and the number of rules to draw from.
        min_crop_scales, ..., max_crop_object_coverages: for each rule, limits of a crop's scale and aspect ratio, of
            its overlap with an object, of the share of the crop that an object has, and of the share of it inside.
        max_crop_trials: for each rule, how many crops to try.
        crop_emit_mode, emit_overlap_thresh: drop objects whose center is outside, or of which less than that is inside.
        inter_method: as in `ImageRecordIter`.
        resize_mode: `"force"` gives each image the size of the batch; `"shrink"` and `"fit"` keep its form, the rest of
            the place is black; only `"fit"` enlarges.
    """

    __module__ = "mxnet.io"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        who = "ImageDetRecordIter"
        keywords_only(args, who)
        given = read_params(DetectionParams, who, kwargs)
        self._params = kwargs
        check_detection(given, who)
        records = RecordSet(given, given.label_width, who)
        width = self._label_width(given, records)
        augment = DetectionAugmenter(given, who)
        mean = None
        if given.mean_img:
            mean = mean_image(given, len(records), lambda row, draw: augment(*records.read(row)[:2], "", draw)[0], who)
        colors = replace(
            given,
            std_r=given.std_r or 1.0,
            std_g=given.std_g or 1.0,
            std_b=given.std_b or 1.0,
            std_a=given.std_a or 1.0,
        )
        normalize = Normalizer(colors, Chance(), given.data_shape[0], "float32", mean, who)

        def make(row: int, data: Values, label: Values, draw: Random) -> int:
            pixels, labels, number = records.read(row)
            pixels, size, labels = augment(pixels, labels, f"record {row}", draw)
            normalize(pixels, data, draw)
            label[:LABEL_HEADER] = (given.data_shape[0], *size, labels.size)
            label[LABEL_HEADER : LABEL_HEADER + labels.size] = labels
            return number

        source = ImageSource(given, len(records), (LABEL_HEADER + width,), given.label_pad_value, make, "float32")
        super().__init__(source, given.data_name, given.label_name)

    def _label_width(self, given: DetectionParams, records: RecordSet) -> int:
        most = given.label_width if given.label_width > 0 else records.most_labels()
        if 0 < given.label_pad_width < most:
            raise OpParamError(
                f"[ImageDetRecordIter] label_pad_width: received {given.label_pad_width}; expected {most} or more: a "
                "record has so many labels."
            )
        return max(given.label_pad_width, most)
