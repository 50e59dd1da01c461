"""Settings for every test."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import torch

# Tests run in several processes, one per core: threads of each would only get in the others' way.
torch.set_num_threads(1)

# The same kernels in every run: which one is quicker on a busy machine is chance. test_tuning.py switches it on.
os.environ["MXNET_AUTOTUNE"] = "0"

# Torch's kernels, unless a test asks for those in C++ (tests/compiled_kernels.py), which MXNET_NATIVE chooses. It is
# passed on by another name, since worker processes of pytest-xdist run this file once more.
os.environ.setdefault("REGLUON_TEST_KERNELS", os.environ.get("MXNET_NATIVE", "1"))
os.environ["MXNET_NATIVE"] = "0"

# No test is timed, so a slow moment of a busy machine is no failure.
hypothesis.settings.register_profile("regluon", deadline=None)
hypothesis.settings.load_profile("regluon")

_OUR_VARIABLES = ("MXNET_", "REGLUON_", "DMLC_", "HOME", "RANK", "WORLD_SIZE", "MASTER_")


def _process() -> tuple[dict[str, str], dict[int, Any]]:
    """What all tests of a process share: the variables that this library reads, and what is done on signals."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(_OUR_VARIABLES)}
    return variables, {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}


@pytest.fixture(autouse=True)
def _leaves_the_process_as_it_was() -> Iterator[None]:
    """A test that changes what the next one finds fails itself: the next one may be any, on any worker."""
    before = _process()
    yield
    assert _process() == before
