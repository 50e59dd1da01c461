"""The profile of long runs: `pytest tests/differential --hypothesis-profile=fuzz`."""

import hypothesis

from .budget import FUZZ

hypothesis.settings.register_profile("fuzz", FUZZ)
