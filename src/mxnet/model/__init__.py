"""Checkpoints, and the first of MXNet's training interfaces: `mx.model`."""

from regluon.symbol.checkpoint import load_checkpoint as load_checkpoint
from regluon.symbol.checkpoint import load_params as load_params
from regluon.symbol.checkpoint import save_checkpoint as save_checkpoint

from ..callback import LogValidationMetricsCallback as LogValidationMetricsCallback
from ..context import Context as Context
from ..context import cpu as cpu
from ..executor_manager import DataParallelExecutorManager as DataParallelExecutorManager
from ..executor_manager import _check_arguments, _load_data
from ..initializer import Uniform as Uniform
from ..io import DataDesc as DataDesc
from ..optimizer import get_updater as get_updater
from ._feed_forward import FeedForward as FeedForward
from ._training_loop import BatchEndParam as BatchEndParam
from ._training_loop import (
    _create_kvstore,
    _create_sparse_kvstore,
    _initialize_kvstore,
    _multiple_callbacks,
    _train_multi_device,
    _update_params,
    _update_params_on_kvstore,
    _update_params_on_kvstore_nccl,
)

BASE_ESTIMATOR = object
SKLEARN_INSTALLED = False  # FeedForward does not depend on scikit-learn, whether it is there or not
