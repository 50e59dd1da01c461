"""Checkpoints, and the first of MXNet's training interfaces: `mx.model`."""

from ..callback import LogValidationMetricsCallback
from ..checkpoint import load_checkpoint, load_params, save_checkpoint
from ..context import Context, cpu
from ..executor_manager import DataParallelExecutorManager, _check_arguments, _load_data
from ..initializer import Uniform
from ..io import DataDesc
from ..optimizer import get_updater
from .feed_forward import FeedForward
from .stores import (
    _create_kvstore,
    _create_sparse_kvstore,
    _initialize_kvstore,
    _update_params,
    _update_params_on_kvstore,
    _update_params_on_kvstore_nccl,
)
from .training import BatchEndParam, _multiple_callbacks, _train_multi_device

BASE_ESTIMATOR = object
SKLEARN_INSTALLED = False  # FeedForward does not depend on scikit-learn, whether it is there or not
