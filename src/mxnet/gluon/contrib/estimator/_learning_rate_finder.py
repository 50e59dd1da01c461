"""Finds a learning rate: raises it step by step until the loss explodes, and looks where it fell fastest."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from os import PathLike, fspath
from typing import Any

import numpy as np

from ....autograd import pause
from .._training_state import random_state, sampler_states, set_random_state, set_sampler_states
from ._event_base import mean, step_size

__all__ = ["LearningRateCurve", "LearningRateFinder"]

_MEMORY = 0.9  # of the smoothed loss


@dataclass(frozen=True)
class LearningRateCurve:
    """Losses at rising learning rates; a notebook shows them as a picture.

    Attributes:
        rates: the learning rates.
        losses: the mean loss of one batch at each.
        suggestion: the rate at which the smoothed loss fell fastest.
    """

    __module__ = "mxnet.gluon.contrib.estimator"

    rates: list[float]
    losses: list[float]
    suggestion: float

    def __repr__(self) -> str:
        tried = (
            f"{len(self.rates)} rates from {self.rates[0]:.2g} to {self.rates[-1]:.2g}" if self.rates else "no rates"
        )
        return f"LearningRateCurve({tried}, suggestion={self.suggestion:.2g})"

    def _repr_png_(self) -> bytes | None:
        """The picture, which notebooks show; they show the text if there is no matplotlib."""
        picture = BytesIO()
        try:
            self.plot().savefig(picture, dpi=100)
        except ImportError:
            return None
        return picture.getvalue()

    @property
    def smoothed(self) -> list[float]:
        """The losses as an exponential moving average."""
        return _smoothed(self.losses)

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """Draws the curve, through the package matplotlib.

        Args:
            path: the picture's file, if there is to be one; its ending tells the format.

        Returns:
            The matplotlib Figure.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("[LearningRateCurve.plot] needs matplotlib: `pip install matplotlib`.") from None
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(self.rates, self.losses, color="tab:blue", alpha=0.3, label="loss of a batch")
        axes.plot(self.rates, self.smoothed, color="tab:blue", label="smoothed")
        axes.axvline(self.suggestion, color="tab:orange", linestyle="--", label=f"suggestion {self.suggestion:.2g}")
        axes.set_xscale("log")
        axes.set_xlabel("learning rate")
        axes.set_ylabel("loss")
        smoothed = self.smoothed
        low, high = min(self.losses), max(self.losses[: int(np.argmin(smoothed)) + 1])
        room = 0.1 * max(high - low, 1e-12)
        axes.set_ylim(low - room, high + room)  # the explosion at the end would hide the rest
        axes.legend()
        if path is not None:
            figure.savefig(fspath(path), dpi=150)
        return figure


class LearningRateFinder:
    """Tries learning rates on a network, and leaves everything as it was.

    Args:
        estimator: whose network, loss and trainer are meant.
        divergence: stops when the smoothed loss is so many times its least value.

    Example:
        >>> found = LearningRateFinder(est).find(train_data)
        >>> found.plot("rates.png")
        >>> trainer.set_learning_rate(found.suggestion)
    """

    __module__ = "mxnet.gluon.contrib.estimator"

    def __init__(self, estimator: Any, divergence: float = 4.0) -> None:
        self._estimator, self._divergence = estimator, divergence

    def find(
        self, train_data: Any, start: float = 1e-7, end: float = 1, steps: int = 100, batch_axis: int = 0
    ) -> LearningRateCurve:
        """Trains for some batches, with learning rates that rise exponentially.

        Args:
            train_data: a DataLoader; it begins again where it has too few batches.
            start: the first rate.
            end: the last rate.
            steps: how many.
            batch_axis: the axis of the samples.
        """
        if not (0 < start < end and steps > 1):
            raise ValueError(
                f"[LearningRateFinder] received start={start}, end={end}, steps={steps}; expected rising rates above 0 "
                "and two steps or more."
            )
        batches = _endless(train_data)
        kept = _Kept(self._estimator, train_data)
        try:
            first = next(batches)
            self._estimator.batch_processor.evaluate_batch(self._estimator, first, batch_axis)  # shapes are known then
            kept.keep_arrays()
            rates, losses = self._run(chain([first], batches), np.geomspace(start, end, steps).tolist(), batch_axis)
        finally:
            kept.restore()
        return LearningRateCurve(rates, losses, _suggestion(rates, losses))

    def _run(self, batches: Iterator[Any], wanted: list[float], batch_axis: int) -> tuple[list[float], list[float]]:
        estimator, trainer = self._estimator, self._estimator.trainer
        trainer.optimizer.lr_scheduler = None
        rates: list[float] = []
        losses: list[float] = []
        for rate, batch in zip(wanted, batches, strict=False):
            trainer.set_learning_rate(rate)
            loss = estimator.batch_processor.fit_batch(estimator, batch, batch_axis)[3]
            value = float(np.mean(np.concatenate([each.asnumpy().ravel() for each in loss])))
            trainer.step(step_size(trainer, sum(each.shape[0] for each in loss)))
            value = mean(value, "LearningRateFinder")
            if not math.isfinite(value):
                break
            rates.append(rate)
            losses.append(value)
            smoothed = _smoothed(losses)
            if smoothed[-1] > self._divergence * min(smoothed):
                break
        if len(rates) < 2:
            raise ValueError(
                f"[LearningRateFinder] the loss is infinite or NaN after {len(rates)} steps; expected a start below "
                f"{wanted[0]}, or data and a loss that are finite."
            )
        return rates, losses


class _Kept:
    """What a trial changes, as it was before."""

    def __init__(self, estimator: Any, train_data: Any) -> None:
        self._trainer, self._net, self._data = estimator.trainer, estimator.net, train_data
        train_data.clean()
        self._random, self._samplers = random_state(), sampler_states(train_data)
        self._arrays: list[tuple[Any, list[Any]]] = []
        self._states = b""
        self._scale: dict[str, Any] | None = None

    def keep_arrays(self) -> None:
        with pause():
            self._arrays = [
                (parameter, [each.copy() for each in parameter.list_data()])
                for parameter in self._net.collect_params().values()
            ]
        self._states = self._trainer._get_states()
        scaler = self._trainer._amp_loss_scaler
        self._scale = None if scaler is None else dict(vars(scaler))

    def restore(self) -> None:
        if self._states:
            self._trainer._set_states(self._states)
        with pause():
            for parameter, arrays in self._arrays:
                for now, before in zip(parameter.list_data(), arrays, strict=True):
                    now[:] = before
                self._trainer._weights_changed(parameter)
        if self._scale is not None:
            vars(self._trainer._amp_loss_scaler).update(self._scale)
        self._data.clean()
        set_sampler_states(self._data, self._samplers)
        set_random_state(self._random)


def _endless(loader: Any) -> Iterator[Any]:
    while True:
        yield from loader


def _smoothed(losses: list[float]) -> list[float]:
    average, found = 0.0, []
    for count, loss in enumerate(losses, 1):
        average = _MEMORY * average + (1 - _MEMORY) * loss
        found.append(average / (1 - _MEMORY**count))  # or the first ones would be too small
    return found


def _suggestion(rates: list[float], losses: list[float]) -> float:
    """The rate of the steepest fall before the lowest loss, between means to both sides, which follow without delay."""
    width = max(len(losses) // 10, 1)
    means = np.array([np.mean(losses[max(place - width, 0) : place + width + 1]) for place in range(len(losses))])
    first = width if len(losses) > 10 else 0  # at the begin there are few values to take the mean of
    last = max(int(np.argmin(means[first:])) + first, first + 1)
    slopes = np.gradient(means, np.log(rates))[first : last + 1]
    return rates[first + int(np.argmin(slopes))]
