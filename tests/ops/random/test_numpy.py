"""Random numbers of mx.np: moments, shapes, dtypes, gradients, refusals. The numbers themselves are torch's."""

import math

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input

COUNT = 20_000
EULER = 0.5772156649
internal = mx.nd.numpy._internal


@pytest.fixture(autouse=True)
def _numpy_shapes():
    mx.random.seed(3)
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float32"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


def _weibull_moments(a):
    first, second = math.gamma(1 + 1 / a), math.gamma(1 + 2 / a)
    return first, second - first**2


# name: parameters, mean, variance.
MOMENTS = {
    "normal": ({"loc": 2.0, "scale": 3.0}, 2, 9),
    "normal_n": ({"loc": 2.0, "scale": 3.0}, 2, 9),
    "uniform": ({"low": 2.0, "high": 5.0}, 3.5, 0.75),
    "uniform_n": ({"low": 5.0, "high": 2.0}, 3.5, 0.75),
    "gumbel": ({"loc": 1.0, "scale": 2.0}, 1 + 2 * EULER, math.pi**2 / 6 * 4),
    "logistic": ({"loc": 1.0, "scale": 2.0}, 1, math.pi**2 / 3 * 4),
    "exponential": ({"scale": 3.0}, 3, 9),
    "rayleigh": ({"scale": 2.0}, 2 * math.sqrt(math.pi / 2), (4 - math.pi) / 2 * 4),
    "weibull": ({"a": 3.0}, *_weibull_moments(3.0)),
    "pareto": ({"a": 6.0}, 1 / 5, 6 / (25 * 4)),
    "powerd": ({"a": 3.0}, 3 / 4, 3 / (16 * 5)),
    "gamma": ({"shape": 3.0, "scale": 2.0}, 6, 12),
    "bernoulli": ({"prob": 0.3, "logit": None, "is_logit": False}, 0.3, 0.21),
}
WITH_DTYPE = ("normal", "normal_n", "uniform", "uniform_n", "gamma", "bernoulli")
ARRAYS = {name: params for name, (params, _, _) in MOMENTS.items() if name != "bernoulli"}
# Whose numbers are functions of their parameters and of noise.
WITH_GRADIENT = ("normal", "normal_n", "gumbel", "logistic", "exponential", "rayleigh", "weibull", "pareto")


def _check_moments(values, mean, variance):
    count = values.size
    assert abs(values.mean() - mean) < 5 * math.sqrt(variance / count)
    assert abs(values.var() / variance - 1) < 0.2


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    params, mean, variance = MOMENTS[name]
    result = getattr(internal, name)(**params, size=(COUNT,))
    assert (result.dtype, result.shape) == (np.float32, (COUNT,))
    _check_moments(result.asnumpy(), mean, variance)


@pytest.mark.parametrize("name", ARRAYS)
def test_moments_of_arrays(name):
    params, mean, variance = MOMENTS[name]
    arrays = [_array([value, value]) for value in params.values()]
    size = (COUNT,) if name.endswith("_n") else (COUNT, 2)
    result = getattr(internal, name)(*arrays, **dict.fromkeys(params), size=size)
    assert (result.dtype, result.shape) == (np.float32, (COUNT, 2))
    _check_moments(result.asnumpy(), mean, variance)


@pytest.mark.parametrize("name", ARRAYS)
def test_shapes(name):
    params = ARRAYS[name]
    function, batch = getattr(internal, name), name.endswith("_n")
    first, *others = params
    assert function(**params).shape == ()
    assert function(**params, size=3).shape == (3,)
    assert function(**params, size=(0, 2)).shape == (0, 2)
    one = {**params, first: None}
    column = _array([[params[first]], [params[first]]])
    assert function(column, **one).shape == (2, 1)
    assert function(column, **one, size=(2, 3)).shape == ((2, 3, 2, 1) if batch else (2, 3))
    assert function(_array(params[first]), **one, size=(2,)).shape == (2,)
    if others:
        row = _array([params[others[0]]] * 3)
        assert function(column, row, **dict.fromkeys(params)).shape == (2, 3)
        assert function(row, **{**params, others[0]: None}).shape == (3,)
    if not batch:
        check_bad_input(lambda: function(column, **one, size=(3, 1)), "be stretched to", OpShapeError)


@pytest.mark.parametrize("name", MOMENTS)
def test_inference(name):
    operator = registry.find(f"_npi_{name}")
    params = operator.parse({**MOMENTS[name][0], "size": (2, 3)})
    assert infer(operator, [], params) == [((2, 3), torch.float32)]
    assert operator.takes(params) == ()
    if name in ARRAYS:
        given = {**dict.fromkeys(ARRAYS[name])}
        count = len(given)
        assert operator.takes(given) == ("input1", "input2")[:count]
        spec = ((4, 1), torch.float32)
        assert infer(operator, [spec] * count, operator.parse(given)) == [spec]


@pytest.mark.parametrize("name", WITH_DTYPE)
def test_dtypes(name):
    params, mean, variance = MOMENTS[name]
    for dtype in ("float16", "float64", *(("bool", "int32", "uint8") if name == "bernoulli" else ())):
        result = getattr(internal, name)(**params, size=(COUNT,), dtype=dtype)
        assert result.dtype == np.dtype(dtype)
        _check_moments(result.asnumpy().astype("float64"), mean, variance)
    check_bad_input(lambda: getattr(internal, name)(**params, dtype="int8"), "dtype=int8; expected", OpTypeError)


@pytest.mark.parametrize("name", ["normal", "gumbel", "exponential", "weibull", "uniform", "bernoulli"])
def test_arrays_of_other_dtypes(name):
    params = dict.fromkeys(MOMENTS[name][0]) if name != "bernoulli" else MOMENTS[name][0] | {"prob": None}
    count = len(params) if name != "bernoulli" else 1
    for dtype in ("float64", "int32", "float16"):
        result = getattr(internal, name)(*[_array([1, 1], dtype)] * count, **params)
        assert (result.dtype, result.shape) == (np.float32, (2,))


@pytest.mark.parametrize("name", ARRAYS)
def test_gradients(name):
    """The same noise with other parameters shows how the numbers depend on them."""
    params = ARRAYS[name]
    function, none = getattr(internal, name), dict.fromkeys(params)
    size = {"size": (4, 3)} if name.endswith("_n") else {"size": (4, 3, 2)}

    def draw(values):
        mx.random.seed(5)
        return function(*(_array([value, value]) for value in values), **none, **size).asnumpy().sum((0, 1))

    arrays = [_array([value, value]) for value in params.values()]
    for each in arrays:
        each.attach_grad()
    mx.random.seed(5)
    with mx.autograd.record():
        result = function(*arrays, **none, **size)
    result.backward()
    for position, each in enumerate(arrays):
        moved = [[value + step * (i == position) for i, value in enumerate(params.values())] for step in (0.01, -0.01)]
        slope = (draw(moved[0]) - draw(moved[1])) / 0.02
        expected = slope if name in WITH_GRADIENT else np.zeros(2)
        np.testing.assert_allclose(each.grad.asnumpy(), expected, rtol=1e-2, atol=1e-2)


def test_logits():
    for logit in (-1.0, 800.0, -800.0):
        expected = 1 / (1 + math.exp(-max(logit, -700)))
        numbers = internal.bernoulli(prob=None, logit=logit, is_logit=True, size=(COUNT,)).asnumpy()
        arrays = internal.bernoulli(_array([logit]), prob=None, logit=None, is_logit=True, size=(COUNT,)).asnumpy()
        for values in (numbers, arrays):
            assert abs(values.mean() - expected) < 5 * math.sqrt(expected * (1 - expected) / COUNT) + 1e-9


def test_seeds():
    draws = []
    for _ in range(2):
        mx.random.seed(11)
        draws.append(internal.normal(loc=0, scale=1, size=(5,)).asnumpy())
    np.testing.assert_array_equal(*draws)


def test_logistic_is_finite():
    assert np.isfinite(internal.logistic(loc=0, scale=1, size=(1_000_000,)).asnumpy()).all()


def test_refusals():
    one = _array([1.0])
    normal = internal.normal
    check_bad_input(lambda: normal(loc=0, scale=-2), r"\[_npi_normal\] .* scale of at least 0, got -2", ValueError)
    check_bad_input(lambda: normal(-one, loc=0, scale=None), "scale of at least 0, got an array", OpParamError)
    check_bad_input(lambda: normal(loc=0), "parameter scale is required", OpParamError)
    check_bad_input(lambda: normal(loc=0, scale=None), r"received 0 array.* numbers: scale", OpParamError)
    check_bad_input(lambda: normal(one, loc=0, scale=1), r"received 1 array.* numbers: none", OpParamError)
    check_bad_input(lambda: normal(loc=0, scale=1, size=(-1,)), "lengths of at least 0", OpShapeError)
    check_bad_input(lambda: normal(one, one.astype("float64"), loc=None, scale=None), "one dtype", OpTypeError)
    check_bad_input(
        lambda: normal(_array([1, 2]), _array([1, 2, 3]), loc=None, scale=None), "to fit each other", OpShapeError
    )
    for name in ("gumbel", "logistic"):
        check_bad_input(lambda name=name: getattr(internal, name)(loc=0, scale=-1), "at least 0, got -1", OpParamError)
    for name in ("exponential", "rayleigh"):
        check_bad_input(lambda name=name: getattr(internal, name)(scale=-1), "at least 0, got -1", OpParamError)
        check_bad_input(lambda name=name: getattr(internal, name)(-one, scale=None), "at least 0", OpParamError)
        assert not getattr(internal, name)(scale=0, size=(3,)).asnumpy().any()
    for name in ("weibull", "pareto", "powerd"):
        check_bad_input(lambda name=name: getattr(internal, name)(a=0), "expected a above 0, got 0", OpParamError)
        check_bad_input(lambda name=name: getattr(internal, name)(-one, a=None), "expected a above 0", OpParamError)
        check_bad_input(lambda name=name: getattr(internal, name)(), r"received 0 array", OpParamError)
    check_bad_input(lambda: internal.gamma(shape=0, scale=1), "shape above 0, got 0", OpParamError)
    check_bad_input(lambda: internal.gamma(shape=1, scale=-1), "scale above 0, got -1", OpParamError)
    check_bad_input(lambda: internal.gamma(_array([1], "int32"), shape=None, scale=1), "floating-point", OpTypeError)
    check_bad_input(
        lambda: internal.bernoulli(prob=1.5, logit=None, is_logit=False), "from 0 to 1, got 1.5", OpParamError
    )
    check_bad_input(
        lambda: internal.bernoulli(_array([1.5]), prob=None, logit=None, is_logit=False), "from 0 to 1", OpParamError
    )
