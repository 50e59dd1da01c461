"""Images: decoding, resizing, augmentation."""

from . import codec, random, transform
