"""`mx.npx`: switching to NumPy's semantics, and what neural networks need beyond NumPy."""

from typing import TYPE_CHECKING, Any

import regluon.array.numpy_extension.op as _op
from regluon.array.creation import waitall as waitall
from regluon.array.numpy_extension.functions import constraint_check as constraint_check
from regluon.array.numpy_extension.functions import nonzero as nonzero
from regluon.array.numpy_extension.functions import reshape as reshape

from ..context import Context as Context
from ..context import cpu as cpu
from ..context import cpu_pinned as cpu_pinned
from ..context import current_context as current_context
from ..context import gpu as gpu
from ..context import gpu_memory_info as gpu_memory_info
from ..context import num_gpus as num_gpus
from ..util import get_cuda_compute_capability as get_cuda_compute_capability
from ..util import is_np_array as is_np_array
from ..util import is_np_shape as is_np_shape
from ..util import reset_np as reset_np
from ..util import set_np as set_np
from . import image, random
from .utils import load as load
from .utils import save as save

if TYPE_CHECKING:
    from regluon.array.numpy_extension.op import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        return getattr(_op, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_op)})
