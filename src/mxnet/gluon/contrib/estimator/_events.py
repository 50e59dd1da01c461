"""What handlers of a training react to: its begin and end, and those of its epochs and batches."""

from typing import Any

__all__ = ["BatchBegin", "BatchEnd", "EpochBegin", "EpochEnd", "EventHandler", "TrainBegin", "TrainEnd"]


class EventHandler:
    """The base of all handlers: a subclass inherits from the events it reacts to.

    Handlers are called in the order of their attribute `priority`, lowest first; it is 0 where there is none.

    Attributes:
        saved_attributes: names of the attributes that a training which goes on after an interruption needs: numbers,
            texts, and lists or dicts of them.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes: tuple[str, ...] = ()

    def get_state(self) -> dict[str, Any]:
        """What is saved of the handler with a run; see `Estimator.fit(checkpoint=...)`."""
        return {name: getattr(self, name) for name in self.saved_attributes if hasattr(self, name)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on where `get_state` was called."""
        for name, value in state.items():
            setattr(self, name, value)

    def release(self) -> None:
        """Gives back what a training needed, such as open files: the last call, after an error as well."""


class TrainBegin(EventHandler):
    """Called before the first epoch."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """The training begins."""


class TrainEnd(EventHandler):
    """Called after the last epoch."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """The training ends."""


class EpochBegin(EventHandler):
    """Called before each pass over the data."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """An epoch begins."""


class EpochEnd(EventHandler):
    """Called after each pass over the data."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """An epoch ends; returns whether the training is to stop."""
        return False


class BatchBegin(EventHandler):
    """Called before each batch, with `batch=`."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """A batch begins."""


class BatchEnd(EventHandler):
    """Called after each batch, with `batch=`, `pred=`, `label=` and `loss=`."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """A batch ends; returns whether the training is to stop."""
        return False


def _check_event_handlers(handlers: Any) -> list[EventHandler]:
    """A new list of the handlers that a program gave: one, several or none."""
    if isinstance(handlers, EventHandler):
        return [handlers]
    found = list(handlers or ())
    for handler in found:
        if not isinstance(handler, EventHandler):
            raise ValueError(
                f"[Estimator] event_handlers: received {type(handler).__name__}; expected an EventHandler, or a list "
                "of them. Inherit from the events to react to, such as EpochEnd."
            )
    return found
