"""Densities beyond the recorded cases: known values, second derivatives, error texts."""

import math

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.ndarray import _internal
from tests.ops.base import check_bad_input


def _density(name, *arrays, **params):
    return getattr(_internal, f"_random_pdf_{name}")(*(nd.array(each, dtype="float64") for each in arrays), **params)


@pytest.mark.parametrize(
    ("name", "params"),
    [("poisson", ([4.0],)), ("negative_binomial", ([3.0], [0.4])), ("generalized_negative_binomial", ([2.0], [0.5]))],
)
def test_probabilities_of_all_counts_add_up_to_one(name, params):
    assert _density(name, np.arange(80.0)[None], *params).asnumpy().sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "params"), [("normal", ([3.0], [1.5])), ("gamma", ([3.0], [2.0])), ("exponential", ([0.8],))]
)
def test_densities_integrate_to_one(name, params):
    points = np.linspace(-8 if name == "normal" else 1e-9, 30, 20001)
    density = _density(name, points[None], *params).asnumpy()[0]
    step = points[1] - points[0]
    assert (density[1:] + density[:-1]).sum() * step / 2 == pytest.approx(1, abs=1e-4)


def test_gamma_takes_a_rate():
    assert _density("gamma", [[0.5]], [3.0], [2.0]).asnumpy()[0, 0] == pytest.approx(math.exp(-1))


def test_dirichlet_of_ones_is_flat():
    assert _density("dirichlet", [[0.2, 0.3, 0.5]], [1.0, 1.0, 1.0]).asnumpy() == pytest.approx([2.0])


def test_log_is_the_logarithm():
    for name, params in (("normal", ([0.3], [2.0])), ("gamma", ([3.0], [2.0])), ("poisson", ([2.0],))):
        plain = _density(name, [[1.0, 2.0]], *params).asnumpy()
        np.testing.assert_allclose(_density(name, [[1.0, 2.0]], *params, is_log=True).asnumpy(), np.log(plain))


def test_half_precision_is_computed_in_single():
    value = _internal._random_pdf_poisson(nd.full((1,), 9, dtype="float16"), nd.full((1,), 9, dtype="float16"))
    assert value.dtype == np.float16
    assert value.asscalar() == pytest.approx(0.1318, rel=2e-3)


def test_second_derivative():
    mean = nd.array([0.3])
    mean.attach_grad()
    with mx.autograd.record():
        log_density = _internal._random_pdf_normal(nd.array([1.0]), mean, nd.array([2.0]), is_log=True)
        slope = mx.autograd.grad(log_density, [mean], create_graph=True)[0]
    slope.backward()
    assert mean.grad.asscalar() == pytest.approx(-0.25)


def test_samples_of_counts_get_a_gradient_of_zero():
    sample = nd.array([1.0, 2.0])
    sample.attach_grad()
    sample.grad[:] = 7
    with mx.autograd.record():
        y = _internal._random_pdf_poisson(sample, nd.array([2.0, 3.0]))
    y.backward()
    assert (sample.grad.asnumpy() == 0).all()


def test_refusals():
    two, pairs, whole = nd.ones(2), nd.ones((2, 3)), nd.ones(2, dtype="int32")
    normal, dirichlet = _internal._random_pdf_normal, _internal._random_pdf_dirichlet
    check_bad_input(lambda: normal(pairs, nd.ones(3), nd.ones(3)), match=r"begins with that of mu, \(3,\)")
    check_bad_input(lambda: normal(pairs, two, pairs), match=r"of one shape, got mu \(2,\), sigma \(2, 3\)")
    check_bad_input(lambda: normal(whole, whole, whole), match="expected floating inputs, got int32")
    check_bad_input(lambda: normal(two, two, two.astype("float64")), match="sigma float64; convert one")
    check_bad_input(lambda: dirichlet(pairs, two), match=r"expected alpha of shape S \+ \(k,\)")
