"""`mx.random`: seeding."""

import inspect
import random as python_random

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd, random
from mxnet.base import MXNetError


def _dropout(ctx=None):
    with mx.autograd.train_mode():
        return nd.Dropout(nd.ones(64, ctx=ctx), p=0.5)


DRAWS = {
    "Dropout": _dropout,
    "uniform": lambda **where: random.uniform(shape=8, **where),
    "normal": lambda **where: random.normal(shape=8, **where),
    "randn": lambda **where: random.randn(8, **where),
    "gamma": lambda **where: random.gamma(2, 3, shape=8, **where),
    "exponential": lambda **where: random.exponential(2, shape=8, **where),
    "poisson": lambda **where: random.poisson(50, shape=8, **where),
    "negative_binomial": lambda **where: random.negative_binomial(50, 0.2, shape=8, **where),
    "generalized_negative_binomial": lambda **where: random.generalized_negative_binomial(90, 0.5, shape=8, **where),
    "randint": lambda **where: random.randint(0, 10**6, shape=8, **where),
    "multinomial": lambda ctx=None: random.multinomial(nd.ones(500, ctx=ctx) / 500, shape=8),
    "shuffle": lambda ctx=None: random.shuffle(nd.arange(30, ctx=ctx)),
    "sample_normal": lambda ctx=None: random.normal(nd.zeros(4, ctx=ctx), nd.ones(4, ctx=ctx), shape=2),
    "normal_like": lambda ctx=None: nd._internal._random_normal_like(nd.zeros(8, ctx=ctx)),
    "unique_zipfian": lambda ctx=None: nd._internal._sample_unique_zipfian(range_max=900, shape=(1, 8))[0],
}


@pytest.mark.parametrize("name", DRAWS)
def test_seed_repeats_the_numbers(name):
    draw = DRAWS[name]
    random.seed(5)
    first, second = draw().asnumpy(), draw().asnumpy()
    assert (first != second).any()
    random.seed(5)
    assert (draw().asnumpy() == first).all()
    assert (draw().asnumpy() == second).all()
    random.seed(6)
    assert (draw().asnumpy() != first).any()


def test_all_cpu_contexts_draw_from_one_stream():
    """As in MXNet: the numbers of cpu(1) differ from those of cpu(0), and the order of the calls decides."""
    random.seed(5)
    first, second = (random.uniform(shape=8, ctx=mx.cpu(i)).asnumpy() for i in (0, 1))
    assert (first != second).all()
    random.seed(5)
    again = [random.uniform(shape=8, ctx=mx.cpu(i)).asnumpy() for i in (1, 0)]
    assert (first == again[0]).all()
    assert (second == again[1]).all()


def test_seeding_one_context_at_a_time_gives_the_same_numbers():
    drawn = []
    for context in (mx.cpu(0), mx.cpu(1), "cpu(2)"):
        random.seed(7, ctx=context)
        drawn.append(random.uniform(shape=8, ctx=context).asnumpy())
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] == drawn[2]).all()


@pytest.mark.parametrize("number", [0, -3, 2**40, 2**70, np.int64(3), True])
def test_any_whole_number_is_a_seed(number):
    for context in ("all", mx.cpu(0)):
        random.seed(number, ctx=context)
        first = random.uniform(shape=4).asnumpy()
        random.seed(number, ctx=context)
        assert (random.uniform(shape=4).asnumpy() == first).all()


@pytest.mark.parametrize("number", ["a", 1.5, None, np.float32(3), nd.array([3])])
def test_other_seeds_are_refused(number):
    with pytest.raises(ValueError, match=r"\[random.seed\] seed_state: received (.|\n)*; expected an int"):
        random.seed(number)


@pytest.mark.parametrize("context", [None, [mx.cpu()], "nowhere"])
def test_bad_contexts_are_refused(context):
    with pytest.raises(MXNetError, match="expected a Context"):
        random.seed(1, ctx=context)


def test_other_libraries_keep_their_state():
    torch.manual_seed(1)
    before = torch.get_rng_state(), np.random.get_state(), python_random.getstate()
    random.seed(5)
    for draw in DRAWS.values():
        draw()
    assert (torch.get_rng_state() == before[0]).all()
    assert (np.random.get_state()[1] == before[1][1]).all()
    assert python_random.getstate() == before[2]


def test_names():
    drawn = {name for name in random.__all__ if inspect.isfunction(getattr(nd.random, name, None))}
    assert {"normal", "randint", "shuffle", "uniform"} < drawn
    for name in drawn:
        assert getattr(random, name) is getattr(nd.random, name)
    assert random.Context is mx.Context
