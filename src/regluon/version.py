"""The two versions of this package: of the interface it offers, and of the software itself; and no C library."""

from typing import NoReturn

# What `mx.__version__` says. Programs compare it to learn which MXNet they run on, and refuse 2.0 and above.
__version__ = "1.9.1"

# The project's own version, and that of the distribution `regluon`.
regluon_version = "0.1.0"


def find_lib_path(prefix: str = "libmxnet") -> NoReturn:
    """MXNet's compiled library, for programs that link to it: there is none here."""
    raise RuntimeError(
        f"[find_lib_path] Cannot find the MXNet library: there is no {prefix}.so in this package, arrays live on "
        "PyTorch. A program that was compiled against MXNet cannot run on it; use its form for PyTorch, and "
        "`NDArray.as_torch()` to hand arrays over."
    )


def find_include_path() -> NoReturn:
    """MXNet's C headers: there are none here."""
    raise RuntimeError(
        "[find_include_path] Cannot find the MXNet include path: there are no C headers in this package, arrays live "
        "on PyTorch. Compile against PyTorch, with torch.utils.cpp_extension, and hand arrays over with "
        "`NDArray.as_torch()`."
    )
