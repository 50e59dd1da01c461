"""`mx.base` and `mx.error`: error types, the marker of what was not given, and helpers kept for MXNet programs."""

import ctypes

import numpy as np
import pytest

import mxnet as mx
from mxnet import error
from regluon import base, dtypes


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (error.OpShapeError, ValueError),
        (error.OpTypeError, TypeError),
        (error.OpParamError, ValueError),
        (error.OpIndexError, IndexError),
        (error.FileFormatError, ValueError),
        (error.InternalError, RuntimeError),
    ],
)
def test_errors_are_mxnet_errors_and_the_builtin_one_would_catch(kind, builtin):
    assert issubclass(kind, base.MXNetError)
    assert issubclass(kind, builtin)
    assert str(kind("text")) == "text"


def test_there_is_one_mxnet_error():
    assert mx.MXNetError is base.MXNetError
    assert issubclass(base.MXNetError, RuntimeError)


def some_function():
    """Stands for a method."""


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (
            base.NotImplementedForSymbol(some_function, "+", 1, "a"),
            "some_function (written as `+`) with arguments of type int, str is not available for Symbol.",
        ),
        (base.NotImplementedForSymbol(some_function), "some_function is not available for Symbol."),
        (
            base.NotSupportedForSparseNDArray(some_function, None, 1.5),
            "some_function with arguments of type float is not available for sparse NDArray.",
        ),
        (
            base.NotSupportedForSparseNDArray("slice", "[]"),
            "slice (written as `[]`) is not available for sparse NDArray.",
        ),
    ],
)
def test_refusals_name_the_function(made, text):
    assert isinstance(made, base.MXNetError)
    assert str(made) == text


def test_the_marker_of_what_was_not_given():
    assert repr(base._Null) == "_Null"
    assert not base._Null
    assert base._Null is not None


@pytest.mark.parametrize(("given", "text"), [(b"caf\xc3\xa9", "café"), ("café", "café")])
def test_py_str(given, text):
    assert base.py_str(given) == text


def test_c_str():
    made = base.c_str("café")
    assert isinstance(made, ctypes.c_char_p)
    assert made.value == "café".encode()


def test_check_call():
    base.check_call(0)
    with pytest.raises(base.MXNetError, match=r"\[check_call\] a C call returned -1; expected 0"):
        base.check_call(-1)


def test_there_is_no_c_library():
    with pytest.raises(base.MXNetError, match=r"\[_LIB.MXNDArrayCreate\] there is no MXNet C library.*as_torch"):
        base._LIB.MXNDArrayCreate()


def test_type_groups():
    assert isinstance(np.int8(1), base.integer_types)
    assert isinstance(np.float16(1), base.numeric_types)
    assert not isinstance(True, base.string_types)
    assert isinstance("a", base.string_types)
    assert base.mx_real_t is np.float32


def test_dtype_numbers_are_those_of_the_files():
    expected = {0: "float32", 1: "float64", 2: "float16", 3: "uint8", 4: "int32", 5: "int8", 6: "int64", 7: "bool"}
    assert {**expected, 12: "bfloat16"} == dtypes.NAME_OF_FLAG
    assert {name: number for number, name in dtypes.NAME_OF_FLAG.items()} == dtypes.FLAG_OF_NAME


def test_error_texts_have_a_bound():
    for kind in (mx.MXNetError, error.FileFormatError, error.OpShapeError):
        text = str(kind(f"[who] received {'x' * 100_000}; expected less."))
        assert len(text) == 3000
        assert text.startswith("[who] received xxx")
        assert text.endswith("xxx; expected less.")
        assert " ... (100031 characters in all) ... " in text
    assert str(mx.MXNetError("short")) == "short"
    assert mx.MXNetError("a", 3).args == ("a", 3)
    assert base.shortened("a" * 50, 45) != "a" * 50
    assert len(base.shortened("a" * 500, 45)) == 45
    with pytest.raises(mx.MXNetError) as caught:
        mx.nd.Reshape(mx.nd.ones((2,)), shape="(-4," * 3000)
    assert len(str(caught.value)) < 400


def test_versions():
    assert mx.__version__.startswith("1.")
    assert mx.libinfo.regluon_version != mx.__version__


def test_folder_for_fetched_files(monkeypatch):
    monkeypatch.delenv("MXNET_HOME", raising=False)
    monkeypatch.setattr(base.os.path, "expanduser", lambda path: path.replace("~", "/home/me"))
    for system, expected in (("Linux", "/home/me/.mxnet"), ("Darwin", "/home/me/.mxnet"), ("Windows", "/data/mxnet")):
        monkeypatch.setattr(base.platform, "system", lambda system=system: system)
        monkeypatch.setenv("APPDATA", "/data")
        assert base.data_dir() == base.data_dir_default() == expected
    monkeypatch.setenv("MXNET_HOME", "/elsewhere")
    assert base.data_dir() == "/elsewhere"
