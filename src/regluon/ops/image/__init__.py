"""Images: decoding, resizing, augmentation."""

from . import codec, random, resize, transform
