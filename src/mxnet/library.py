"""Libraries of operators in C++, which MXNet loads while it runs."""

import os
from typing import NoReturn

from .base import MXNetError

__all__ = ["load"]


def load(path: str, verbose: bool = True) -> NoReturn:
    """Refuses to load a library of operators: they are compiled against MXNet's own arrays.

    Args:
        path: the absolute path of a .so or .dll file.
        verbose: whether MXNet would print what the library has.
    """
    if not os.path.exists(path):
        raise MXNetError(f"[library.load] load path {path} does NOT exist.")
    if not os.path.isabs(path):
        raise MXNetError(f"[library.load] load path {path} is not an absolute path.")
    if os.path.splitext(path)[1] not in (".so", ".dll"):
        raise MXNetError(f"[library.load] load path {path} is NOT a library file; expected .so or .dll.")
    raise MXNetError(
        f"[library.load] {path} is compiled against MXNet's C++ arrays, and arrays live on PyTorch here. Compile its "
        "kernels with torch.utils.cpp_extension, and call them in a mx.operator.CustomOp on `NDArray.as_torch()`."
    )
