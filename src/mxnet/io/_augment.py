"""Augment images in workers."""

import math
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from regluon.formats.images import Pixels, opencv

from ..error import FileFormatError, OpParamError
from ._image_params import DetectionParams, ImageParams

# Main directions of color in ImageNet's images, as everybody uses them (Krizhevsky et al. 2012); rows red, green, blue.
_COLOR_DIRECTIONS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
) * np.array([55.46, 4.794, 1.148])


def interpolation(method: int, old: tuple[int, int], new: tuple[int, int], draw: Random) -> int:
    """OpenCV's number of an interpolation: itself, the best for these sizes for 9, any for 10."""
    if method == 9:
        if new[0] > old[0] and new[1] > old[1]:
            return 2
        return 3 if new[0] < old[0] and new[1] < old[1] else 1
    return draw.randrange(5) if method == 10 else method


def resize_to(cv2: ModuleType, pixels: Pixels, width: int, height: int, method: int, draw: Random) -> Pixels:
    """Pixels of another size."""
    old = pixels.shape[1], pixels.shape[0]
    if old == (width, height):
        return pixels
    resized: Pixels = cv2.resize(
        pixels, (width, height), interpolation=interpolation(method, old, (width, height), draw)
    )
    return resized


def resize_short(cv2: ModuleType, pixels: Pixels, size: int, method: int, draw: Random) -> Pixels:
    """Pixels whose shorter edge has a given length."""
    height, width = pixels.shape[:2]
    if height > width:
        return resize_to(cv2, pixels, size, size * height // width, method, draw)
    return resize_to(cv2, pixels, size * width // height, size, method, draw)


class StandardAugmenter:
    """Applies the settings of an `ImageRecordIter` to one image after another.

    Args:
        given: the settings.
        who: the iterator named in errors.
    """

    def __init__(self, given: ImageParams, who: str) -> None:
        self._given = given
        self._who = who
        self._cv2 = opencv(who)
        _, self._height, self._width = given.data_shape
        self._warps = (
            given.max_rotate_angle > 0
            or given.max_shear_ratio > 0
            or given.rotate > 0
            or (given.min_random_scale, given.max_random_scale) != (1.0, 1.0)
            or (not given.random_resized_crop and (given.min_aspect_ratio is not None or given.max_aspect_ratio != 0))
            or given.max_img_size != 1e10
            or given.min_img_size != 0
        )
        self._jitters = max(given.brightness, given.contrast, given.saturation) > 0
        self._shifts = bool(given.random_h or given.random_s or given.random_l)

    def __call__(self, pixels: Pixels, draw: Random) -> Pixels:
        """The image as it goes into a batch: height and width are those of `data_shape`."""
        given = self._given
        if given.resize != -1:
            pixels = resize_short(self._cv2, pixels, given.resize, given.inter_method, draw)
        if self._warps:
            pixels = self._warp(pixels, draw)
        if given.pad > 0:
            sides = (given.pad,) * 4
            fill = (given.fill_value,) * 4
            pixels = self._cv2.copyMakeBorder(pixels, *sides, self._cv2.BORDER_CONSTANT, value=fill)
        pixels = self._crop(pixels, draw)
        if self._jitters:
            pixels = self._jitter(pixels, draw)
        if self._shifts and pixels.ndim == 3:
            pixels = self._shift_hls(pixels, draw)
        if given.pca_noise > 0 and pixels.ndim == 3:
            noise = _COLOR_DIRECTIONS @ [draw.gauss(0, given.pca_noise) for _ in range(3)]
            pixels = self._cv2.add(pixels, np.array([*noise[::-1], 0.0]))
        return pixels

    def _warp(self, pixels: Pixels, draw: Random) -> Pixels:
        """Shears, turns, scales and stretches around the middle."""
        given = self._given
        height, width = pixels.shape[:2]
        shear = draw.uniform(-given.max_shear_ratio, given.max_shear_ratio)
        angle = draw.randint(-given.max_rotate_angle, given.max_rotate_angle)
        angle = given.rotate if given.rotate > 0 else angle
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        scale = draw.uniform(given.min_random_scale, given.max_random_scale)
        if given.min_aspect_ratio is not None:
            ratio = draw.uniform(given.min_aspect_ratio, given.max_aspect_ratio)
        else:
            ratio = 1 + draw.uniform(-given.max_aspect_ratio, given.max_aspect_ratio)
        down = 2 * scale / (1 + ratio)
        across = ratio * down
        new_width = max(given.min_img_size, min(given.max_img_size, scale * width))
        new_height = max(given.min_img_size, min(given.max_img_size, scale * height))
        turn = np.array(
            [
                [down * cosine - shear * sine * across, down * sine + shear * cosine * across],
                [-sine * across, cosine * across],
            ]
        )
        shift = (np.array([new_width, new_height]) - turn @ [width, height]) / 2
        size = int(new_width), int(new_height)
        if min(size) < 1:
            raise OpParamError(
                f"[{self._who}] received an image of {height}x{width} that becomes {size[1]}x{size[0]}; expected "
                "scales that leave at least one pixel."
            )
        warped: Pixels = self._cv2.warpAffine(
            pixels,
            np.column_stack([turn, shift]).astype(np.float32),
            size,
            flags=interpolation(given.inter_method, (width, height), size, draw),
            borderMode=self._cv2.BORDER_CONSTANT,
            borderValue=(given.fill_value,) * 4,
        )
        return warped

    def _crop(self, pixels: Pixels, draw: Random) -> Pixels:
        """Cuts a window of the wanted size, or one of another size that is then resized."""
        given = self._given
        if given.random_resized_crop:
            window = self._draw_window(pixels.shape[0], pixels.shape[1], draw)
            if window is not None:
                return self._fit(pixels[window], draw)
        elif given.max_crop_size > 0 or given.min_crop_size > 0:
            return self._crop_square(pixels, draw)
        method = given.inter_method
        if pixels.shape[0] < self._height:
            width = int(np.float32(self._height) / np.float32(pixels.shape[0]) * np.float32(pixels.shape[1]))
            pixels = resize_to(self._cv2, pixels, width, self._height, method, draw)
        if pixels.shape[1] < self._width:
            height = int(np.float32(self._width) / np.float32(pixels.shape[1]) * np.float32(pixels.shape[0]))
            # Rounding must not make the image too small again.
            pixels = resize_to(self._cv2, pixels, self._width, max(height, self._height), method, draw)
        return pixels[self._window(pixels, self._height, self._width, draw)]

    def _window(self, pixels: Pixels, height: int, width: int, draw: Random) -> tuple[slice, slice]:
        """A window anywhere, or in the middle."""
        room = pixels.shape[0] - height, pixels.shape[1] - width
        top, left = (draw.randint(0, n) if self._given.rand_crop else n // 2 for n in room)
        return slice(top, top + height), slice(left, left + width)

    def _crop_square(self, pixels: Pixels, draw: Random) -> Pixels:
        given = self._given
        if min(pixels.shape[:2]) < given.max_crop_size:
            raise OpParamError(
                f"[{self._who}] received an image of {pixels.shape[0]}x{pixels.shape[1]}; expected at least "
                f"max_crop_size={given.max_crop_size} on both sides. Give `resize` to make images large enough."
            )
        size = draw.randint(max(given.min_crop_size, 1), given.max_crop_size)
        return self._fit(pixels[self._window(pixels, size, size, draw)], draw)

    def _draw_window(self, height: int, width: int, draw: Random) -> tuple[slice, slice] | None:
        """A window of a random share of the image and a random form; None if ten did not fit."""
        given = self._given
        if given.min_aspect_ratio is None:
            ratios = 1 - given.max_aspect_ratio, 1 + given.max_aspect_ratio
        else:
            ratios = given.min_aspect_ratio, given.max_aspect_ratio
        if given.min_random_area == given.max_random_area == ratios[0] == ratios[1] == 1:
            return None
        for _ in range(10):
            area = draw.uniform(given.min_random_area, given.max_random_area) * height * width
            ratio = draw.uniform(*ratios)
            down, across = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
            if draw.random() > 0.5:
                down, across = across, down
            if 0 < down <= height and 0 < across <= width:
                top, left = draw.randint(0, height - down), draw.randint(0, width - across)
                return slice(top, top + down), slice(left, left + across)
        return None

    def _fit(self, pixels: Pixels, draw: Random) -> Pixels:
        return resize_to(self._cv2, pixels, self._width, self._height, self._given.inter_method, draw)

    def _jitter(self, pixels: Pixels, draw: Random) -> Pixels:
        """Changes brightness, contrast and saturation, in any order."""
        cv2, given = self._cv2, self._given
        settings = [("brightness", given.brightness), ("contrast", given.contrast), ("saturation", given.saturation)]
        draw.shuffle(settings)
        for name, most in settings:
            factor = 1 + draw.uniform(-most, most)
            if most <= 0:
                continue
            if name == "brightness":
                pixels = _scaled(pixels, factor, 0.0)
            else:
                gray = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY) if pixels.ndim == 3 else pixels
                if name == "contrast":
                    pixels = _scaled(pixels, factor, (1 - factor) * float(cv2.mean(gray)[0]))
                elif pixels.ndim == 3:
                    pixels = cv2.addWeighted(pixels, factor, cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), 1 - factor, 0)
        return pixels

    def _shift_hls(self, pixels: Pixels, draw: Random) -> Pixels:
        """Moves hue, lightness and saturation."""
        cv2, given = self._cv2, self._given
        shifts = [int(draw.uniform(-most, most)) for most in (given.random_h, given.random_l, given.random_s)]
        moved = cv2.cvtColor(pixels, cv2.COLOR_BGR2HLS).astype(np.int16) + np.array(shifts, np.int16)
        shifted: Pixels = cv2.cvtColor(np.clip(moved, 0, (180, 255, 255)).astype(np.uint8), cv2.COLOR_HLS2BGR)
        return shifted


def _scaled(pixels: Pixels, factor: float, offset: float) -> Pixels:
    """Pixels times a factor plus an offset, rounded and kept in range: a table of 256 entries says it all."""
    table: Pixels = np.clip(np.rint(np.arange(256) * factor + offset), 0, 255).astype(np.uint8)
    return table[pixels]


Labels = np.ndarray[Any, Any]
# Below this a larger canvas is not worth making.
_LEAST_PAD_SCALE = 1.05


class Box(NamedTuple):
    """A rectangle, in shares of the image's width and height."""

    left: float
    top: float
    width: float
    height: float


class DetectionAugmenter:
    """Applies the settings of an `ImageDetRecordIter` to one image and its labels after another.

    Args:
        given: the settings.
        who: the iterator named in errors.
    """

    def __init__(self, given: DetectionParams, who: str) -> None:
        self._given = given
        self._who = who
        self._cv2 = opencv(who)
        _, self._height, self._width = given.data_shape

    def __call__(
        self, pixels: Pixels, labels: Labels, name: str, draw: Random
    ) -> tuple[Pixels, tuple[int, int], Labels]:
        """Pixels of the batch's height and width, the part of them that is the image, and its labels."""
        given = self._given
        head, objects = self._split(labels, name)
        if given.resize > 0:
            pixels = resize_short(self._cv2, pixels, given.resize, given.inter_method, draw)
        pixels = self._distort(pixels, draw)
        if draw.random() < given.rand_mirror_prob:
            pixels = pixels[:, ::-1]
            objects[:, [1, 3]] = 1 - objects[:, [3, 1]]
        if given.max_pad_scale > 1 and draw.random() < given.rand_pad_prob:
            pixels, objects = self._pad(pixels, objects, draw)
        if given.num_crop_sampler > 0 and draw.random() < given.rand_crop_prob:
            pixels, objects = self._crop(pixels, objects, draw)
        pixels, size = self._resize(pixels, draw)
        return pixels, size, np.concatenate([head, objects.ravel()])

    def _split(self, labels: Labels, name: str) -> tuple[Labels, Labels]:
        """The labels before the objects, and a table of objects."""
        head, width = (int(labels[0]), int(labels[1])) if labels.size >= 2 else (0, 0)
        if head < 2 or width < 5 or head > labels.size or (labels.size - head) % width:
            raise FileFormatError(
                f"[{self._who}] received the {labels.size} labels {labels[:8].tolist()}... in {name}; expected header "
                "width (2 or more), object width (5 or more), and objects of that width after the header."
            )
        return labels[:head], labels[head:].reshape(-1, width).copy()

    def _distort(self, pixels: Pixels, draw: Random) -> Pixels:
        cv2, given = self._cv2, self._given
        chances = (
            (given.random_hue_prob, given.max_random_hue),
            (given.random_illumination_prob, given.max_random_illumination),
            (given.random_saturation_prob, given.max_random_saturation),
            (given.random_contrast_prob, given.max_random_contrast),
        )
        *shifts, contrast = (draw.uniform(-most, most) if draw.random() < often else 0.0 for often, most in chances)
        if any(int(shift) for shift in shifts) and pixels.ndim == 3:
            moved = cv2.cvtColor(pixels, cv2.COLOR_BGR2HLS).astype(np.int16) + np.array(shifts, np.int16)
            pixels = cv2.cvtColor(np.clip(moved, 0, (180, 255, 255)).astype(np.uint8), cv2.COLOR_HLS2BGR)
        if abs(contrast) > 1e-3:
            pixels = np.clip(np.rint(pixels * (1 + contrast)), 0, 255).astype(np.uint8)
        return pixels

    def _pad(self, pixels: Pixels, objects: Labels, draw: Random) -> tuple[Pixels, Labels]:
        """The image somewhere on a larger canvas."""
        scale = draw.uniform(1, self._given.max_pad_scale)
        left, top = draw.uniform(0, scale - 1), draw.uniform(0, scale - 1)
        if scale < _LEAST_PAD_SCALE:
            return pixels, objects
        height, width = pixels.shape[:2]
        above, beside = int(top * height), int(left * width)
        below, after = int(scale * height) - height - above, int(scale * width) - width - beside
        sides = above, max(below, 0), beside, max(after, 0)
        fill = (self._given.fill_value,) * 4
        padded = self._cv2.copyMakeBorder(np.ascontiguousarray(pixels), *sides, self._cv2.BORDER_CONSTANT, value=fill)
        return padded, _inside(objects, Box(-left, -top, scale, scale))

    def _crop(self, pixels: Pixels, objects: Labels, draw: Random) -> tuple[Pixels, Labels]:
        """A window that one of the rules allows; the whole image if none was found."""
        height, width = pixels.shape[:2]
        rules = list(range(self._given.num_crop_sampler))
        draw.shuffle(rules)
        for rule in rules:
            for _ in range(int(self._of_rule("max_crop_trials", rule))):
                box = self._draw_box(rule, width / height, draw)
                kept = self._kept(objects, box, rule)
                if kept is not None:
                    top, left = int(box.top * height), int(box.left * width)
                    down, across = max(int(box.height * height), 1), max(int(box.width * width), 1)
                    return pixels[top : top + down, left : left + across], kept
        return pixels, objects

    def _of_rule(self, name: str, rule: int) -> float:
        values = getattr(self._given, name)
        value: float = values[rule if len(values) > 1 else 0]
        return value

    def _draw_box(self, rule: int, form: float, draw: Random) -> Box:
        scale = draw.uniform(self._of_rule("min_crop_scales", rule), self._of_rule("max_crop_scales", rule)) + 1e-12
        least = max(self._of_rule("min_crop_aspect_ratios", rule) / form, scale * scale)
        most = min(self._of_rule("max_crop_aspect_ratios", rule) / form, 1 / (scale * scale))
        ratio = math.sqrt(draw.uniform(least, most))
        width, height = min(1.0, scale * ratio), min(1.0, scale / ratio)
        return Box(draw.uniform(0, 1 - width), draw.uniform(0, 1 - height), width, height)

    def _kept(self, objects: Labels, box: Box, rule: int) -> Labels | None:
        """The objects of a window, with their places in it; None if the rule forbids the window."""
        if not len(objects):
            return objects
        shared = _shared(objects, box)
        own = (objects[:, 3] - objects[:, 1]) * (objects[:, 4] - objects[:, 2])
        area = box.width * box.height
        allowed = np.ones(len(objects), bool)
        measures = {
            "overlaps": shared / np.maximum(own + area - shared, 1e-12),
            "sample_coverages": shared / max(area, 1e-12),
            "object_coverages": shared / np.maximum(own, 1e-12),
        }
        for name, values in measures.items():
            least, most = self._of_rule(f"min_crop_{name}", rule), self._of_rule(f"max_crop_{name}", rule)
            if least > 0 or most < 1:
                allowed &= (values >= least) & (values <= most)
        if not allowed.any():
            return None
        if self._given.crop_emit_mode == "center":
            x, y = (objects[:, 1] + objects[:, 3]) / 2, (objects[:, 2] + objects[:, 4]) / 2
            stays = (x >= box.left) & (x < box.left + box.width) & (y >= box.top) & (y < box.top + box.height)
        else:
            stays = measures["object_coverages"] > self._given.emit_overlap_thresh
        return _inside(objects[stays], box) if stays.any() else None

    def _resize(self, pixels: Pixels, draw: Random) -> tuple[Pixels, tuple[int, int]]:
        height, width = pixels.shape[:2]
        method = self._given.inter_method
        if self._given.resize_mode == "force":
            return resize_to(self._cv2, pixels, self._width, self._height, method, draw), (self._height, self._width)
        scale = min(self._height / height, self._width / width)
        if self._given.resize_mode == "shrink":
            scale = min(scale, 1.0)
        size = max(int(height * scale), 1), max(int(width * scale), 1)
        shape = (self._height, self._width, *pixels.shape[2:])
        canvas = np.zeros(shape, np.uint8)
        canvas[: size[0], : size[1]] = resize_to(self._cv2, pixels, size[1], size[0], method, draw)
        return canvas, size


def _shared(objects: Labels, box: Box) -> Labels:
    """The area that each object shares with a window."""
    across = np.minimum(objects[:, 3], box.left + box.width) - np.maximum(objects[:, 1], box.left)
    down = np.minimum(objects[:, 4], box.top + box.height) - np.maximum(objects[:, 2], box.top)
    area: Labels = np.maximum(across, 0) * np.maximum(down, 0)
    return area


def _inside(objects: Labels, box: Box) -> Labels:
    """Objects with their places in a window."""
    moved = objects.copy()
    for column, start, length in ((1, box.left, box.width), (2, box.top, box.height)):
        moved[:, [column, column + 2]] = np.clip((objects[:, [column, column + 2]] - start) / length, 0, 1)
    return moved
