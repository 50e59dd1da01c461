"""Batches of images with boxes around objects, from record files."""

from dataclasses import replace
from random import Random
from typing import Any

from ..error import OpParamError
from ._det_augment import DetectionAugmenter
from ._det_params import DetectionParams, check_detection
from ._image_source import ImageSource, Values
from ._mean_image import mean_image
from ._normalize import Chance, Normalizer
from ._params import read_params
from ._records import RecordSet
from ._stream import MXDataIter
from ._text import keywords_only

__all__ = ["ImageDetRecordIter"]

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
