"""Devices: `mx.cpu()`, `mx.gpu(i)` and the default device of the current thread."""

from regluon.context import Context as Context
from regluon.context import context_of as context_of
from regluon.context import cpu as cpu
from regluon.context import cpu_pinned as cpu_pinned
from regluon.context import current_context as current_context
from regluon.context import gpu as gpu
from regluon.context import gpu_memory_info as gpu_memory_info
from regluon.context import num_gpus as num_gpus
