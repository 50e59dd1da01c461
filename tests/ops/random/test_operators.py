"""Samplers: moments and shapes of their distributions, dtypes, refusals. The numbers themselves are torch's."""

import math

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from mxnet.ndarray import _internal
from mxnet.ndarray import random as nd_random
from mxnet.random import seed
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input

COUNT = 20_000

lgamma = np.vectorize(math.lgamma)


def _gamma_cdf(x, alpha, scale):
    """For whole alpha, from the Poisson process."""
    rate = x / scale
    return 1 - sum(np.exp(-rate) * rate**i / math.factorial(i) for i in range(alpha))


def _poisson_pmf(n, lam):
    return np.exp(n * np.log(lam) - lam - lgamma(n + 1))


def _negative_binomial_pmf(n, k, p):
    return np.exp(lgamma(n + k) - lgamma(n + 1) - lgamma(k) + k * np.log(p) + n * np.log(1 - p))


# name: parameters, mean, variance.
MOMENTS = {
    "uniform": ({"low": 2.0, "high": 5.0}, 3.5, 0.75),
    "normal": ({"loc": 2.0, "scale": 3.0}, 2.0, 9.0),
    "gamma": ({"alpha": 3.0, "beta": 2.0}, 6.0, 12.0),
    "exponential": ({"lam": 2.0}, 0.5, 0.25),
    "poisson": ({"lam": 4.0}, 4.0, 4.0),
    "negative_binomial": ({"k": 5, "p": 0.4}, 7.5, 18.75),
    "generalized_negative_binomial": ({"mu": 2.0, "alpha": 0.3}, 2.0, 3.2),
}
CDF = {
    "uniform": lambda x: (x - 2) / 3,
    "normal": lambda x: 0.5 * (1 + np.vectorize(math.erf)((x - 2) / (3 * math.sqrt(2)))),
    "gamma": lambda x: _gamma_cdf(x, 3, 2),
    "exponential": lambda x: 1 - np.exp(-2 * x),
}
PMF = {
    "poisson": lambda n: _poisson_pmf(n, 4.0),
    "negative_binomial": lambda n: _negative_binomial_pmf(n, 5.0, 0.4),
    "generalized_negative_binomial": lambda n: _negative_binomial_pmf(n, 1 / 0.3, 1 / 1.6),
}
NAMES = list(MOMENTS)


@pytest.fixture(autouse=True)
def _seeded():
    seed(20)


def _op(name):
    return getattr(_internal, name)


def _check_moments(values, mean, variance):
    error = math.sqrt(variance / values.size)
    assert abs(values.mean() - mean) < 4.5 * error
    assert abs(values.var() / variance - 1) < 0.1


def _check_distribution(name, values):
    """The greatest distance of the distribution functions, or the frequencies, within what chance allows."""
    if name in CDF:
        ordered = np.sort(values)
        steps = np.arange(1, values.size + 1) / values.size
        assert np.abs(CDF[name](ordered) - steps).max() < 2.0 / math.sqrt(values.size)
    else:
        assert (values == np.floor(values)).all()
        counts = np.arange(12)
        expected = PMF[name](counts)
        found = np.array([(values == n).mean() for n in counts])
        assert (np.abs(found - expected) < 4.5 * np.sqrt(expected / values.size)).all()


def _arrays(params, dtype="float32"):
    """Each parameter twice: as given, and for another distribution, to see that rows keep to theirs."""
    return [nd.array([value, value + 0.5 if name != "p" else 0.8], dtype=dtype) for name, value in params.items()]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_as_parameters(name):
    params, mean, variance = MOMENTS[name]
    values = _op(f"_random_{name}")(shape=(COUNT,), **params).asnumpy().astype("float64")
    _check_moments(values, mean, variance)
    _check_distribution(name, values)


@pytest.mark.parametrize("name", NAMES)
def test_like(name):
    params, mean, variance = MOMENTS[name]
    like = _op(f"_random_{name}_like")(nd.zeros((COUNT // 2, 2), dtype="float64", ctx=mx.cpu(1)), **params)
    assert like.shape == (COUNT // 2, 2)
    assert like.dtype == np.float64
    assert like.context == mx.cpu(1)
    _check_moments(like.asnumpy(), mean, variance)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_as_parameters(name):
    params, mean, variance = MOMENTS[name]
    values = _op(f"_sample_{name}")(*_arrays(params), shape=(COUNT // 2, 2)).asnumpy().astype("float64")
    assert values.shape == (2, COUNT // 2, 2)
    _check_moments(values[0], mean, variance)
    _check_distribution(name, values[0].ravel())
    assert abs(values[1].mean() - mean) > 0.05


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes(name, dtype):
    params, mean, variance = MOMENTS[name]
    values = _op(f"_random_{name}")(shape=(4000,), dtype=dtype, **params)
    assert values.dtype == np.dtype(dtype)
    _check_moments(values.asnumpy().astype("float64"), mean, variance)
    sampled = _op(f"_sample_{name}")(*_arrays(params, dtype), shape=3)
    assert sampled.dtype == np.float32, "the dtype of the parameters does not count"
    assert _op(f"_sample_{name}")(*_arrays(params), dtype=dtype).dtype == np.dtype(dtype)
    assert _op(f"_random_{name}_like")(nd.zeros(2, dtype=dtype)).dtype == np.dtype(dtype)


def test_whole_numbers_as_array_parameters():
    drawn = _op("_sample_uniform")(nd.array([2], dtype="int32"), nd.array([3], dtype="int32"), shape=100).asnumpy()
    assert ((drawn >= 2) & (drawn <= 3)).all()
    assert drawn.std() > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_inference_without_data(name):
    for form, inputs in (("_random_{}", 0), ("_sample_{}", len(MOMENTS[name][0]))):
        operator = registry.find(form.format(name))
        specs = [((3,), torch.float32)] * inputs
        expected = ((3, 2) if inputs else (2,), torch.float64)
        assert infer(operator, specs, {"shape": (2,), "dtype": torch.float64}) == [expected]
    like = registry.find(f"_random_{name}_like")
    assert infer(like, [((3, 2), torch.float16)], {}) == [((3, 2), torch.float16)]


def test_inference_of_choices():
    for name, spec, params, expected in (
        ("_sample_multinomial", ((2, 4), torch.float64), {"shape": (5,)}, [((2, 5), torch.int32)]),
        (
            "_sample_multinomial",
            ((4,), torch.float64),
            {"get_prob": True, "dtype": torch.uint8},
            [((1,), torch.uint8), ((1,), torch.float64)],
        ),
        ("_shuffle", ((4, 2), torch.int64), {}, [((4, 2), torch.int64)]),
        (
            "_sample_unique_zipfian",
            None,
            {"range_max": 9, "shape": (2, 3)},
            [((2, 3), torch.int64), ((2,), torch.int64)],
        ),
        ("_random_randint", None, {"low": 0, "high": 3, "shape": (2,)}, [((2,), torch.int32)]),
    ):
        operator = registry.find(name)
        assert infer(operator, [spec] if spec else [], params) == expected


@pytest.mark.parametrize(
    ("name", "params", "text"),
    [
        ("uniform", {"low": 2, "high": 1}, r"low=2, high=1; expected low <= high"),
        ("uniform", {"high": math.nan}, "expected low <= high"),
        ("uniform", {"high": 1e6, "dtype": "float16"}, "within the range of float16"),
        ("normal", {"scale": 0}, r"scale=0; expected a finite number above 0"),
        ("normal", {"scale": -1}, "above 0"),
        ("gamma", {"alpha": 0}, "alpha=0"),
        ("gamma", {"beta": -1}, "beta=-1"),
        ("exponential", {"lam": 0}, "lam=0"),
        ("poisson", {"lam": -1}, "lam=-1; expected a finite number of at least 0"),
        ("negative_binomial", {"k": -1}, "k=-1"),
        ("negative_binomial", {"p": -0.5}, "p=-0.5"),
        ("negative_binomial", {"p": 0}, "p=0"),
        ("negative_binomial", {"k": 1.5}, "parameter k"),
        ("generalized_negative_binomial", {"mu": -1}, "mu=-1"),
        ("generalized_negative_binomial", {"alpha": -1}, "alpha=-1"),
        ("randint", {"low": 3, "high": 3}, "low=3, high=3; expected low < high"),
        ("randint", {"low": 0, "high": 2**32}, "within int32"),
        ("randint", {"low": 0, "high": 3, "dtype": "float32"}, "expected one of int32, int64"),
        ("randint", {"low": 0}, "parameter high is required"),
        ("normal", {"dtype": "int32"}, "expected one of float16, float32, float64"),
        ("normal", {"shape": ()}, "expected the shape of the result"),
        ("normal", {"shape": (2, 0)}, "at least 1"),
        ("randint", {"low": 0, "high": 3, "shape": (-1,)}, "at least 1"),
    ],
)
def test_refused_numbers(name, params, text):
    check_bad_input(lambda: _op(f"_random_{name}")(**{"shape": (2,), **params}), match=text)


def test_limits_of_the_domain():
    assert (nd_random.uniform(1, 1, 5).asnumpy() == 1).all()
    for name, params in (
        ("poisson", {"lam": 0}),
        ("negative_binomial", {"k": 0, "p": 0.5}),
        ("negative_binomial", {"k": 3, "p": 1}),
        ("negative_binomial", {"k": 3, "p": 1.5}),
        ("generalized_negative_binomial", {"mu": 0, "alpha": 0.5}),
    ):
        assert not _op(f"_random_{name}")(shape=(9,), **params).asnumpy().any(), name
    values = _op("_random_generalized_negative_binomial")(mu=2, alpha=0, shape=COUNT).asnumpy().astype("float64")
    _check_moments(values, 2, 2)


def test_elements_outside_the_domain_are_nan():
    bad = nd.array([-1.0, math.nan])
    one = nd.ones(2)
    for drawn in (
        _op("_sample_gamma")(bad, one),
        _op("_sample_poisson")(bad),
        _op("_sample_negative_binomial")(bad, one * 0.5),
        _op("_sample_generalized_negative_binomial")(bad, one),
    ):
        assert np.isnan(drawn.asnumpy()).all()
    mixed = _op("_sample_generalized_negative_binomial")(nd.array([2, 2]), nd.array([0, 0.5]), shape=COUNT).asnumpy()
    _check_moments(mixed[0].astype("float64"), 2, 2)
    _check_moments(mixed[1].astype("float64"), 2, 4)


@pytest.mark.parametrize("name", NAMES)
def test_refused_arrays(name):
    arrays = _arrays(MOMENTS[name][0])
    sample, like = _op(f"_sample_{name}"), _op(f"_random_{name}_like")
    check_bad_input(lambda: sample(*arrays, dtype="int32"), match=rf"\[_sample_{name}\].*expected one of float16")
    check_bad_input(lambda: sample(*arrays, shape=(2, 0)), match="each at least 1")
    check_bad_input(lambda: like(nd.zeros(2, dtype="int32")), match="expected a floating array, got int32")
    if len(arrays) == 2:
        check_bad_input(lambda: sample(arrays[0], arrays[1].astype("float64")), match="one dtype")
        check_bad_input(lambda: sample(arrays[0], nd.array([0.5])), match=r"of shape \(2,\), got \(1,\)")


def test_samplers_stop_gradients():
    x = nd.array([0.5, 2.0])
    for call in (
        lambda: _op("_sample_normal")(x, x, shape=3),
        lambda: _op("_random_normal_like")(x),
        lambda: nd_random.multinomial(x / 2.5, dtype="float32"),
    ):
        x.attach_grad()
        x.grad[:] = 7
        with mx.autograd.record():
            y = call() * 2
        y.backward()
        assert (x.grad.asnumpy() == 0).all()


def test_randint():
    values = _op("_random_randint")(low=-3, high=7, shape=(COUNT,)).asnumpy()
    assert values.dtype == np.int32
    frequencies = np.bincount(values + 3) / COUNT
    assert frequencies.size == 10
    assert np.abs(frequencies - 0.1).max() < 0.01
    wide = _op("_random_randint")(low=-(2**62), high=2**62, shape=(100,), dtype="int64").asnumpy()
    assert wide.dtype == np.int64
    assert wide.min() < -(2**60) < 2**60 < wide.max()


def test_multinomial_frequencies():
    weights = np.array([[0.2, 0.0, 0.5, 0.3, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]])
    classes = nd_random.multinomial(nd.array(weights), shape=(COUNT // 2, 2))
    assert classes.shape == (2, COUNT // 2, 2)
    assert classes.dtype == np.int32
    for row, expected in zip(classes.asnumpy(), weights):
        frequencies = np.bincount(row.ravel(), minlength=5) / COUNT
        np.testing.assert_allclose(frequencies, expected, atol=0.015)
        assert not frequencies[expected == 0].any()


@pytest.mark.parametrize(
    ("shape_in", "shape", "shape_out"),
    [
        ((3,), (), (1,)),
        ((3,), 4, (4,)),
        ((2, 3), (), (2,)),
        ((2, 3), (1,), (2, 1)),
        ((2, 4, 3), (5, 2), (2, 4, 5, 2)),
        ((3,), 0, (0,)),
    ],
)
def test_multinomial_shapes(shape_in, shape, shape_out):
    classes, chances = nd_random.multinomial(nd.ones(shape_in) / 3, shape=shape, get_prob=True)
    assert classes.shape == chances.shape == shape_out


def test_multinomial_log_probability_has_a_gradient():
    weights = nd.array([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3]], dtype="float64")
    weights.attach_grad()
    with mx.autograd.record():
        classes, chances = nd_random.multinomial(weights, shape=4, get_prob=True, dtype="float32")
    assert classes.dtype == np.float32
    assert chances.dtype == np.float64
    head = np.arange(1.0, 9.0).reshape(2, 4)
    chances.backward(nd.array(head, dtype="float64"))
    chosen, values = classes.asnumpy().astype(int), weights.asnumpy()
    rows = np.repeat([[0], [1]], 4, axis=1)
    np.testing.assert_allclose(chances.asnumpy(), np.log(values[rows, chosen]))
    expected = np.zeros((2, 3))
    np.add.at(expected, (rows, chosen), head / values[rows, chosen])
    np.testing.assert_allclose(weights.grad.asnumpy(), expected)


def test_multinomial_out_and_refusals():
    weights = nd.array([0.5, 0.5])
    out = [nd.zeros(3, dtype="int32"), nd.zeros(3)]
    assert nd_random.multinomial(weights, shape=3, get_prob=True, out=out) is out
    np.testing.assert_allclose(out[1].asnumpy(), np.log([0.5] * 3), rtol=1e-6)
    check_bad_input(lambda: nd_random.multinomial(weights, dtype="int64"), match="dtype=int64; expected one of")
    check_bad_input(lambda: nd_random.multinomial(weights.astype("int32")), match="expected floating probabilities")
    check_bad_input(lambda: nd_random.multinomial(weights, shape=-1), match="at least 0")
    check_bad_input(lambda: nd_random.multinomial([0.5, 0.5]), match="expected an NDArray")


def test_unique_zipfian():
    classes, tries = _op("_sample_unique_zipfian")(range_max=50, shape=(40, 30))
    assert classes.dtype == tries.dtype == np.int64
    assert tries.shape == (40,)
    assert all(len(set(row)) == 30 for row in classes.asnumpy())
    assert (tries.asnumpy() >= 30).all()
    everything, _ = _op("_sample_unique_zipfian")(range_max=5, shape=(3, 5))
    assert (np.sort(everything.asnumpy()) == np.arange(5)).all()


def test_unique_zipfian_has_mxnets_distribution():
    """The figures are averages over 30000 rows drawn by MXNet 1.9.1."""
    first, _ = _op("_sample_unique_zipfian")(range_max=3, shape=(COUNT, 1))
    np.testing.assert_allclose(np.bincount(first.asnumpy().ravel()) / COUNT, [0.366, 0.4635, 0.1706], atol=0.015)
    for count, mean in ((2, 2.652), (3, 7.235)):
        _, tries = _op("_sample_unique_zipfian")(range_max=3, shape=(COUNT, count))
        assert abs(tries.asnumpy().mean() / mean - 1) < 0.03


def test_unique_zipfian_refusals():
    for shape in ((), (4,), (1, 1, 2)):
        check_bad_input(
            lambda shape=shape: _op("_sample_unique_zipfian")(range_max=9, shape=shape), match="classes per row"
        )
    check_bad_input(lambda: _op("_sample_unique_zipfian")(range_max=3, shape=(1, 4)), match="as many classes as")


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_shuffle_moves_whole_slices(dtype):
    data = nd.arange(60, dtype=dtype).reshape((20, 3))
    before = data.asnumpy()
    mixed = nd_random.shuffle(data).asnumpy()
    assert mixed.dtype == np.dtype(dtype)
    assert (data.asnumpy() == before).all()
    assert (mixed != before).any()
    assert (mixed[np.argsort(mixed[:, 0])] == before).all()


def test_shuffle_reaches_every_order_equally():
    orders = [tuple(nd_random.shuffle(nd.arange(3)).asnumpy().astype(int)) for _ in range(1200)]
    counts = np.array([orders.count(order) for order in set(orders)])
    assert counts.size == 6
    assert np.abs(counts - 200).max() < 60
