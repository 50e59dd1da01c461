"""Save checkpoints and stop a training early."""

import re
import warnings
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from regluon.formats.atomic import atomic_write

from ....metric import CompositeEvalMetric, EvalMetric
from ._event_base import BatchEnd, EpochEnd, TrainBegin, TrainEnd, better_by, is_first, monitored, peers, worst_of

__all__ = ["CheckpointHandler", "EarlyStoppingHandler"]


_WHO = "CheckpointHandler"


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Saves parameters (`.params`) and optimizer states (`.states`) every few epochs or batches.

    The files are `<prefix>-epoch<E>batch<B>` and, with `save_best`, `<prefix>-best`; a hybridized network also writes
    `<prefix>-symbol.json` after the first batch. In a training by several processes rank 0 writes. To go on bit by bit
    at any batch, use `Estimator.fit(checkpoint=...)`.

    Args:
        model_dir: the folder of the files; it is made if it is missing.
        model_prefix: what their names begin with.
        monitor: the metric that tells which one is best.
        verbose: 1 to tell of every file.
        save_best: whether to keep the best one.
        mode: 'min', 'max', or 'auto' to tell by the metric's name.
        epoch_period: saves after every so many epochs; None for never.
        batch_period: saves after every so many batches; None for never.
        max_checkpoints: how many stay, besides the best one.
        resume_from_checkpoint: whether to load the newest one first, and train the rest of the epochs or batches.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("best", "current_batch", "current_epoch", "saved_checkpoints")

    def __init__(
        self,
        model_dir: str | PathLike[str],
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        if save_best and not isinstance(monitor, EvalMetric):
            raise ValueError(
                f"[{_WHO}] save_best=True with monitor={monitor!r}; expected one of the metrics in "
                "estimator.train_metrics and estimator.val_metrics as monitor."
            )
        self.model_dir = str(model_dir)
        self.model_prefix = model_prefix
        self.monitor = monitor
        self.verbose = verbose
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.trained_epoch = -1
        self.trained_batch = -1
        self.saved_checkpoints: list[str] = []
        Path(model_dir).mkdir(parents=True, exist_ok=True)
        if save_best:
            self.monitor_op = better_by("ModelCheckpoint", mode, monitor)
            self.best = worst_of(self.monitor_op)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Counts from zero, or loads the newest checkpoint."""
        self.current_epoch = 0
        self.current_batch = 0
        if self.save_best:
            self.best = worst_of(self.monitor_op)
        if self.resume_from_checkpoint:
            wanted, other = ("batch", "epoch") if estimator.max_batch else ("epoch", "batch")
            unit = "batches" if estimator.max_batch else "epochs"
            if not getattr(self, f"{wanted}_period") or getattr(self, f"{other}_period"):
                raise AssertionError(
                    f"[{_WHO}] resume_from_checkpoint with epoch_period={self.epoch_period} and batch_period="
                    f"{self.batch_period} in a fit by {unit}; expected the {wanted}_period only. Set "
                    f"{other}_period=None."
                )
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Saves if it is time."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save_checkpoint(estimator)
        self.current_batch += 1

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Saves if it is time."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save_checkpoint(estimator)
        self.current_epoch += 1

    def _save_checkpoint(self, estimator: Any) -> None:
        epoch, batch = self.current_epoch, self.current_batch
        if self.resume_from_checkpoint:
            # Numbers go on behind the checkpoint's; at the end of an epoch the batch was counted already.
            epoch += self.trained_epoch + 1
            batch += self.trained_batch + (0 if estimator.max_epoch else 1)
        prefix = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        self._save(estimator, prefix)
        self.saved_checkpoints.append(prefix)
        self._remove_old()
        if self.verbose > 0:
            estimator.logger.info(
                "[Epoch %d] CheckpointHandler: trained total %d batches, saving model at %s with prefix: %s",
                *(self.current_epoch, self.current_batch + 1, self.model_dir, prefix),
            )
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator: Any) -> None:
        name, value = monitored(self.monitor, _WHO)
        if np.isnan(value):
            warnings.warn(
                f"[{_WHO}] skipping save best because {name} is not updated. Take one of the metrics in "
                "estimator.train_metrics and estimator.val_metrics as monitor.",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value, self.best):
            prefix = f"{self.model_prefix}-best"
            self._save(estimator, prefix)
            before, self.best = self.best, value
            if self.verbose > 0:
                estimator.logger.info(
                    "[Epoch %d] CheckpointHandler: %s improved from %0.5f to %0.5f, updating best model at %s with "
                    "prefix: %s",
                    *(self.current_epoch, name, before, value, self.model_dir, prefix),
                )
        elif self.verbose > 0:
            estimator.logger.info(
                "[Epoch %d] CheckpointHandler: %s did not improve from %0.5f, skipping updating best model",
                *(self.current_epoch, name, self.best),
            )

    def _save_symbol(self, estimator: Any) -> None:
        path = self._path(f"{self.model_prefix}-symbol.json")
        graph = getattr(estimator.net, "_cached_graph", None)
        if not graph:
            estimator.logger.info(
                "Model architecture(symbol file) is not saved, please use HybridBlock to construct your model, and "
                "call net.hybridize() before passing to Estimator in order to save model architecture as %s.",
                path,
            )
        elif is_first():
            graph[1].save(str(path))

    def _save(self, estimator: Any, prefix: str) -> None:
        states = estimator.trainer._get_states() if peers() is not None else None  # by all: each may have a part
        if not is_first():
            return
        estimator.net.save_parameters(str(self._path(f"{prefix}.params")))
        if states is None:
            estimator.trainer.save_states(str(self._path(f"{prefix}.states")))
        else:
            with atomic_write(self._path(f"{prefix}.states"), _WHO) as stream:
                stream.write(states)

    def _remove_old(self) -> None:
        while len(self.saved_checkpoints) > self.max_checkpoints:
            prefix = self.saved_checkpoints.pop(0)
            if is_first() and prefix not in self.saved_checkpoints:
                for kind in (".params", ".states"):
                    self._path(prefix + kind).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return Path(self.model_dir) / name

    def _resume(self, estimator: Any) -> None:
        found = self._found()
        self.saved_checkpoints = [prefix for _, _, prefix in found]
        if not found:
            amount = f"{estimator.max_batch} batches" if estimator.max_batch else f"{estimator.max_epoch} epochs"
            estimator.logger.info("CheckpointHandler: No checkpoint found, training from scratch for %s", amount)
            return
        self.trained_epoch, self.trained_batch, prefix = found[-1]
        kind, trained = ("batch", self.trained_batch) if estimator.max_batch else ("epoch", self.trained_epoch)
        limit = getattr(estimator, f"max_{kind}")
        if trained >= limit - 1:
            raise ValueError(
                f"[{_WHO}] {prefix} in {self.model_dir} has reached the {limit} {kind}s already: there is nothing left "
                "to train. Ask for more, or set resume_from_checkpoint=False to train from scratch."
            )
        for suffix in (".params", ".states"):
            if not self._path(prefix + suffix).exists():
                raise AssertionError(f"[{_WHO}] cannot resume: {self._path(prefix + suffix)} does not exist.")
        left = limit - trained - 1
        setattr(estimator, f"max_{kind}", left)
        estimator.net.load_parameters(str(self._path(f"{prefix}.params")), ctx=estimator.context)
        estimator.trainer.load_states(str(self._path(f"{prefix}.states")))
        estimator.logger.warning(
            "CheckpointHandler: Checkpoint resumed from epoch %d batch %d, continue to train for %d %s ",
            *(self.trained_epoch, self.trained_batch, left, "batches" if kind == "batch" else "epochs"),
        )

    def _found(self) -> list[tuple[int, int, str]]:
        """Epoch, batch and prefix of the checkpoints in the folder, the newest last."""
        found = []
        for path in Path(self.model_dir).iterdir():
            if path.name.startswith(f"{self.model_prefix}-epoch") and path.suffix == ".params":
                numbers = re.fullmatch(r"-epoch(\d+)batch(\d+)", path.stem.removeprefix(self.model_prefix))
                if numbers is None:
                    raise ValueError(
                        f"[{_WHO}] {path.name}: expected the name of a checkpoint, "
                        "<prefix>-epoch<number>batch<number>.params, with a .states file beside it."
                    )
                found.append((int(numbers[1]), int(numbers[2]), path.stem))
        return sorted(found)


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Stops when a metric has not become better for some epochs.

    In a training by several processes the mean of their values counts, so that all of them stop together.

    Args:
        monitor: the metric, one of `estimator.train_metrics` or `estimator.val_metrics`.
        min_delta: a smaller change does not count as better.
        patience: how many epochs to wait.
        mode: 'min', 'max', or 'auto' to tell by the metric's name.
        baseline: a value that must be reached first.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("best", "current_epoch", "stop_training", "stopped_epoch", "wait")

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        if not isinstance(monitor, EvalMetric):
            raise ValueError(
                f"[EarlyStoppingHandler] monitor: received {type(monitor).__name__}; expected one of the metrics in "
                "estimator.train_metrics and estimator.val_metrics."
            )
        if isinstance(monitor, CompositeEvalMetric):
            raise ValueError(
                "[EarlyStoppingHandler] monitor: received a CompositeEvalMetric; expected a single metric. Take one of "
                "its metrics."
            )
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.monitor_op = better_by("EarlyStopping", mode, monitor)
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self.train_begin(None)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Forgets what was best."""
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.best = worst_of(self.monitor_op) if self.baseline is None else self.baseline

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Compares the metric with the best one."""
        name, value = monitored(self.monitor, "EarlyStoppingHandler")
        if np.isnan(value):
            warnings.warn(
                f"[EarlyStoppingHandler] {name} is not updated. Take one of the metrics in estimator.train_metrics and "
                "estimator.val_metrics as monitor.",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value - self.min_delta, self.best):
            self.best = value
            self.wait = 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = self.current_epoch
                self.stop_training = True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells why it stopped."""
        if self.stopped_epoch > 0:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHanlder: early stopping due to %s not improving",
                *(self.stopped_epoch, self.monitor.get()[0]),
            )
