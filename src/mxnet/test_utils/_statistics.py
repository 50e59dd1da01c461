"""Checking random generators."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

__all__ = ["chi_square_check", "gen_buckets_probs_with_ppf", "mean_check", "var_check", "verify_generator"]

Generator = Callable[[int], Any]


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Intervals that a distribution falls into equally often, and these probabilities.

    Args:
        ppf: the distribution's quantile function.
        nbuckets: how many.
    """
    if nbuckets <= 0:
        raise AssertionError(f"[gen_buckets_probs_with_ppf] nbuckets: received {nbuckets}; expected a positive number.")
    buckets = [(ppf(place / nbuckets), ppf((place + 1) / nbuckets)) for place in range(nbuckets)]
    return buckets, [1.0 / nbuckets] * nbuckets


def _samples(generator: Generator, nsamples: int) -> np.ndarray[Any, Any]:
    drawn = generator(nsamples)
    return drawn.asnumpy() if hasattr(drawn, "asnumpy") else np.array(drawn)


def mean_check(generator: Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the mean of samples is within three standard errors of `mu`."""
    error = 3 * sigma / np.sqrt(nsamples)
    return bool(mu - error < _samples(generator, nsamples).mean() < mu + error)


def var_check(generator: Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the variance of samples is within three standard errors of `sigma` squared."""
    error = 3 * np.sqrt(2 * sigma**4 / (nsamples - 1))
    return bool(sigma**2 - error < _samples(generator, nsamples).var(ddof=1) < sigma**2 + error)


def chi_square_check(
    generator: Generator, buckets: list[Any], probs: Sequence[float], nsamples: int = 1000000
) -> tuple[float, Any, Any]:
    """The chi-square test of a generator.

    Args:
        generator: returns so many samples.
        buckets: intervals that do not overlap, in order; or the possible values of a discrete distribution.
        probs: the probability of each.
        nsamples: how many samples to draw.

    Returns:
        The p-value (small ones speak against the generator), and the observed and the expected frequencies.
    """
    if not isinstance(buckets, list) or len(probs) != len(buckets):
        raise AssertionError(
            f"[chi_square_check] received {len(probs)} probabilities for {len(buckets)} buckets; expected lists of the "
            "same length."
        )
    samples = _samples(generator, nsamples)
    expected = (nsamples * np.array(probs, dtype=np.float32)).astype(np.int32)
    observed = _frequencies(samples, buckets)
    statistic = float((np.square(observed - expected) / expected).sum())
    half_freedom = torch.tensor((len(buckets) - 1) / 2, dtype=torch.float64)
    p = torch.special.gammaincc(half_freedom, torch.tensor(statistic / 2, dtype=torch.float64)).item()
    return p, observed, expected


def _frequencies(samples: np.ndarray[Any, Any], buckets: list[Any]) -> np.ndarray[Any, Any]:
    if not isinstance(buckets[0], (list, tuple)):
        return np.array([(samples == value).sum() for value in buckets])
    bounds = np.array(buckets, dtype=np.float32).reshape(-1)
    if (np.diff(bounds) < 0).any():
        raise AssertionError(f"[chi_square_check] buckets: received {buckets}; expected intervals in order.")
    # Between two bounds of one bucket stand even numbers, so that a half of them counts buckets.
    numbers = np.searchsorted(bounds, samples, side="right") // 2
    return np.array([(numbers == place).sum() for place in range(len(buckets))])


def verify_generator(
    generator: Generator,
    buckets: list[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Refuses a generator that fails the chi-square test too often.

    Args:
        generator: returns so many samples.
        buckets: see chi_square_check.
        probs: the probability of each.
        nsamples: how many samples to draw each time.
        nrepeat: how often to test.
        success_rate: the part of the tests that must succeed.
        alpha: the p-value from which one does.

    Returns:
        The p-values.
    """
    outcomes = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values, observed, expected = ([outcome[part] for outcome in outcomes] for part in range(3))
    if sum(p > alpha for p in values) < nrepeat * success_rate:
        raise AssertionError(
            f"Generator test fails, Chi-square p={values}, obs_freq={observed}, expected_freq={expected}."
            f"\nbuckets={buckets}, probs={probs}"
        )
    return values
