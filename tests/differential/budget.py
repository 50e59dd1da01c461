"""How many programs are drawn: a fixed, small number in the tests, new ones for hours in the profile `fuzz`."""

import hypothesis
from hypothesis import HealthCheck, Phase

_CHECKS = tuple(HealthCheck)
FUZZ = hypothesis.settings(max_examples=20_000, deadline=None, suppress_health_check=_CHECKS, print_blob=True)


def bounded(max_examples: int) -> hypothesis.settings:
    """The settings of a test: so many examples, the same ones in every run, unless fuzzing was asked for."""
    if hypothesis.settings.default is not None and hypothesis.settings.default.max_examples == FUZZ.max_examples:
        return FUZZ
    return hypothesis.settings(
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=_CHECKS,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )
