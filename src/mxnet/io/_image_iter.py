"""Batches of images from record files."""

from random import Random
from typing import Any, ClassVar

from ._augment import StandardAugmenter
from ._image_params import ImageParams, check_augmenter, check_records
from ._image_source import ImageSource, Values
from ._mean_image import mean_image
from ._normalize import Chance, Normalizer
from ._params import read_params
from ._records import RecordSet
from ._stream import MXDataIter
from ._text import keywords_only

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
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
