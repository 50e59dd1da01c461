"""Between tensors and the records that files and pickles are made of."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import MXNetError
from ..dtypes import NAME_OF_TORCH
from ..formats.stored import Stored


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
        raise MXNetError(f"[{who}] received a {stored.stype} array; expected a dense one: convert it before saving.")
    return _tensor(stored.data, stored.dtype)


def _tensor(data: Any, dtype: str) -> torch.Tensor:
    if not (data.flags.aligned and data.flags.writeable):
        data = np.array(data, order="C")  # torch needs both; a mapped file gives neither trouble in the common case
    tensor = torch.from_numpy(data)
    return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor


def stored_sparse(stype: str, values: torch.Tensor, aux: Sequence[torch.Tensor], shape: tuple[int, ...]) -> Stored:
    """The record of a sparse array."""
    packed = to_stored(values)
    indices = tuple(index.cpu().contiguous().numpy() for index in aux)
    return Stored(packed.dtype, shape, packed.data, stype=stype, aux=indices)


def to_parts(stored: Stored) -> tuple[torch.Tensor, tuple[torch.Tensor, ...], tuple[int, ...]]:
    """The stored values, the index arrays and the shape of a sparse record."""
    aux = tuple(_tensor(index, "int64").to(torch.int64) for index in stored.aux)
    return _tensor(stored.data, stored.dtype), aux, tuple(stored.shape)
