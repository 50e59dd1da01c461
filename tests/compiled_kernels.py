"""Native kernels for tests. `make native` builds them; tests never start a compiler."""

import functools
import os

import pytest

from regluon.native import building, levels, loading

# The value of MXNET_NATIVE when the tests were started; tests/conftest.py has switched the kernels off since.
REQUEST = os.environ.get("REGLUON_TEST_KERNELS", "")
HOME = os.environ.get("MXNET_HOME", "")


@functools.cache
def compiled_library() -> loading.Library:
    """Return the native kernels that MXNET_NATIVE requests.

    If MXNET_NATIVE is unset and no kernels are built, the test is skipped. If it is set and they cannot be loaded, the
    test fails. REGLUON_SANITIZE=1 selects the kernels that tools/sanitize.py builds.
    """
    if REQUEST == "0":
        pytest.skip("MXNET_NATIVE=0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MXNET_HOME", HOME)
        if os.environ.get("REGLUON_SANITIZE") == "1":
            place = building.folder(levels.NATIVE, is_sanitized=True)
            assert place is not None
            paths = building.kernels_in(place), building.runner_in(place)
            return loading._loaded(loading._Found(*paths, levels.NATIVE, None))
        found = loading.load(REQUEST or "1")
    if found.operators is not None:
        return found
    if REQUEST:
        pytest.fail(f"MXNET_NATIVE={REQUEST}: {found.note}")
    pytest.skip("the native kernels are not built: make native")
