"""The kernels in C++ that tests run on: `make native` builds them, tests never do."""

import functools
import os

import pytest

from mxnet.base import MXNetError
from mxnet.native import building, levels, loading

# What MXNET_NATIVE asked for when the tests were started; tests/conftest.py has switched the kernels off since.
REQUEST = os.environ.get("REGLUON_TEST_KERNELS", "1")
HOME = os.environ.get("MXNET_HOME", "")


@functools.cache
def compiled_library() -> loading.Library:
    """The compiled kernels; skips the test where there can be none. See tools/sanitize.py for sanitized ones."""
    if REQUEST == "0":
        pytest.skip("MXNET_NATIVE=0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MXNET_HOME", HOME)
        if os.environ.get("REGLUON_SANITIZE") == "1":
            place = building.folder(levels.NATIVE, is_sanitized=True)
            assert place is not None
            paths = building.kernels_in(place), building.runner_in(place)
            return loading._loaded(loading._Found(*paths, levels.NATIVE, None))
        found = loading.load(REQUEST)
        if found.operators is not None:
            return found
        try:
            building.plan()
        except MXNetError as error:
            pytest.skip(str(error))
        pytest.fail(f"{found.note} (`make native` does, too)")
