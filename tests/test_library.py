"""What needs MXNet's C library says so, and what to do instead."""

from pathlib import Path

import pytest

import mxnet as mx


def test_libraries_of_operators_are_refused(tmp_path: Path):
    for path, reason in (
        (str(tmp_path / "none.so"), "does NOT exist"),
        ("setup.txt", "does NOT exist"),
        (str(tmp_path), "is NOT a library file; expected .so or .dll"),
    ):
        with pytest.raises(mx.MXNetError, match=rf"\[library.load\] load path .* {reason}"):
            mx.library.load(path)
    library = tmp_path / "ops.so"
    library.write_bytes(b"")
    with pytest.raises(mx.MXNetError, match=r"ops.so is compiled against MXNet's C\+\+ arrays.*CustomOp"):
        mx.library.load(str(library))


def test_paths_of_libraries_are_refused():
    with pytest.raises(RuntimeError, match=r"\[find_lib_path\] Cannot find the MXNet library: .*as_torch"):
        mx.libinfo.find_lib_path()
    with pytest.raises(RuntimeError, match=r"\[find_include_path\] .*cpp_extension"):
        mx.libinfo.find_include_path()


def test_signatures_need_not_be_generated():
    with pytest.raises(mx.MXNetError, match=r"signatures of mxnet.ndarray are in the .pyi files"):
        mx.base._generate_op_module_signature("mxnet", "ndarray", None)
