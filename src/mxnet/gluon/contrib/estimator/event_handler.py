"""The handlers under the path that MXNet defines them in."""

from ._basic_handlers import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler
from ._checkpoint_handler import CheckpointHandler
from ._early_stopping import EarlyStoppingHandler
from ._events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    _check_event_handlers,  # noqa: F401  # programs with loops of their own import it here
)
from ._logging_handler import LoggingHandler
from ._progress_bar import ProgressBarHandler
from ._tensorboard import TensorBoardHandler

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
