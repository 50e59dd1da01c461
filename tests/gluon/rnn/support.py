"""What the tests of recurrent networks share."""

import numpy as np

import mxnet as mx
from mxnet import nd


def made(cell):
    cell.initialize(mx.init.Uniform(0.8))
    return cell


def draw(*shape, seed=0, dtype="float32"):
    return nd.array(np.random.default_rng(seed).uniform(-1, 1, shape), dtype=dtype)


def check_same(a, b, **tolerance):
    np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), **({"rtol": 1e-5, "atol": 1e-6} | tolerance))
