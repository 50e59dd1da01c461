"""Kernels compiled from CUDA source while a program runs: not offered here, and what to use instead."""

from collections.abc import Sequence
from typing import Any, NoReturn

from .base import MXNetError

__all__ = ["CudaKernel", "CudaModule"]


def _refuse(who: str) -> NoReturn:
    raise MXNetError(
        f"[rtc.{who}] CUDA source cannot be compiled here: arrays live on PyTorch. Write the operation with operators, "
        "as a mx.operator.CustomOp, or load the kernel with torch.utils.cpp_extension.load_inline or Triton and hand "
        "it NDArray.as_torch()."
    )


class CudaModule:
    """A compiled CUDA source: refused, with the ways out.

    Args:
        source: the source.
        options: flags of the compiler.
        exports: names of the kernels.
    """

    def __init__(self, source: str, options: str | Sequence[str] = (), exports: str | Sequence[str] = ()) -> None:
        _refuse("CudaModule")

    def get_kernel(self, name: str, signature: str) -> "CudaKernel":
        """A kernel of the module: refused."""
        _refuse("CudaModule")


class CudaKernel:
    """A kernel of a CudaModule: refused, with the ways out."""

    def __init__(self, handle: Any, name: str, is_ndarray: Sequence[bool], dtypes: Sequence[Any]) -> None:
        _refuse("CudaKernel")

    def launch(self, args: Any, ctx: Any, grid_dims: Any, block_dims: Any, shared_mem: int = 0) -> None:
        """Runs the kernel: refused."""
        _refuse("CudaKernel")
