"""Transforms of images: blocks to give to `dataset.transform_first`."""

from .....util import is_np_array
from ....block import Block, HybridBlock
from ....nn import HybridSequential, Sequential
from .color import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomHue,
    RandomLighting,
    RandomSaturation,
)
from .geometry import (
    CenterCrop,
    CropResize,
    RandomFlipLeftRight,
    RandomFlipTopBottom,
    RandomResizedCrop,
    RandomRotation,
    Resize,
    Rotate,
)
from .newer import HybridCompose, HybridRandomApply, RandomCrop, RandomGray
from .pixels import Cast, Normalize, ToTensor
from .rows import Compose, RandomApply
