"""When gradients are computed by kernels in C++."""

from typing import Any

import torch
from torch import Tensor

from ..native import kernels


def kernels_for(*tensors: Tensor | None) -> Any:
    """The kernels if there are any and these tensors suit them: single precision on a CPU, in one piece, not empty."""
    found = kernels()
    return found if found is not None and all(tensor is None or _suits(tensor) for tensor in tensors) else None


def _suits(tensor: Tensor) -> bool:
    return suits_kernels(tensor) and tensor.is_contiguous()


def suits_kernels(tensor: Tensor) -> bool:
    """Whether kernels of our own take such numbers, in whatever order: single precision on a CPU, not empty."""
    return tensor.dtype is torch.float32 and tensor.is_cpu and tensor.numel() > 0
