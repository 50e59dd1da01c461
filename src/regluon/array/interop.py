"""Arrays from other libraries' memory, without copying."""

from typing import Any

import numpy as np
import torch

from ..base import MXNetError
from ..compiler.exported import mark_exported
from ..context import Context, cpu
from ..dtypes import FLAG_OF_NAME, NAME_OF_TORCH
from ..errors import OpTypeError
from .dense import NDArray

__all__ = ["from_dlpack", "from_numpy", "from_torch", "to_dlpack_for_read", "to_dlpack_for_write"]


def from_torch(tensor: torch.Tensor) -> NDArray:
    """An array over the memory of a torch tensor; its torch history is left behind."""
    if not isinstance(tensor, torch.Tensor):
        raise OpTypeError(
            f"[nd.from_torch] received {type(tensor).__name__}; expected a torch.Tensor. Use nd.array(x)."
        )
    if tensor.layout is not torch.strided or tensor.device.type == "meta":
        kind = "on the device 'meta', which has no values" if tensor.device.type == "meta" else f"of {tensor.layout}"
        raise OpTypeError(f"[nd.from_torch] received a tensor {kind}; expected a dense one with values.")
    if tensor.dtype not in NAME_OF_TORCH:
        raise OpTypeError(f"[nd.from_torch] received {tensor.dtype}; expected one of {', '.join(FLAG_OF_NAME)}.")
    return NDArray(mark_exported(tensor.detach()), context_of_tensor(tensor))


def context_of_tensor(tensor: torch.Tensor) -> Context:
    """Where a tensor lies."""
    return Context("gpu", tensor.device.index or 0) if tensor.device.type in ("cuda", "mps") else cpu()


def from_dlpack(dlpack: Any) -> NDArray:
    """An array over the memory of a DLPack capsule, or of any object that offers `__dlpack__`."""
    try:
        tensor = torch.utils.dlpack.from_dlpack(dlpack)
    except (RuntimeError, TypeError, AttributeError, BufferError) as error:
        raise MXNetError(
            f"[nd.from_dlpack] received {type(dlpack).__name__}; expected a capsule that nobody has used yet, or an "
            f"object that offers __dlpack__ ({error})."
        ) from None
    return from_torch(tensor)


def from_numpy(ndarray: np.ndarray, zero_copy: bool = True, array_cls: type[NDArray] = NDArray) -> NDArray:
    """An array over the memory of a NumPy array, or of a copy of it.

    Args:
        ndarray: a C-contiguous array. With `zero_copy` it becomes read-only for NumPy, as it does in MXNet.
        zero_copy: share the memory instead of copying; read-only memory that is not NumPy's own is copied.
        array_cls: class of the result.

    Example:
        >>> import numpy
        >>> shared = nd.from_numpy(numpy.zeros(2, "float32"), zero_copy=False)
        >>> shared.asnumpy()
        array([0., 0.], dtype=float32)
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"[nd.from_numpy] received {type(ndarray).__name__}; expected a NumPy array.")
    if ndarray.dtype.name not in FLAG_OF_NAME:
        raise ValueError(f"[nd.from_numpy] received {ndarray.dtype}; expected one of {', '.join(FLAG_OF_NAME)}.")
    if not zero_copy:
        return array_cls(torch.from_numpy(np.array(ndarray, order="C")), cpu())
    if not ndarray.flags["C_CONTIGUOUS"]:
        raise ValueError("[nd.from_numpy] received an array that is not C-contiguous; use numpy.ascontiguousarray.")
    if not ndarray.flags.writeable and not _owns_memory(ndarray):
        return array_cls(torch.from_numpy(np.array(ndarray, order="C")), cpu())
    tensor = torch.from_numpy(np.asarray(_Unlocked(ndarray)))
    ndarray.flags["WRITEABLE"] = False
    return array_cls(mark_exported(tensor), cpu())


def _owns_memory(ndarray: np.ndarray) -> bool:
    """Whether NumPy itself made the memory: a map of a file, or bytes, must not be written to."""
    while isinstance(ndarray.base, np.ndarray):
        ndarray = ndarray.base
    return ndarray.base is None


class _Unlocked:
    """Shows NumPy an array as writable: one that `from_numpy` locked before can be shared again."""

    def __init__(self, ndarray: np.ndarray) -> None:
        self.owner = ndarray
        interface = ndarray.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def to_dlpack_for_read(data: NDArray) -> Any:
    """A DLPack capsule sharing an array's memory, for another library to read."""
    return data.to_dlpack_for_read()


def to_dlpack_for_write(data: NDArray) -> Any:
    """A DLPack capsule sharing an array's memory, for another library to write to."""
    return data.to_dlpack_for_write()
