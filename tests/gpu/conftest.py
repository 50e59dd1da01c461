"""GPUs for the tests of this folder: real ones where there are some, else fake ones in a process of their own.

`test_fake.py` starts that process, since the library of fake.py must be loaded before torch; the other files are
collected there, and where there are real GPUs.
"""

import os
from collections.abc import Iterator

import pytest
import torch

import mxnet as mx
from tests.gpu.building import MARK, PROGRAMS
from tests.gpu.devices import Watch

_ARE_FAKE = MARK in os.environ
_NEED_GPUS = [f"test_{name}.py" for name in (*PROGRAMS, "operators")]

collect_ignore = ["test_fake.py"] if _ARE_FAKE else [] if torch.cuda.is_available() else _NEED_GPUS


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: runs on a real GPU; skipped where there is none")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in _NEED_GPUS and not _ARE_FAKE:
            item.add_marker(pytest.mark.gpu)


@pytest.fixture
def gpus() -> Iterator[Watch]:
    """GPUs, and what is noted about them."""
    if _ARE_FAKE:
        from tests.gpu.fake import fake_gpus  # loads torch's compiler

        with fake_gpus() as watch:
            yield watch
    else:
        with Watch() as watch:
            yield watch


@pytest.fixture
def two_gpus(gpus: Watch) -> Watch:
    """The same, for tests that need two."""
    if mx.context.num_gpus() < 2:
        pytest.skip("needs two GPUs")
    return gpus
