"""The order of samples."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import data


def test_sequential():
    sampler = data.SequentialSampler(4, 3)
    assert list(sampler) == list(sampler) == [3, 4, 5, 6]
    assert len(sampler) == 4


def test_random_is_a_new_order_each_time():
    sampler = data.RandomSampler(100)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    assert first != list(range(100))
    assert len(sampler) == 100
    assert type(first[0]) is int


@pytest.mark.parametrize("length", [0, 1])
def test_random_of_few(length):
    assert list(data.RandomSampler(length)) == list(range(length))


def test_the_seed_of_mxnet_fixes_the_order():
    mx.random.seed(3)
    first = list(data.RandomSampler(50))
    np.random.seed(5)
    mx.random.seed(3)
    with mx.cpu(1):
        assert list(data.RandomSampler(50)) == first
    mx.random.seed(4)
    assert list(data.RandomSampler(50)) != first


def test_drawing_an_order_moves_the_generator():
    mx.random.seed(3)
    numbers = []
    for _ in range(2):
        list(data.RandomSampler(10))
        numbers.append(mx.nd.random.uniform(shape=3).asnumpy().tolist())
    assert numbers[0] != numbers[1]


def test_all_orders_are_as_likely():
    mx.random.seed(0)
    places = np.zeros((4, 4))
    for _ in range(2000):
        places[np.arange(4), list(data.RandomSampler(4))] += 1
    assert np.abs(places / 2000 - 0.25).max() < 0.05


def test_filter():
    sampler = data.FilterSampler(lambda x: x > 2, data.SimpleDataset([1, 3, 2, 5]))
    assert list(sampler) == [1, 3]
    assert len(sampler) == 2


@pytest.mark.parametrize(
    ("last_batch", "passes"),
    [
        ("keep", [[[0, 1], [2, 3], [4]]] * 3),
        ("discard", [[[0, 1], [2, 3]]] * 3),
        ("rollover", [[[0, 1], [2, 3]], [[4, 0], [1, 2], [3, 4]], [[0, 1], [2, 3]]]),
    ],
)
def test_batches(last_batch, passes):
    sampler = data.BatchSampler(data.SequentialSampler(5), 2, last_batch)
    for expected in passes:
        assert len(sampler) == len(expected)
        assert list(sampler) == expected


@pytest.mark.parametrize("last_batch", ["keep", "discard", "rollover"])
def test_batches_without_a_rest(last_batch):
    sampler = data.BatchSampler(data.SequentialSampler(4), 2, last_batch)
    assert list(sampler) == list(sampler) == [[0, 1], [2, 3]]
    assert len(sampler) == 2


def test_bad_arguments():
    with pytest.raises(ValueError, match="received 'x'; expected 'keep', 'discard' or 'rollover'"):
        data.BatchSampler(data.SequentialSampler(4), 2, "x")
    with pytest.raises(ValueError, match="batch_size: received 0; expected at least 1"):
        data.BatchSampler(data.SequentialSampler(4), 0)


def test_the_base_asks_for_its_methods():
    with pytest.raises(NotImplementedError, match=r"\[Sampler\] write an __iter__ method"):
        iter(data.Sampler())
    with pytest.raises(NotImplementedError, match=r"\[Sampler\] write a __len__ method"):
        len(data.Sampler())
