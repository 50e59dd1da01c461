"""When gradients are computed by kernels in C++."""

from typing import Any

from torch import Tensor

from ...native import kernels
from ..common import suits_kernels


def kernels_for(*tensors: Tensor | None) -> Any:
    """The kernels if there are any and these tensors suit them: single precision on a CPU, in one piece, not empty."""
    found = kernels()
    return found if found is not None and all(tensor is None or _suits(tensor) for tensor in tensors) else None


def _suits(tensor: Tensor) -> bool:
    return suits_kernels(tensor) and tensor.is_contiguous()
