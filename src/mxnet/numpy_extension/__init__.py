"""`mx.npx`: switching to NumPy's semantics, and what neural networks need beyond NumPy."""

from typing import TYPE_CHECKING, Any

import mxnet.ndarray.numpy_extension.op as _op

from ..context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from ..ndarray.creation import waitall
from ..ndarray.numpy_extension.functions import constraint_check, nonzero, reshape
from ..util import get_cuda_compute_capability, is_np_array, is_np_shape, reset_np, set_np
from . import image, random
from .utils import load, save

if TYPE_CHECKING:
    from ..ndarray.numpy_extension.op import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(_op, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_op)})
