"""Names of data types and their twins in NumPy and torch."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.dtypes import NAME_OF_TORCH, TORCH_OF_NAME, dtype_name, numpy_type, torch_dtype
from mxnet.flags import FLAG_OF_NAME


@pytest.mark.parametrize("name", FLAG_OF_NAME)
def test_names_and_torch_dtypes_lead_to_each_other(name):
    assert dtype_name(name) == name
    assert dtype_name(TORCH_OF_NAME[name]) == name
    assert NAME_OF_TORCH[torch_dtype(name)] == name


@pytest.mark.parametrize("name", [name for name in FLAG_OF_NAME if name != "bfloat16"])
def test_numpy_types_dtypes_and_letters_are_understood(name):
    dtype = np.dtype(name)
    assert dtype_name(dtype) == dtype_name(dtype.type) == dtype_name(dtype.char) == name
    assert numpy_type(torch_dtype(name)) is dtype.type


@pytest.mark.parametrize(("given", "name"), [(float, "float64"), (int, "int64"), (bool, "bool"), (">f4", "float32")])
def test_python_types_mean_what_they_mean_to_numpy(given, name):
    assert dtype_name(given) == name


def test_bfloat16_has_no_numpy_twin():
    assert numpy_type(torch.bfloat16) == "bfloat16"
    assert nd.ones(2, dtype="bfloat16").dtype == "bfloat16"


@pytest.mark.parametrize("given", ["float8", "complex64", np.int16, np.uint32, torch.complex64, object(), "", "U3"])
def test_unknown_dtypes_are_refused(given):
    with pytest.raises(MXNetError, match=r"^\[dtype\] received .*; expected one of float32, float64"):
        torch_dtype(given)
    with pytest.raises(TypeError):
        torch_dtype(given)


def test_an_unknown_dtype_is_refused_by_arrays():
    with pytest.raises(TypeError, match=r"\[dtype\] received 'foo'"):
        nd.ones(2).astype("foo")


def test_the_record_that_stands_for_bfloat16_in_mxnet():
    record = np.dtype([("bfloat16", np.uint16)])
    array = mx.nd.ones(2).astype(record)
    assert array.dtype == mx.nd.ones(2, dtype=record).dtype == "bfloat16"
    assert mx.nd.amp_cast(array, dtype="float32").asnumpy().tolist() == [1, 1]
    assert mx.nd.amp_cast(mx.nd.ones(1), dtype=mx.contrib.amp.amp.bfloat16).dtype == "bfloat16"
    with pytest.raises(mx.MXNetError, match=r"\[dtype\] received dtype\(\[\('other'"):
        mx.nd.ones(2).astype(np.dtype([("other", np.uint16)]))
