"""Names of data types and their twins in NumPy and torch."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import gluon, nd
from mxnet.base import MXNetError
from regluon.dtypes import FLAG_OF_NAME, NAME_OF_TORCH, TORCH_OF_NAME, dtype_name, numpy_type, torch_dtype


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


class Described:
    """An object with a `dtype`, as images and tables of other packages have it."""

    def __init__(self, dtype):
        self.dtype = dtype


HALVES = {
    "NDArray": lambda: nd.ones((1,), dtype="float16"),
    "NDArray of several elements": lambda: nd.zeros((2, 2), dtype="float16"),
    "empty NDArray": lambda: mx.np.zeros((0,), dtype="float16").as_nd_ndarray(),
    "mx.np array": lambda: mx.np.ones((1,), dtype="float16"),
    "mx.np array without axes": lambda: mx.np.array(3, dtype="float16"),
    "CSRNDArray": lambda: nd.sparse.zeros("csr", (2, 2), dtype="float16"),
    "RowSparseNDArray": lambda: nd.sparse.zeros("row_sparse", (2, 2), dtype="float16"),
    "Parameter": lambda: gluon.Parameter("p", shape=(2,), dtype="float16"),
    "Parameter made with an array": lambda: gluon.Parameter("p", shape=(2,), dtype=nd.ones(1, dtype="float16")),
    "NumPy scalar": lambda: np.float16(2),
    "object with a type": lambda: Described(np.float16),
    "object with a dtype": lambda: Described(np.dtype("float16")),
    "object with a name": lambda: Described("float16"),
    "torch tensor": lambda: torch.ones(2, dtype=torch.float16),
    "torch dtype": lambda: torch.float16,
}


def cast_twice(layer, dtype):
    layer.cast(dtype)
    layer.initialize()
    return layer(nd.ones((1, 2), dtype="float16")).dtype


def initialized(parameter):
    parameter.initialize()
    return parameter.data().dtype


# MXNet 1.9.1 with NumPy 1.23 gives float16 in each of them for each of HALVES but torch's.
PLACES = {
    "nd.zeros": lambda d: nd.zeros((2,), dtype=d).dtype,
    "nd.ones": lambda d: nd.ones((2,), dtype=d).dtype,
    "nd.full": lambda d: nd.full((2,), 3, dtype=d).dtype,
    "nd.empty": lambda d: nd.empty((2,), dtype=d).dtype,
    "nd.array": lambda d: nd.array([1, 2], dtype=d).dtype,
    "nd.arange": lambda d: nd.arange(3, dtype=d).dtype,
    "nd.eye": lambda d: nd.eye(2, dtype=d).dtype,
    "astype": lambda d: nd.ones(2).astype(d).dtype,
    "astype without a copy": lambda d: nd.ones(2).astype(d, copy=False).dtype,
    "nd.cast": lambda d: nd.cast(nd.ones(2), dtype=d).dtype,
    "nd.cast by position": lambda d: nd.cast(nd.ones(2), d).dtype,
    "nd.amp_cast": lambda d: nd.amp_cast(nd.ones(2), dtype=d).dtype,
    "nd.one_hot": lambda d: nd.one_hot(nd.ones(2), 3, dtype=d).dtype,
    "nd.softmax": lambda d: nd.softmax(nd.ones(2), dtype=d).dtype,
    "nd.topk": lambda d: nd.topk(nd.ones(2), dtype=d).dtype,
    "nd.random.uniform": lambda d: nd.random.uniform(shape=(2,), dtype=d).dtype,
    "nd.random.normal of arrays": lambda d: nd.random.normal(nd.ones(2), nd.ones(2), dtype=d).dtype,
    "sparse.csr_matrix": lambda d: nd.sparse.csr_matrix(([1.0], [0], [0, 1]), shape=(1, 2), dtype=d).dtype,
    "sparse.zeros": lambda d: nd.sparse.zeros("row_sparse", (2, 2), dtype=d).dtype,
    "sparse astype": lambda d: nd.sparse.zeros("csr", (2, 2)).astype(d).dtype,
    "np.zeros": lambda d: mx.np.zeros((2,), dtype=d).dtype,
    "np.array": lambda d: mx.np.array([1, 2], dtype=d).dtype,
    "np.arange": lambda d: mx.np.arange(3, dtype=d).dtype,
    "np.eye": lambda d: mx.np.eye(2, dtype=d).dtype,
    "np.linspace": lambda d: mx.np.linspace(0, 1, 3, dtype=d).dtype,
    "np.full": lambda d: mx.np.full((2,), 3, dtype=d).dtype,
    "np.zeros_like": lambda d: mx.np.zeros_like(mx.np.ones(2), dtype=d).dtype,
    "np.ndarray.astype": lambda d: mx.np.ones(2).astype(d).dtype,
    "np.ndarray.sum": lambda d: mx.np.ones(2).sum(dtype=d).dtype,
    "np.ndarray.cumsum": lambda d: mx.np.ones(2).cumsum(dtype=d).dtype,
    "np.random.uniform": lambda d: mx.np.random.uniform(size=(2,), dtype=d).dtype,
    "sym.cast": lambda d: mx.sym.cast(mx.sym.var("x"), dtype=d).attr("dtype"),
    "sym.zeros": lambda d: mx.sym.zeros((2,), dtype=d).attr("dtype"),
    "sym.one_hot": lambda d: mx.sym.one_hot(mx.sym.var("x"), depth=3, dtype=d).attr("dtype"),
    "Symbol.astype": lambda d: mx.sym.var("x").astype(d).attr("dtype"),
    "sym.var": lambda d: {"2": "float16"}[mx.sym.var("x", dtype=d).attr("__dtype__")],
    "infer_type": lambda d: mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2).infer_type(x=d)[0][1],
    "simple_bind": lambda d: (
        mx.sym.relu(mx.sym.var("x")).simple_bind(mx.cpu(), x=(2,), type_dict={"x": d}).outputs[0].dtype
    ),
    "Parameter": lambda d: initialized(gluon.Parameter("w", shape=(2,), dtype=d)),
    "Parameter.var": lambda d: {"2": "float16"}[gluon.Parameter("w", shape=(2,), dtype=d).var().attr("__dtype__")],
    "Dense": lambda d: initialized(gluon.nn.Dense(2, in_units=2, dtype=d).weight),
    "Dense.cast": lambda d: cast_twice(gluon.nn.Dense(2), d),
    "LSTM.begin_state": lambda d: gluon.rnn.LSTM(3, input_size=2).begin_state(2, dtype=d)[0].dtype,
    "transforms.Cast": lambda d: gluon.data.vision.transforms.Cast(d)(nd.ones((2, 2))).dtype,
    "image.CastAug": lambda d: mx.image.CastAug(d)(nd.ones((2, 2, 3))).dtype,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("given", HALVES)
def test_objects_with_a_dtype_name_it(given, place):
    if place == "transforms.Cast" and "Parameter" in given:
        pytest.skip("attributes of blocks that are parameters are registered")
    for _ in range(3):  # the third call is a replay
        assert np.dtype(PLACES[place](HALVES[given]())) == np.float16


def test_replayed_casts_follow_the_array_that_names_the_dtype():
    half, double = nd.ones(1, dtype="float16"), nd.ones(1, dtype="float64")
    x = nd.ones(3)
    for _ in range(10):
        for like in (half, double):
            assert x.astype(like).dtype == nd.cast(x, dtype=like).dtype == like.dtype
            assert nd.zeros((2,), dtype=like).dtype == like.dtype


def test_layers_and_parameters_shared_by_dtype():
    layer = gluon.nn.BatchNorm(in_channels=2)
    layer.cast("bfloat16")
    assert dtype_name(layer.gamma.dtype) == "bfloat16"
    layer.cast(nd.ones(1, dtype="float16"))  # stays in float32, as the operator needs it
    assert dtype_name(layer.gamma.dtype) == "float32"
    params = gluon.ParameterDict()
    shared = params.get("w", shape=(2,), dtype=nd.ones(1, dtype="float16"))
    assert params.get("w", dtype="float16") is params.get("w", dtype=None) is shared
    with pytest.raises(
        gluon.parameter.ParameterError, match=r"exists with dtype=[^;]*; it was asked for with dtype='float32'"
    ):
        params.get("w", dtype="float32")
    brain = params.get("b", shape=(2,), dtype="bfloat16")
    assert params.get("b", dtype="bfloat16") is brain


def test_numpy_arrays_and_symbols_name_no_dtype():
    for given in (np.ones(2), mx.sym.var("x"), [1, 2]):
        with pytest.raises(MXNetError, match=r"^\[dtype\] received .*; expected one of float32, float64"):
            nd.ones(2).astype(given)


# The text that MXNet 1.9.1 saves: its readers know these names only.
@pytest.mark.parametrize(
    ("given", "saved"),
    [
        ("f", "float32"),
        ("<f4", "float32"),
        (">f4", "float32"),
        ("f2", "float16"),
        ("half", "float16"),
        ("single", "float32"),
        ("double", "float64"),
        ("float", "float64"),
        ("int", "int64"),
        ("i8", "int64"),
        (float, "float64"),
        (np.int32, "int32"),
        (None, "float64"),
    ],
)
def test_graphs_save_dtypes_by_name(given, saved):
    x = mx.sym.var("x")
    assert mx.sym.cast(x, dtype=given).attr("dtype") == saved
    assert x.astype(given).attr("dtype") == saved
    if given is not None:
        assert mx.sym.one_hot(x, depth=3, dtype=given).attr("dtype") == saved
        assert mx.sym.zeros((2,), dtype=given).attr("dtype") == saved


def test_none_means_float32_where_mxnet_says_so():
    assert nd.ones(2, dtype="int32").astype(None).dtype == np.float32
    assert mx.np.ones(2, dtype="int32").astype(None).dtype == np.float32
    assert nd.sparse.zeros("csr", (2, 2), dtype="float16").astype(None).dtype == np.float32
    assert initialized(gluon.Parameter("w", shape=(2,), dtype=None)) == np.float32
    assert nd.cast(nd.ones(2), dtype=None).dtype == np.float64


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
