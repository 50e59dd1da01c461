"""Horovod's interface: `import mxnet.contrib.hvd as hvd` in place of `import horovod.mxnet as hvd`.

Programs are started with `python -m mxnet.launch -n 4 python train.py` in place of `horovodrun -np 4 ...`.
"""

from .calls import (
    Adasum,
    Average,
    Max,
    Min,
    Product,
    Sum,
    allgather,
    allreduce,
    allreduce_,
    alltoall,
    broadcast,
    broadcast_,
    grouped_allgather,
    grouped_allreduce,
    grouped_allreduce_,
    reducescatter,
)
from .compression import Compression
from .objects import allgather_object, broadcast_object
from .optimizer import DistributedOptimizer
from .parameters import broadcast_parameters
from .state import (
    ccl_built,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    global_process_set,
    gloo_built,
    gloo_enabled,
    init,
    is_homogeneous,
    is_initialized,
    local_rank,
    local_size,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    nccl_built,
    rank,
    rocm_built,
    shutdown,
    size,
)
from .trainer import DistributedTrainer
