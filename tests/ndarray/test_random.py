"""`nd.random`: what the front end adds to the samplers."""

import inspect

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.ndarray import random
from mxnet.random import seed

DISTRIBUTIONS = [
    "uniform",
    "normal",
    "poisson",
    "exponential",
    "gamma",
    "negative_binomial",
    "generalized_negative_binomial",
]
SIGNATURES = {
    "exponential": "(scale=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "gamma": "(alpha=1, beta=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "generalized_negative_binomial": "(mu=1, alpha=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "multinomial": "(data, shape=_Null, get_prob=False, out=None, dtype='int32', **kwargs)",
    "negative_binomial": "(k=1, p=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "normal": "(loc=0, scale=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "poisson": "(lam=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "randint": "(low, high, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
    "randn": "(*shape, **kwargs)",
    "shuffle": "(data, **kwargs)",
    "uniform": "(low=0, high=1, shape=_Null, dtype=_Null, ctx=None, out=None, **kwargs)",
}


@pytest.fixture(autouse=True)
def _seeded():
    seed(30)


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_mxnets(name):
    signature = inspect.signature(getattr(random, name))
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == SIGNATURES[name]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_shape_dtype_and_place(name):
    draw = getattr(random, name)
    assert draw().shape == (1,)
    assert draw().dtype == np.float32
    assert draw(shape=3).shape == (3,)
    assert draw(shape=[2, 2]).shape == (2, 2)
    assert draw(shape=(2, 3), dtype="float64", name="ignored").dtype == np.float64
    assert draw(dtype=np.float16).dtype == np.float16
    assert draw(dtype=None).dtype == np.float64, "as NumPy reads None"
    assert draw(ctx=mx.cpu(1)).context == mx.cpu(1)
    with mx.cpu(2):
        assert draw().context == mx.cpu(2)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_out_gives_what_is_not_said(name):
    draw = getattr(random, name)
    for dtype in ("float16", "float32", "float64"):
        out = nd.full((2, 2), -5, ctx=mx.cpu(1), dtype=dtype)
        assert draw(out=out) is out
        assert (out.asnumpy() != -5).all()
    for bad in (
        lambda: draw(shape=(3,), out=nd.zeros((2, 2))),
        lambda: draw(dtype="float64", out=nd.zeros(2)),
        lambda: draw(out=nd.zeros(2, dtype="int32")),
        lambda: draw(out=[1]),
    ):
        with pytest.raises(MXNetError):
            bad()


def test_initializers_write_in_place():
    weight = nd.zeros((50, 40))
    view = weight[10:20]
    random.uniform(-0.1, 0.1, out=view)
    values = weight.asnumpy()
    assert not values[:10].any()
    assert values[10:20].all()
    assert np.abs(values).max() <= 0.1


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_arrays_as_parameters(name):
    draw = getattr(random, name)
    count = len([each for each in SIGNATURES[name].split(", ") if each.endswith(("=1", "=0"))])
    arrays = [nd.array([0.5, 1.0], ctx=mx.cpu(1))] * count
    assert draw(*arrays).shape == (2,)
    assert draw(*arrays, shape=(4, 3)).shape == (2, 4, 3)
    assert draw(*arrays).context == mx.cpu(1), "where the parameters are"
    out = nd.zeros((2, 3), dtype="float64", ctx=mx.cpu(1))
    assert draw(*arrays, shape=3, out=out) is out
    if count == 2:
        with pytest.raises(MXNetError, match="expected all numbers or all NDArrays"):
            draw(arrays[0], 0.5)
        with pytest.raises(TypeError, match="NDArray, "):
            draw(arrays[0], 0.5)
        with pytest.raises(ValueError, match="expected numbers or NDArrays"):
            draw(None, 1)
    with pytest.raises(ValueError, match=rf"\[nd.random.{name}\]"):
        draw("a")
    with pytest.raises(MXNetError, match="unknown parameter 'foo'"):
        draw(foo=1)


def test_exponential_takes_the_mean():
    assert random.exponential(4.0, shape=20000).asnumpy().mean() == pytest.approx(4, rel=0.05)
    both = random.exponential(nd.array([4.0, 0.5]), shape=20000).asnumpy().mean(axis=1)
    np.testing.assert_allclose(both, [4, 0.5], rtol=0.05)
    for bad in (0, -1, "a"):
        with pytest.raises(ValueError, match="expected a number above 0"):
            random.exponential(bad)


def test_randn():
    assert random.randn(2, 3).shape == (2, 3)
    drawn = random.randn(2, 3, loc=5, scale=0.01, dtype="float64", ctx=mx.cpu(1))
    assert (np.abs(drawn.asnumpy() - 5) < 0.1).all()
    assert (drawn.dtype, drawn.context) == (np.float64, mx.cpu(1))
    means = nd.array([5, 6])
    assert random.randn(2, 3, loc=means, scale=means).shape == (2, 2, 3)
    out = nd.zeros((2, 3))
    assert random.randn(2, 3, out=out) is out
    for bad in (random.randn, lambda: random.randn((2, 3)), lambda: random.randn(2, foo=1)):
        with pytest.raises(MXNetError):
            bad()


def test_randint():
    assert random.randint(0, 3).shape == (1,)
    assert random.randint(0, 3).dtype == np.int32
    drawn = random.randint(-5, 5, shape=(200, 2), dtype="int64", ctx=mx.cpu(1))
    assert (drawn.shape, drawn.dtype, drawn.context) == ((200, 2), np.int64, mx.cpu(1))
    assert (drawn.asnumpy().min(), drawn.asnumpy().max()) == (-5, 4)
    out = nd.zeros((2, 2), dtype="int64")
    assert random.randint(10, 20, out=out) is out
    assert (out.asnumpy() >= 10).all()
    with pytest.raises(MXNetError, match=r"Read it: int\(low.asscalar\(\)\)"):
        random.randint(nd.array([1]), 3)
    for bad in (
        lambda: random.randint(0.5, 3),
        lambda: random.randint(0, 3, dtype=None),
        lambda: random.randint(0, 3, out=nd.zeros(2)),
    ):
        with pytest.raises(MXNetError):
            bad()


def test_shuffle_in_place():
    data = nd.arange(30)
    assert random.shuffle(data, out=data) is data
    values = data.asnumpy()
    assert (values != np.arange(30)).any()
    assert (np.sort(values) == np.arange(30)).all()
    with pytest.raises(MXNetError, match="expected an NDArray"):
        random.shuffle([1, 2])


def test_like_functions():
    for name in DISTRIBUTIONS:
        like = getattr(random, f"{name}_like")
        assert like(nd.zeros((2, 3), dtype="float64")).dtype == np.float64
        assert like.__name__ == f"{name}_like"
    assert random.uniform_like(nd.zeros(3), low=5, high=5).asnumpy().tolist() == [5, 5, 5]
