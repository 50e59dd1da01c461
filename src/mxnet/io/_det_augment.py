"""MXNet's standard augmentation of images with boxes: colors, mirror, pad, crop, resize; boxes follow."""

import math
from random import Random
from typing import Any, NamedTuple

import numpy as np

from regluon.formats.images import Pixels, opencv

from ..error import FileFormatError
from ._augment import resize_short, resize_to
from ._det_params import DetectionParams

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
