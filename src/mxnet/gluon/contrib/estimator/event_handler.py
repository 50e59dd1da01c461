"""The handlers under the path that MXNet defines them in."""

from ._basic_handlers import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler
from ._checkpoint_handler import CheckpointHandler, EarlyStoppingHandler
from ._event_base import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
)
from ._reports import LoggingHandler, ProgressBarHandler, TensorBoardHandler

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
