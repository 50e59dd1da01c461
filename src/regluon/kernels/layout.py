"""Images with channels first in memory, as programs see them, and with channels last, as kernels like them best."""

import torch
from torch import Tensor

from ..native import kernels
from .eligibility import suits_kernels

_LAST = torch.channels_last


def to_channels_last(images: Tensor) -> Tensor:
    """The same images with channels last in memory: themselves, if that is how they lie."""
    if images.is_contiguous(memory_format=_LAST):
        return images
    if _has_kernel(images) and images.is_contiguous():
        return kernels().to_channels_last.default(images)
    return images.contiguous(memory_format=_LAST)


def to_channels_first(images: Tensor) -> Tensor:
    """The same images with channels first in memory: themselves, if that is how they lie. Any other array in order."""
    if images.is_contiguous():
        return images
    if images.dim() == 4 and _has_kernel(images) and images.is_contiguous(memory_format=_LAST):
        return kernels().to_channels_first.default(images)
    return images.contiguous()


def ordered_like(images: Tensor, other: Tensor) -> Tensor:
    """The images in the order of others: what reads both at once is many times slower if they lie differently."""
    if images.dim() != 4 or images.stride() == other.stride():
        return images
    if other.is_contiguous():
        return to_channels_first(images)
    return to_channels_last(images) if other.is_contiguous(memory_format=_LAST) else images


def _has_kernel(images: Tensor) -> bool:
    """Ours takes half to a tenth of the time of torch's. It has no gradient, and no rule for other devices."""
    if kernels() is None or not suits_kernels(images):
        return False
    return not (images.requires_grad and torch.is_grad_enabled())
