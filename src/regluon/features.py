"""What this installation can do: `mx.runtime.Features()`."""

import collections
import importlib.util
import platform
from typing import NamedTuple

import torch

from .native import library
from .torch_private import has_lapack


class Feature(NamedTuple):
    """One optional ability and whether it is there."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


Feature.__module__ = "mxnet.runtime"


class KernelFeature(Feature):
    """Whether the kernels in C++ are used, and which: settled when the package is imported."""

    __module__ = "mxnet.runtime"

    def __repr__(self) -> str:
        return f"{super().__repr__()} ({library()})"


def _probe() -> dict[str, bool]:
    """MXNet's names, in its order; those of libraries that nothing here is built on are there and off."""
    cuda = torch.cuda.is_available()
    distributed = torch.distributed.is_available() and torch.distributed.is_gloo_available()
    return {
        "CUDA": cuda,
        "CUDNN": cuda and torch.backends.cudnn.is_available(),
        "NCCL": cuda and distributed and torch.distributed.is_nccl_available(),
        **dict.fromkeys(("CUDA_RTC", "TENSORRT"), False),
        **_instruction_sets(),
        "OPENMP": torch.backends.openmp.is_available(),
        **dict.fromkeys(("SSE", "F16C", "JEMALLOC", "BLAS_OPEN", "BLAS_ATLAS"), False),
        "BLAS_MKL": torch.backends.mkl.is_available(),
        "BLAS_APPLE": platform.system() == "Darwin",
        "LAPACK": has_lapack,
        "MKLDNN": torch.backends.mkldnn.is_available(),
        "OPENCV": importlib.util.find_spec("cv2") is not None,
        "CAFFE": False,
        "PROFILER": torch.profiler.kineto_available(),
        "DIST_KVSTORE": distributed,
        "CXX14": False,
        "INT64_TENSOR_SIZE": True,
        **dict.fromkeys(("SIGNAL_HANDLER", "DEBUG", "TVM_OP"), False),
    }


def _instruction_sets() -> dict[str, bool]:
    """Which of x86's extensions torch's kernels use; each level has those before it, except AMD's SSE4A."""
    capability = torch.backends.cpu.get_cpu_capability()
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    names = ("CPU_SSE", "CPU_SSE2", "CPU_SSE3", "CPU_SSE4_1", "CPU_SSE4_2", "CPU_SSE4A", "CPU_AVX", "CPU_AVX2")
    enabled = dict.fromkeys(names, "AVX" in capability)
    return enabled | {"CPU_SSE": x86, "CPU_SSE2": x86, "CPU_SSE4A": False}


class Features(collections.OrderedDict[str, Feature]):
    """The abilities by name; there is one such table.

    Example:
        >>> mx.runtime.Features().is_enabled("CUDA")
        False
    """

    __module__ = "mxnet.runtime"

    instance: "Features | None" = None

    def __new__(cls) -> "Features":
        """The one table, made when it is first asked for."""
        if cls.instance is None:
            made = super().__new__(cls)
            super().__init__(made, ((name, Feature(name, bool(enabled))) for name, enabled in _probe().items()))
            made["NATIVE_KERNELS"] = KernelFeature("NATIVE_KERNELS", library().operators is not None)
            cls.instance = made
        return cls.instance

    def __init__(self) -> None:
        """Nothing: the table is filled where it is made."""

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Whether an ability is there; the case of the name does not matter."""
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"[Features] received {feature_name!r}; expected one of {', '.join(self)}.")
        return self[name].enabled


def feature_list() -> list[Feature]:
    """All abilities."""
    return list(Features().values())
