"""Between tensors and the records that files and pickles are made of."""

import numpy as np
import torch

from ..base import MXNetError
from ..dtypes import NAME_OF_TORCH
from ..formats.params import Stored


def to_stored(tensor: torch.Tensor) -> Stored:
    """The record of a tensor; it views the tensor's memory where that lies in order on the CPU."""
    tensor = tensor.cpu().contiguous()
    bits = tensor.view(torch.uint16) if tensor.dtype is torch.bfloat16 else tensor
    return Stored(NAME_OF_TORCH[tensor.dtype], tuple(tensor.shape), bits.numpy())


def to_tensor(stored: Stored, who: str) -> torch.Tensor:
    """A tensor over the data of a record, or over a copy where torch could not write to them."""
    if stored.is_none:
        raise MXNetError(f"[{who}] the file has an empty place instead of an array; it cannot be loaded.")
    if stored.stype != "default":
        raise MXNetError(f"[{who}] the file holds a {stored.stype} array; sparse arrays are not available yet.")
    data = stored.data
    if not (data.flags.aligned and data.flags.writeable):
        data = np.array(data)  # torch needs both; a mapped file gives neither trouble in the common case
    tensor = torch.from_numpy(data)
    return tensor.view(torch.bfloat16) if stored.dtype == "bfloat16" else tensor
