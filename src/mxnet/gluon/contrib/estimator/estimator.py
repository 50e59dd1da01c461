"""The Estimator: a training loop that handlers observe and steer."""

import copy
import logging
import sys
import warnings
from typing import Any

from ....metric import EvalMetric
from ....metric import Loss as LossMetric
from ...loss import Loss
from ...trainer import Trainer
from . import _setup
from ._basic_handlers import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler
from ._event_base import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    _check_event_handlers,
    is_any,
    is_first,
    waits_for_others,
)
from ._reports import LoggingHandler
from ._resume import Progress
from ._setup import check_batch_processor, check_context, check_loader, has, ordered, with_accumulation
from .batch_processor import BatchProcessor
from .utils import _check_metrics, _suggest_metric_for_loss

__all__ = ["Estimator"]

_EVENTS = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)


class Estimator:
    """Trains and evaluates a network.

    Args:
        net: the network.
        loss: its loss, a gluon Loss.
        train_metrics: a metric or a list of them; by default the loss, and the accuracy where the loss is
            SoftmaxCrossEntropyLoss. Their names get the prefix 'training'.
        val_metrics: those of evaluations; copies of the others by default. Their names get the prefix 'validation'.
        initializer: gives first values to parameters that have none.
        trainer: a Trainer; by default SGD with a learning rate of 0.001.
        context: where to compute: a Context or a list of them; the first GPU by default, else the CPU.
        val_net: the network of evaluations; `net` by default. It usually shares its parameters.
        val_loss: the loss of evaluations; `loss` by default.
        batch_processor: computes batches; a BatchProcessor by default.
        amp: 'float16' or 'bfloat16' to compute in mixed precision, through `mx.contrib.amp`.

    Attributes:
        logger: what the estimator and its handlers write to: a logging.Logger that prints to stdout. In a training by
            several processes only rank 0 writes more than warnings.

    Example:
        >>> est = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
        >>> est.fit(train_data, val_data=val_data, epochs=10)
    """

    logger: Any = None

    def __init__(
        self,
        net: Any,
        loss: Any,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Any = None,
        context: Any = None,
        val_net: Any = None,
        val_loss: Any = None,
        batch_processor: Any = None,
        amp: str | None = None,
    ) -> None:
        self.net = net
        self.loss = self._check_loss(loss)
        self._train_metrics = _check_metrics(train_metrics)
        self._val_metrics = _check_metrics(val_metrics)
        self._add_default_training_metrics()
        self._add_validation_metrics()
        self.val_loss = self.loss if val_loss is None else self._check_loss(val_loss)
        self.val_net = self.net if val_net is None else val_net
        self.logger = logging.Logger(name="Estimator", level=logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.logger.addFilter(lambda record: record.levelno >= logging.WARNING or is_first())
        self.context = check_context(context)
        self._initialize(initializer)
        self.trainer = self._check_trainer(trainer)
        self.batch_processor = check_batch_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0
        self._num_batches = 0  # of an epoch
        self._amp = None if amp is None else _setup.prepare(amp, net, self.trainer)

    def __repr__(self) -> str:
        parts = {
            "net": type(self.net).__name__,
            "loss": type(self.loss).__name__,
            "train_metrics": [metric.name for metric in self.train_metrics],
            "val_metrics": [metric.name for metric in self.val_metrics],
            "context": self.context,
            "trainer": self.trainer,
        }
        return f"Estimator({', '.join(f'{name}={value}' for name, value in parts.items())})"

    def _check_loss(self, loss: Any) -> Any:
        if not isinstance(loss, Loss):
            raise ValueError(f"[Estimator] loss: received {type(loss).__name__}; expected a gluon.loss.Loss.")
        return loss

    def _initialize(self, initializer: Any) -> None:
        if not self._is_initialized():
            given = {"init": initializer} if initializer else {}
            self.net.initialize(ctx=self.context, **given)
        elif initializer:
            warnings.warn(
                "Network already fully initialized, skipping initialization. You don't need to pass initializer if you "
                "already initialized your net. You can use net.initialize(init=your_initializer, force_reinit=True) to "
                "force re-initialize.",
                stacklevel=3,
            )

    def _check_trainer(self, trainer: Any) -> Any:
        if not trainer:
            warnings.warn("No trainer specified, default SGD optimizer with learning rate 0.001 is used.", stacklevel=3)
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise ValueError(f"[Estimator] trainer: received {type(trainer).__name__}; expected a gluon.Trainer.")
        return trainer

    def _is_initialized(self) -> bool:
        try:
            for parameter in self.net.collect_params().values():
                parameter.list_ctx()
        except RuntimeError:
            return False
        return True

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any]]:
        return BatchProcessor()._get_data_and_label(batch, ctx, batch_axis)

    def _scaled(self, losses: list[Any]) -> list[Any]:
        """The losses to call `backward` on."""
        if self._amp is None:
            return losses
        with self._amp.scale_loss(losses, self.trainer) as scaled:
            return list(scaled)

    def _add_default_training_metrics(self) -> None:
        if not self._train_metrics:
            suggested = _suggest_metric_for_loss(self.loss)
            name = self.loss.name.rstrip("1234567890")
            self._train_metrics = [*([suggested] if suggested else []), LossMetric(name)]
        for metric in self._train_metrics:  # names tell training from validation
            metric.name = f"training {metric.name}"

    def _add_validation_metrics(self) -> None:
        if not self._val_metrics:
            self._val_metrics = [copy.deepcopy(metric) for metric in self._train_metrics]
        for metric in self._val_metrics:
            if "training" in metric.name:
                metric.name = metric.name.replace("training", "validation")
            else:
                metric.name = f"validation {metric.name}"

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The metrics of the training data."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The metrics of evaluations."""
        return self._val_metrics

    def prepare_loss_and_metrics(self) -> tuple[list[EvalMetric], list[EvalMetric]]:
        """The metrics of training and of evaluations, as early versions of MXNet told them."""
        return self.train_metrics, self.val_metrics

    def evaluate(self, val_data: Any, batch_axis: int = 0, event_handlers: Any = None) -> None:
        """Evaluates the network; `val_metrics` have the result.

        Args:
            val_data: a DataLoader of data and labels.
            batch_axis: the axis of the samples, along which they are split over contexts.
            event_handlers: handlers of the evaluation; a MetricHandler and a LoggingHandler are added if missing.
        """
        check_loader("evaluate", val_data)
        for metric in self.val_metrics:
            metric.reset()
        handlers = self._prepare_default_validation_handlers(event_handlers)
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in val_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: Any,
        val_data: Any = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
        accumulate: int | None = None,
        checkpoint: Any = None,
        every: int | None = None,
    ) -> None:
        """Trains the network for some epochs or some batches.

        Args:
            train_data: a DataLoader of data and labels.
            val_data: a DataLoader to evaluate after each epoch.
            epochs: how many epochs.
            event_handlers: handlers; those of stopping, gradients, metrics, evaluation and logs are added if missing.
            batches: how many batches, instead of `epochs`.
            batch_axis: the axis of the samples, along which they are split over contexts.
            accumulate: how many batches make a step, whose gradients are added up; one by default.
            checkpoint: a `gluon.contrib.Checkpoint`, or the folder for one. The training is saved there after each
                epoch and goes on from there: with the same bits as if it had not been interrupted.
            every: saves the checkpoint after every so many batches too.
        """
        check_loader("fit", train_data)
        if (not epochs) == (not batches):
            raise ValueError(
                f"[Estimator.fit] received epochs={epochs} and batches={batches}; expected exactly one of them."
            )
        self.max_epoch = epochs
        self.max_batch = batches
        self.batch_axis = batch_axis
        self._num_batches = len(train_data)
        given = with_accumulation(_check_event_handlers(event_handlers), accumulate)
        handlers = self._prepare_default_handlers(val_data, given)
        progress = Progress(self, handlers, checkpoint, every)
        try:
            self._train(train_data, handlers, progress)
        finally:
            for handler in handlers:
                handler.release()

    def _train(self, train_data: Any, handlers: list[EventHandler], progress: Progress) -> None:
        begins, epoch_begin, batch_begin, batch_end, epoch_end, ends = self._categorize_handlers(handlers)
        for handler in begins:
            handler.train_begin(self)
        is_running = progress.restore()
        while is_running:
            for handler in epoch_begin:
                handler.epoch_begin(self)
            for batch in progress.batches(train_data):
                for handler in batch_begin:
                    handler.batch_begin(self, batch=batch)
                _, label, pred, loss = self.batch_processor.fit_batch(self, batch, self.batch_axis)
                results = [
                    handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss) for handler in batch_end
                ]
                if any(results):
                    break
                progress.batch_ended()
            results = [handler.epoch_end(self) for handler in epoch_end]
            stops = any(results)
            is_running = not (is_any(stops, "Estimator.fit") if waits_for_others(self.trainer) else stops)
            progress.epoch_ended()
        for handler in ends:
            handler.train_end(self)

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[EventHandler]:
        given = _check_event_handlers(event_handlers)
        added: list[EventHandler] = [StoppingHandler(self.max_epoch, self.max_batch)]
        if not has(given, GradientUpdateHandler):
            added.append(GradientUpdateHandler())
        if not has(given, MetricHandler):
            added.append(MetricHandler(metrics=self.train_metrics))
        if val_data and not has(given, ValidationHandler):
            added.append(ValidationHandler(val_data=val_data, eval_fn=self.evaluate))
        if not has(given, LoggingHandler):
            added.append(LoggingHandler(metrics=self.train_metrics))
        return ordered(given, added, [*self.train_metrics, *self.val_metrics])

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[EventHandler]:
        given = _check_event_handlers(event_handlers)
        added: list[EventHandler] = []
        if not has(given, MetricHandler):
            added.append(MetricHandler(metrics=self.val_metrics))
        if not has(given, LoggingHandler):
            added.append(LoggingHandler(metrics=self.val_metrics))
        return ordered(given, added, self.val_metrics)

    def _categorize_handlers(self, event_handlers: list[EventHandler]) -> tuple[list[Any], ...]:
        """The handlers of each event, in the order in which events happen."""
        return tuple([handler for handler in event_handlers if isinstance(handler, event)] for event in _EVENTS)
