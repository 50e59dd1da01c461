"""Kernels in C++ for the tests that ask for them."""

from typing import Any

import pytest

from regluon.native import kernels, loading
from tests.compiled_kernels import compiled_library


@pytest.fixture(scope="session")
def library() -> loading.Library:
    """The compiled kernels."""
    return compiled_library()


@pytest.fixture
def native(library: loading.Library, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The operators in C++, in use for one test."""
    monkeypatch.setattr(loading, "the_library", library)
    return kernels()
