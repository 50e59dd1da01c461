"""Whether a monitored metric has become better."""

import warnings
from typing import Any

import numpy as np

from ._peers import mean

__all__ = ["better_by", "monitored", "worst_of"]


def better_by(who: str, mode: str, monitor: Any) -> Any:
    """The comparison of a new value with the best one.

    Args:
        who: asks, for warnings.
        mode: 'min', 'max', or 'auto' to tell by the name: greater is better for accuracies and F1.
        monitor: the metric.
    """
    if mode not in ("auto", "min", "max"):
        warnings.warn(
            f"{who} mode {mode} is unknown, fallback to auto mode: greater is better for metrics with acc or f1 in "
            "their names, less for others.",
            RuntimeWarning,
            stacklevel=3,
        )
        mode = "auto"
    if mode != "auto":
        return np.less if mode == "min" else np.greater
    name = str(monitor.get()[0])
    is_greater = any(part in name.lower() for part in ("acc", "f1"))
    chosen, mode, other, its_mode = (
        ("greater", "max", "less", "min") if is_greater else ("less", "min", "greater", "max")
    )
    warnings.warn(
        f"`{chosen}` operator will be used to determine if {name} has improved. Please specify `mode='{its_mode}'` to "
        f"use the `{other}` operator. Specify `mode='{mode}'` to disable this warning.",
        stacklevel=3,
    )
    return np.greater if is_greater else np.less


def worst_of(better: Any) -> float:
    """What every value is better than."""
    return float("inf") if better is np.less else -float("inf")


def monitored(monitor: Any, what: str) -> tuple[str, float]:
    """Name and value of a metric: in a training by several processes the mean of all, so that they decide alike."""
    name, value = monitor.get()
    return name, mean(float(value), what)
