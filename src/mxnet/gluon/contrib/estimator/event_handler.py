"""The handlers under the path that MXNet defines them in."""

from .basic_handlers import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler
from .checkpoint_handler import CheckpointHandler
from .early_stopping import EarlyStoppingHandler
from .events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    _check_event_handlers,  # noqa: F401  # programs with loops of their own import it here
)
from .logging_handler import LoggingHandler
from .progress_bar import ProgressBarHandler
from .tensorboard import TensorBoardHandler

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "GradientUpdateHandler",
    "LoggingHandler",
    "MetricHandler",
    "ProgressBarHandler",
    "StoppingHandler",
    "TensorBoardHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
]
