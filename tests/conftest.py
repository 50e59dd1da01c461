"""Settings for every test."""

import hypothesis
import torch

# Tests run in several processes, one per core: threads of each would only get in the others' way.
torch.set_num_threads(1)

# No test is timed, so a slow moment of a busy machine is no failure.
hypothesis.settings.register_profile("regluon", deadline=None)
hypothesis.settings.load_profile("regluon")
