"""Names that MXNet's modules had without meaning to: they are there, and star imports bring what they brought."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import mxnet
from mxnet.base import MXNetError


def star(module: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(f"from {module} import *", names)
    return names


def test_star_imports_of_test_utils_bring_what_test_files_use():
    names = star("mxnet.test_utils")
    assert names["np"] is np
    assert names["os"] is os
    assert names["mx"] is mxnet
    assert names["rnd"] is np.random
    assert names["npt"] is np.testing
    assert {"sys", "json", "logging", "time", "ss", "OrderedDict", "struct", "environment"} <= names.keys()


@pytest.mark.parametrize("module", ["image", "image.detection", "model", "initializer", "io.io", "executor_manager"])
def test_star_imports_bring_numpy(module: str):
    assert star(f"mxnet.{module}")["np"] is np


def test_star_imports_bring_no_modules_of_our_own_layout():
    assert "np" not in star("mxnet.ndarray")
    assert not {"creation", "dense", "arithmetic"} & star("mxnet.ndarray").keys()
    assert not {"data", "sparse", "statistics"} & star("mxnet.test_utils").keys()
    assert {"contrib", "random", "sparse", "NDArray", "zeros", "dot"} <= star("mxnet.ndarray").keys()
    assert {"nn", "Block", "Trainer", "loss"} <= star("mxnet.gluon").keys()


def test_private_names_are_where_tests_of_mxnet_look_for_them():
    from mxnet.ndarray.ndarray import _DTYPE_MX_TO_NP, _STORAGE_TYPE_STR_TO_ID, py_slice

    assert _STORAGE_TYPE_STR_TO_ID == {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
    assert _DTYPE_MX_TO_NP[0] is np.float32
    assert py_slice is slice
    assert mxnet.ndarray.gen_op.FullyConnected is mxnet.nd.FullyConnected
    assert mxnet.contrib.amp.amp.lists.symbol_fp16.FP16_FUNCS


def test_handles_say_that_there_is_no_c_library():
    from mxnet.base import NDArrayHandle, c_handle_array

    for use in (NDArrayHandle, lambda: NDArrayHandle * 3, lambda: c_handle_array([mxnet.nd.ones(1)])):
        with pytest.raises(MXNetError, match=r"\[NDArrayHandle\] there is no MXNet C library.*as_torch"):
            use()
    assert "does not have" in repr(NDArrayHandle)


def test_what_is_plain_ctypes_works():
    from mxnet.base import c_array, c_array_buf, c_str_array, ctypes2buffer, ctypes2numpy_shared, mx_float, mx_uint
    from mxnet.executor import py_array

    assert list(c_array(mx_uint, [3, 4])) == [3, 4]
    shared = py_array("f", [1.0, 2.0])
    seen = c_array_buf(mx_float, shared)
    seen[0] = 5.0
    assert shared[0] == 5.0
    assert list(c_str_array(["a", "b"])) == [b"a", b"b"]
    text = ctypes.create_string_buffer(b"abcd")
    assert ctypes2buffer(ctypes.cast(text, ctypes.POINTER(ctypes.c_char)), 3) == bytearray(b"abc")
    with pytest.raises(TypeError, match="expected a pointer to char"):
        ctypes2buffer(text, 3)
    numbers = ctypes2numpy_shared(ctypes.cast(seen, ctypes.POINTER(ctypes.c_float)), (2,))
    assert numbers.tolist() == [5.0, 2.0]
    with pytest.raises(RuntimeError, match="expected a pointer to numbers"):
        ctypes2numpy_shared(text, (2,))


def test_packages_that_are_slow_to_import_wait_until_they_are_used():
    program = "import sys, mxnet; assert mxnet.test_utils.ss is None or 'scipy.stats' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)


def test_version_is_the_one_of_the_interface():
    assert mxnet.__version__ == mxnet.libinfo.__version__ == mxnet.base.__version__ == "1.9.1"
    assert mxnet.libinfo.regluon_version
