"""Kernels in C++ for the tests that ask for them; they are compiled once and kept in build/."""

import shutil
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from mxnet.native import building, kernels, loading

_HOME = Path(__file__).parents[2] / "build"


@pytest.fixture(scope="session")
def library() -> loading._Library:
    """The compiled kernels."""
    if shutil.which("c++") is None or not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        pytest.skip("there is no C++ compiler, or no headers of Python")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MXNET_HOME", str(_HOME))
        place = building.folder()
        if place is None:
            pytest.skip("there are no kernels for this version of torch")
        building.build(place)
    found = loading._Library()
    found.take(place)
    return found


@pytest.fixture
def native(library: loading._Library, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The operators in C++, in use for one test."""
    monkeypatch.setattr(loading, "the_library", library)
    return kernels()
