"""How many programs are drawn: a fixed, small number in the tests, new ones for hours in the profile `fuzz`."""

from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.strategies import SearchStrategy

_CHECKS = tuple(HealthCheck)
_PHASES = (Phase.generate, Phase.shrink)
FUZZ = hypothesis.settings(max_examples=2_000, deadline=None, suppress_health_check=_CHECKS)


def is_fuzzing() -> bool:
    """Whether `--hypothesis-profile=fuzz` was given."""
    return hypothesis.settings.default is not None and hypothesis.settings.default.max_examples == FUZZ.max_examples


def run(strategy: SearchStrategy[Any], test: Callable[[Any], None], seed: int, max_examples: int) -> None:
    """Tests drawn values: the same few ones in every run, unless fuzzing was asked for.

    The first ten that hypothesis draws are new ones; after those, many are variations. So tests with few examples and
    a seed of their own see more than one test with many.
    """
    if is_fuzzing():
        FUZZ(hypothesis.given(strategy)(test))()
        return
    few = hypothesis.settings(FUZZ, max_examples=max_examples, database=None, phases=_PHASES)
    hypothesis.seed(seed)(few(hypothesis.given(strategy)(test)))()
