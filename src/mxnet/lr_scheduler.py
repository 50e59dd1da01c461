"""Learning rates that follow the number of updates: `mx.lr_scheduler`.

A scheduler is called with the number of updates made so far and returns the learning rate. All of them can begin with
a warm-up, in which the rate rises to `base_lr`.
"""

import logging
from itertools import pairwise
from math import cos, pi

from regluon.call_repr import call_text, changed_settings

__all__ = [
    "CosineScheduler",
    "FactorScheduler",
    "LRScheduler",
    "MultiFactorScheduler",
    "OneCycleScheduler",
    "PolyScheduler",
    "pi",
]

WARMUP_MODES = ("linear", "constant")


class LRScheduler:
    """What all schedulers have: a first learning rate and a warm-up.

    Args:
        base_lr: the learning rate to begin with, after the warm-up.
        warmup_steps: how many updates the warm-up takes.
        warmup_begin_lr: the learning rate at the begin of the warm-up.
        warmup_mode: "linear" to rise evenly, "constant" to stay at `warmup_begin_lr`.
    """

    def __init__(
        self, base_lr: float = 0.01, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = "linear"
    ) -> None:
        who = type(self).__name__
        assert isinstance(warmup_steps, int), (
            f"[{who}] warmup_steps: received {type(warmup_steps).__name__}; expected an int."
        )
        if warmup_begin_lr > base_lr:
            raise ValueError(
                f"[{who}] received warmup_begin_lr={warmup_begin_lr} and base_lr={base_lr}; expected a warm-up that "
                "does not begin above base_lr."
            )
        if warmup_steps < 0:
            raise ValueError(f"[{who}] warmup_steps: received {warmup_steps}; expected 0 or more.")
        if warmup_mode not in WARMUP_MODES:
            raise ValueError(f"[{who}] warmup_mode: received {warmup_mode!r}; expected one of {WARMUP_MODES}.")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_final_lr = base_lr
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_mode = warmup_mode

    def __repr__(self) -> str:
        stored = {"pwr": "power", **({"base_lr": "base_lr_orig"} if "base_lr_orig" in vars(self) else {})}
        return call_text(type(self).__name__, **changed_settings(self, stored))

    def get_warmup_lr(self, num_update: int) -> float:
        """The learning rate during the warm-up."""
        assert num_update < self.warmup_steps, (
            f"[{type(self).__name__}] num_update={num_update}, but the warm-up ends after {self.warmup_steps} updates."
        )
        if self.warmup_mode == "linear":
            rise = (self.warmup_final_lr - self.warmup_begin_lr) * float(num_update) / float(self.warmup_steps)
            return self.warmup_begin_lr + rise
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        raise ValueError(
            f"[{type(self).__name__}] warmup_mode: received {self.warmup_mode!r}; expected one of {WARMUP_MODES}."
        )

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates of the weight that was updated most often."""
        raise NotImplementedError(f"[{type(self).__name__}] a scheduler must define __call__(self, num_update).")


def _check_factor(who: str, factor: float) -> None:
    if factor > 1.0:
        raise ValueError(f"[{who}] factor: received {factor}; expected at most 1, so that the learning rate falls.")


def _check_max_update(who: str, max_update: int) -> None:
    assert isinstance(max_update, int), f"[{who}] max_update: received {type(max_update).__name__}; expected an int."
    if max_update < 1:
        raise ValueError(f"[{who}] max_update: received {max_update}; expected at least 1.")


class FactorScheduler(LRScheduler):
    """Multiplies the learning rate by a factor every `step` updates.

    Args:
        step: how many updates lie between changes.
        factor: what to multiply by, at most 1.
        stop_factor_lr: the learning rate falls no lower.
        base_lr: the learning rate to begin with.
        warmup_steps: see LRScheduler.
        warmup_begin_lr: see LRScheduler.
        warmup_mode: see LRScheduler.
    """

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if step < 1:
            raise ValueError(f"[FactorScheduler] step: received {step}; expected at least 1.")
        _check_factor("FactorScheduler", factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        # Several steps at once when training goes on from a checkpoint.
        while num_update > self.count + self.step:
            before = self.base_lr
            self.count += self.step
            self.base_lr: float = max(self.base_lr * self.factor, self.stop_factor_lr)
            if self.base_lr == before:  # it stays as it is, however many steps are left
                self.count += (num_update - self.count - 1) // self.step * self.step
            else:
                logging.info("Update[%d]: the learning rate is now %0.5e", num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Multiplies the learning rate by a factor after each of the given numbers of updates.

    Args:
        step: the numbers of updates, rising.
        factor: what to multiply by, at most 1.
        base_lr: the learning rate to begin with.
        warmup_steps: see LRScheduler.
        warmup_begin_lr: see LRScheduler.
        warmup_mode: see LRScheduler.
    """

    def __init__(
        self,
        step: list[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        assert isinstance(step, list), f"[MultiFactorScheduler] step: received {step!r}; expected a list of integers."
        assert step, "[MultiFactorScheduler] step: received an empty list; expected at least one number of updates."
        if any(later <= earlier for earlier, later in pairwise(step)):
            raise ValueError(f"[MultiFactorScheduler] step: received {step}; expected rising numbers.")
        if step[0] < 1:
            raise ValueError(f"[MultiFactorScheduler] step: received {step}; expected numbers of at least 1.")
        _check_factor("MultiFactorScheduler", factor)
        self.step = step
        self.cur_step_ind = 0
        self.factor = factor
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            logging.info("Update[%d]: the learning rate is now %0.5e", num_update, self.base_lr)
        return self.base_lr


class PolyScheduler(LRScheduler):
    """Lets the learning rate fall by a power of the updates that are left.

    Args:
        max_update: the number of updates after which it stays.
        base_lr: the learning rate to begin with.
        pwr: the power.
        final_lr: the learning rate at the end.
        warmup_steps: see LRScheduler.
        warmup_begin_lr: see LRScheduler.
        warmup_mode: see LRScheduler.
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _check_max_update("PolyScheduler", max_update)
        self.power = pwr
        self.base_lr_orig = self.base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps: int = self.max_update - self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            left = 1 - float(num_update - self.warmup_steps) / float(self.max_steps)
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * pow(left, self.power)
        return self.base_lr


class CosineScheduler(LRScheduler):
    """Lets the learning rate fall along half a wave of the cosine.

    Args:
        max_update: the number of updates after which it stays.
        base_lr: the learning rate to begin with.
        final_lr: the learning rate at the end.
        warmup_steps: see LRScheduler.
        warmup_begin_lr: see LRScheduler.
        warmup_mode: see LRScheduler.
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _check_max_update("CosineScheduler", max_update)
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps: int = self.max_update - self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            wave = 1 + cos(pi * (num_update - self.warmup_steps) / self.max_steps)
            self.base_lr: float = self.final_lr + (self.base_lr_orig - self.final_lr) * wave / 2
        return self.base_lr


class OneCycleScheduler(LRScheduler):
    """Lets the learning rate rise from a low one to `base_lr`, and fall to a far lower one, along half waves.

    Args:
        max_update: the number of updates after which it stays.
        base_lr: the highest learning rate.
        pct_start: the part of the updates after the warm-up in which it rises.
        div_factor: it begins at `base_lr / div_factor`.
        final_div_factor: it ends at `base_lr / div_factor / final_div_factor`.
        warmup_steps: see LRScheduler; the warm-up leads to the begin of the cycle.
        warmup_begin_lr: see LRScheduler.
        warmup_mode: see LRScheduler.

    Example:
        >>> schedule = mx.lr_scheduler.OneCycleScheduler(max_update=epochs * len(loader), base_lr=0.4)
        >>> # An optimizer's learning_rate, given or not, takes the place of base_lr, as in MXNet: so give it.
        >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.4, "lr_scheduler": schedule})
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pct_start: float = 0.3,
        div_factor: float = 25,
        final_div_factor: float = 1e4,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _check_max_update("OneCycleScheduler", max_update)
        if not 0 < pct_start < 1:
            raise ValueError(f"[OneCycleScheduler] pct_start: received {pct_start}; expected a part, between 0 and 1.")
        if min(div_factor, final_div_factor) < 1:
            raise ValueError(
                f"[OneCycleScheduler] received div_factor={div_factor} and final_div_factor={final_div_factor}; "
                "expected at least 1."
            )
        if max_update <= warmup_steps:
            raise ValueError(
                f"[OneCycleScheduler] received max_update={max_update} and warmup_steps={warmup_steps}; expected "
                "updates after the warm-up."
            )
        self.max_update = max_update
        self.pct_start = pct_start
        self.div_factor = div_factor
        self.final_div_factor = final_div_factor

    def get_warmup_lr(self, num_update: int) -> float:
        """The learning rate during the warm-up."""
        if self.warmup_mode != "linear" or num_update >= self.warmup_steps:
            return super().get_warmup_lr(num_update)
        rise = self.base_lr / self.div_factor - self.warmup_begin_lr
        return self.warmup_begin_lr + rise * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """The learning rate after so many updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        num_steps = self.max_update - self.warmup_steps
        done = min(num_update - self.warmup_steps, num_steps) / num_steps
        first = self.base_lr / self.div_factor
        if done <= self.pct_start:
            return _half_wave(first, self.base_lr, done / self.pct_start)
        return _half_wave(self.base_lr, first / self.final_div_factor, (done - self.pct_start) / (1 - self.pct_start))


def _half_wave(begin: float, end: float, part: float) -> float:
    return end + (begin - end) * (1 + cos(pi * part)) / 2
