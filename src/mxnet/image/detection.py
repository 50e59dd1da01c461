"""Augmenters and `ImageDetIter` for images with boxes, at the path MXNet has them at."""

from ._detection_augmenters import DetAugmenter, DetBorrowAug, DetHorizontalFlipAug, DetRandomSelectAug
from ._detection_iterator import ImageDetIter
from ._detection_recipes import CreateDetAugmenter, CreateMultiRandCropAugmenter
from ._detection_regions import DetRandomCropAug, DetRandomPadAug

__all__ = [
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
    "ImageDetIter",
]
