"""Settings for every test."""

import os
import re
import signal
import zlib
from collections.abc import Iterator
from typing import Any

# Threads that wait for work yield the core: with OMP_NUM_THREADS=2, two processes have four threads. OpenMP reads the
# variable when torch loads it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import hypothesis
import pytest
import torch

# Tests run in one process per core, so each process computes with one thread unless OMP_NUM_THREADS asks for more.
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or 1))

# The same kernels in every run: which one is quicker on a busy machine is chance. test_tuning.py switches it on.
os.environ["MXNET_AUTOTUNE"] = "0"

# PyTorch's kernels, unless a test requests the native ones (tests/compiled_kernels.py), which MXNET_NATIVE selects. The
# request is passed on under another name because the worker processes of pytest-xdist import this file again.
os.environ.setdefault("REGLUON_TEST_KERNELS", os.environ.get("MXNET_NATIVE", ""))
os.environ["MXNET_NATIVE"] = "0"

# No test is timed, so a slow moment of a busy machine is no failure.
hypothesis.settings.register_profile("regluon", deadline=None)
hypothesis.settings.load_profile("regluon")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that switches sampling off."""
    parser.addoption("--exhaustive", action="store_true", help="run every case of the families marked `sample`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a sample of each family marked `sample`, unless --exhaustive or a test named with :: asks for all cases.

    One in `one_in` cases is kept, and at least one of each group. `group` is a regular expression: cases for which it
    matches the same part of the test's name form a group, such as the recorded calls of one operator; by default a
    family is one group. The choice depends on names alone, so it is the same in every run.
    """
    if config.option.exhaustive or any("::" in argument for argument in config.args):
        return
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        if marker := item.get_closest_marker("sample"):
            match = re.search(marker.kwargs.get("group", "^"), item.name)
            groups.setdefault(f"{item.nodeid.partition('[')[0]} {match and match[0]}", []).append(item)
    left_out: set[pytest.Item] = set()
    for group in groups.values():
        first, *rest = sorted(group, key=lambda item: zlib.crc32(item.nodeid.encode()))
        one_in = first.get_closest_marker("sample").kwargs["one_in"]  # type: ignore[union-attr]
        left_out.update(item for item in rest if zlib.crc32(item.nodeid.encode()) % one_in)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


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
