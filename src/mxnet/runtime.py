"""What this installation can do: `mx.runtime.Features()`."""

from typing import NamedTuple

import torch


class Feature(NamedTuple):
    """One optional ability and whether it is there."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def _probe() -> dict[str, bool]:
    cpu = torch.backends.cpu.get_cpu_capability()
    cuda = torch.cuda.is_available()
    return {
        "CUDA": cuda,
        "CUDNN": cuda and torch.backends.cudnn.is_available(),
        "NCCL": cuda and torch.distributed.is_nccl_available() if torch.distributed.is_available() else False,
        "CUDA_RTC": False,
        "TENSORRT": False,
        "CPU_AVX": "AVX" in cpu,
        "CPU_AVX2": cpu in ("AVX2", "AVX512"),
        "OPENMP": torch.backends.openmp.is_available(),
        "BLAS_MKL": torch.backends.mkl.is_available(),
        "LAPACK": torch._C.has_lapack,
        "MKLDNN": torch.backends.mkldnn.is_available(),
        "DIST_KVSTORE": torch.distributed.is_available(),
        "INT64_TENSOR_SIZE": True,
        "SIGNAL_HANDLER": False,
        "DEBUG": False,
    }


class Features(dict[str, Feature]):
    """The abilities by name.

    Example:
        >>> mx.runtime.Features().is_enabled("CUDA")
        False
    """

    def __init__(self) -> None:
        super().__init__((name, Feature(name, bool(enabled))) for name, enabled in _probe().items())

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
