"""Memory that other libraries may write to, which torch's version counters do not see.

An array's memory leaves by DLPack or as a torch tensor, and arrays are made over memory of NumPy and other libraries.
From then on nobody tells us of writes, so constants computed from such memory are compared with a copy at each use.
"""

import torch
from torch.autograd.graph import increment_version


def mark_exported(tensor: torch.Tensor) -> torch.Tensor:
    """Notes that others may write to the memory of a tensor from now on, and returns the tensor.

    The version is counted up, so that constants folded from this memory before are looked at once more.
    """
    tensor.untyped_storage().is_exported = True  # type: ignore[attr-defined]  # all tensors over it share the object
    increment_version(tensor)
    return tensor


def is_exported(tensor: torch.Tensor) -> bool:
    """Whether others may write to the memory of a tensor."""
    return getattr(tensor.untyped_storage(), "is_exported", False)
