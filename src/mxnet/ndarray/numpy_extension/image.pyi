"""Operators of mx.npx.image. Made by tools/stubs.py from the operator registry; do not edit."""

from .._internal import _npx__image_adjust_lighting as adjust_lighting
from .._internal import _npx__image_crop as crop
from .._internal import _npx__image_flip_left_right as flip_left_right
from .._internal import _npx__image_flip_top_bottom as flip_top_bottom
from .._internal import _npx__image_normalize as normalize
from .._internal import _npx__image_random_brightness as random_brightness
from .._internal import _npx__image_random_color_jitter as random_color_jitter
from .._internal import _npx__image_random_contrast as random_contrast
from .._internal import _npx__image_random_flip_left_right as random_flip_left_right
from .._internal import _npx__image_random_flip_top_bottom as random_flip_top_bottom
from .._internal import _npx__image_random_hue as random_hue
from .._internal import _npx__image_random_lighting as random_lighting
from .._internal import _npx__image_random_saturation as random_saturation
from .._internal import _npx__image_resize as resize
from .._internal import _npx__image_to_tensor as to_tensor

__all__ = ['adjust_lighting', 'crop', 'flip_left_right', 'flip_top_bottom', 'normalize', 'random_brightness', 'random_color_jitter', 'random_contrast', 'random_flip_left_right', 'random_flip_top_bottom', 'random_hue', 'random_lighting', 'random_saturation', 'resize', 'to_tensor']
