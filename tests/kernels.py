"""The kernels in C++ that tests run on: compiled once and kept in build/."""

import functools
import os
import shutil
import sysconfig
from pathlib import Path

import pytest

from mxnet.native import building, loading

_HOME = Path(__file__).parents[1] / "build"


@functools.cache
def compiled_library() -> loading._Library:
    """The compiled kernels; skips the test where there can be none. See tools/sanitize.py for sanitized ones."""
    is_sanitized = os.environ.get("REGLUON_SANITIZE") == "1"
    if shutil.which("c++") is None or not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        pytest.skip("there is no C++ compiler, or no headers of Python")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MXNET_HOME", str(_HOME))
        place = building.folder(is_sanitized)
        if place is None:
            pytest.skip("there are no kernels for this version of torch")
        building.build(place, is_sanitized)
    found = loading._Library()
    found.take(place)
    return found
