"""Augmenters and `ImageDetIter` for images with boxes, at the path MXNet has them at."""

from .detection_augmenters import DetAugmenter, DetBorrowAug, DetHorizontalFlipAug, DetRandomSelectAug
from .detection_iterator import ImageDetIter
from .detection_recipes import CreateDetAugmenter, CreateMultiRandCropAugmenter
from .detection_regions import DetRandomCropAug, DetRandomPadAug

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
