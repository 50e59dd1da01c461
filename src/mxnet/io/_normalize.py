"""Pixels to the numbers of a batch: mirrored, red first, less the mean, by the deviation."""

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from regluon.formats.images import Pixels

from ..error import OpParamError
from ._image_params import ColorParams

Values = np.ndarray[Any, Any]


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
