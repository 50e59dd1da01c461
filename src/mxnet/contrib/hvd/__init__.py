"""Horovod's interface: `import mxnet.contrib.hvd as hvd` in place of `import horovod.mxnet as hvd`.

Programs are started with `python -m mxnet.launch -n 4 python train.py` in place of `horovodrun -np 4 ...`.
"""

from .calls import Adasum as Adasum
from .calls import Average as Average
from .calls import Max as Max
from .calls import Min as Min
from .calls import Product as Product
from .calls import Sum as Sum
from .calls import allgather as allgather
from .calls import allreduce as allreduce
from .calls import allreduce_ as allreduce_
from .calls import alltoall as alltoall
from .calls import broadcast as broadcast
from .calls import broadcast_ as broadcast_
from .calls import grouped_allgather as grouped_allgather
from .calls import grouped_allreduce as grouped_allreduce
from .calls import grouped_allreduce_ as grouped_allreduce_
from .calls import reducescatter as reducescatter
from .compression import Compression as Compression
from .objects import allgather_object as allgather_object
from .objects import broadcast_object as broadcast_object
from .optimizer import DistributedOptimizer as DistributedOptimizer
from .parameters import broadcast_parameters as broadcast_parameters
from .state import ccl_built as ccl_built
from .state import cross_rank as cross_rank
from .state import cross_size as cross_size
from .state import cuda_built as cuda_built
from .state import ddl_built as ddl_built
from .state import global_process_set as global_process_set
from .state import gloo_built as gloo_built
from .state import gloo_enabled as gloo_enabled
from .state import init as init
from .state import is_homogeneous as is_homogeneous
from .state import is_initialized as is_initialized
from .state import local_rank as local_rank
from .state import local_size as local_size
from .state import mpi_built as mpi_built
from .state import mpi_enabled as mpi_enabled
from .state import mpi_threads_supported as mpi_threads_supported
from .state import nccl_built as nccl_built
from .state import rank as rank
from .state import rocm_built as rocm_built
from .state import shutdown as shutdown
from .state import size as size
from .trainer import DistributedTrainer as DistributedTrainer
