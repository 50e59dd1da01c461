"""How workers share the samples."""

import itertools
import random
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError
from mxnet.gluon.data import (
    ArrayDataset,
    BatchSampler,
    DataLoader,
    DistributedSampler,
    SplitSampler,
)
from mxnet.gluon.data._sampler_stages import dealt_order
from tests.distributed.ranks import run_ranks

SIZES = [(length, workers) for length in (1, 4, 10, 11, 12) for workers in (1, 2, 3, 4)]


def _shares(length, workers, **options):
    return [DistributedSampler(length, rank=rank, num_workers=workers, **options) for rank in range(workers)]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(("length", "workers"), SIZES)
def test_ranks_together_have_all_samples_and_each_as_many(length, workers, shuffle):
    for _ in range(2):
        parts = [list(sampler) for sampler in _shares(length, workers, shuffle=shuffle)]
        counts = np.bincount([*itertools.chain(*parts)], minlength=length)
        assert {len(part) for part in parts} == {-(-length // workers)}
        assert counts.min() >= 1
        assert counts.sum() == -(-length // workers) * workers
        assert counts.max() - counts.min() <= 1  # what comes twice has to


@pytest.mark.parametrize(("length", "workers"), SIZES)
def test_what_does_not_divide_can_be_dropped(length, workers):
    samplers = _shares(length, workers, drop_last=True)
    parts = [list(sampler) for sampler in samplers]
    assert [len(part) for part in parts] == [len(sampler) for sampler in samplers] == [length // workers] * workers
    assert len(set(itertools.chain(*parts))) == length // workers * workers


def test_an_order_depends_on_seed_and_pass_alone():
    first = DistributedSampler(100, seed=5, rank=0, num_workers=2)
    orders = [list(first) for _ in range(3)]
    assert orders[0] != orders[1] != orders[2]
    random.seed(1)
    np.random.seed(1)
    mx.random.seed(1)
    states = random.getstate(), np.random.get_state()[1].tolist()
    resumed = DistributedSampler(100, seed=5, rank=0, num_workers=2)
    resumed.set_epoch(1)
    assert [list(resumed), list(resumed)] == orders[1:]
    assert resumed.epoch == 3
    assert states == (random.getstate(), np.random.get_state()[1].tolist())
    assert list(DistributedSampler(100, seed=6, rank=0, num_workers=2)) != orders[0]
    assert list(DistributedSampler(6, shuffle=False, rank=1, num_workers=2)) == [1, 3, 5]
    # Runs that are resumed later, and ranks elsewhere, need this very order.
    assert dealt_order(10, 1, 0, (5, 2), False).tolist() == [7, 8, 6, 1, 3, 4, 0, 9, 2, 5]


def test_a_copy_goes_on_where_the_sampler_is():
    sampler = DistributedSampler(20, rank=1, num_workers=3)
    list(sampler)
    copied = ForkingPickler.loads(ForkingPickler.dumps(sampler))
    assert list(copied) == list(sampler)
    split = SplitSampler(20, 3, 1, seed=4)
    list(split)
    copied = ForkingPickler.loads(ForkingPickler.dumps(split))
    assert list(copied) == list(split)


@pytest.mark.parametrize("last_batch", ["keep", "discard", "rollover"])
@pytest.mark.parametrize("length", [9, 10, 11, 13])
def test_every_rank_has_as_many_batches(length, last_batch):
    batches = [BatchSampler(sampler, 2, last_batch) for sampler in _shares(length, 3)]
    for _ in range(4):
        lengths = [len(each) for each in batches]
        found = [[len(batch) for batch in each] for each in batches]
        assert found[0] == found[1] == found[2]
        assert lengths == [len(found[0])] * 3


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders_take_it(workers):
    dataset = ArrayDataset(np.arange(11))
    found = []
    for rank in range(2):
        sampler = DistributedSampler(dataset, seed=1, rank=rank, num_workers=2)
        loader = DataLoader(dataset, batch_size=4, sampler=sampler, num_workers=workers)
        passes = [[int(each) for batch in loader for each in batch.asnumpy()] for _ in range(2)]
        expected = [dealt_order(11, 2, rank, (1, epoch), False).tolist() for epoch in range(2)]
        assert passes == expected
        found += passes[0]
    assert sorted(set(found)) == list(range(11))


def _share_of_a_launch():
    return list(DistributedSampler(7)), list(DistributedSampler(7, rank=0, num_workers=1))


def test_the_launch_tells_rank_and_number():
    results = run_ranks(_share_of_a_launch, 3)
    whole = results[0][1]
    assert sorted(whole) == list(range(7))
    padded = [*whole, *whole[:2]]
    assert [own for own, _ in results] == [padded[rank::3] for rank in range(3)]


def test_a_process_alone_has_all(monkeypatch):
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "DMLC_WORKER_ID"):
        monkeypatch.delenv(name, raising=False)
    assert sorted(DistributedSampler([5, 6, 7])) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"dataset": 2.5}, r"\[DistributedSampler\] dataset: received 2.5; expected a whole number, at least 0"),
        ({"dataset": 5, "rank": 1}, "received rank=1, num_workers=None; expected both, or neither"),
        ({"dataset": 5, "rank": 2, "num_workers": 2}, "rank: received 2; expected 0 to num_workers - 1 = 1"),
        ({"dataset": 5, "rank": 0, "num_workers": 0}, "num_workers: received 0; expected a whole number, at least 1"),
        ({"dataset": 5, "seed": -1}, "seed: received -1; expected a whole number, at least 0"),
    ],
)
def test_what_distributed_samplers_refuse(arguments, text):
    with pytest.raises(OpParamError, match=text):
        DistributedSampler(**arguments)


def test_a_pass_has_no_number_below_0():
    with pytest.raises(OpParamError, match="epoch: received -1"):
        DistributedSampler(3, rank=0, num_workers=1).set_epoch(-1)


@pytest.mark.parametrize(("length", "parts"), [(10, 3), (12, 3), (11, 4), (3, 3)])
def test_consecutive_parts(length, parts):
    samplers = [SplitSampler(length, parts, part) for part in range(parts)]
    found = [sorted(sampler) for sampler in samplers]
    assert [*itertools.chain(*found)] == list(range(length))
    assert [len(part) for part in found] == [len(sampler) for sampler in samplers]
    assert max(map(len, found)) - min(map(len, found)) <= 1


def test_parts_as_gluonnlp_cuts_them():
    assert [sorted(SplitSampler(10, 3, part)) for part in range(3)] == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    even = [list(SplitSampler(10, 3, part, True, 1, False)) for part in range(3)]
    assert even[:2] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert even[2][:2] == [8, 9]
    assert len(even[2]) == 4
    assert list(SplitSampler(4, 2, 1, shuffle=False, repeat=3)) == [2, 3] * 3
    assert len(SplitSampler(4, 2, 1, repeat=3)) == 6
    assert [len(list(SplitSampler(5, 4, part, even_size=True))) for part in range(4)] == [2] * 4


def test_orders_of_parts():
    random.seed(3)
    first = [list(SplitSampler(50, 2, 1)) for _ in range(2)]
    random.seed(3)
    assert first == [list(SplitSampler(50, 2, 1)) for _ in range(2)]
    assert first[0] != first[1]
    state = random.getstate()
    seeded = [SplitSampler(50, 2, 1, seed=9) for _ in range(2)]
    passes = [[list(sampler) for _ in range(2)] for sampler in seeded]
    assert passes[0] == passes[1]
    assert passes[0][0] != passes[0][1]
    assert sorted(passes[0][0]) == list(range(25, 50))
    assert random.getstate() == state


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((5, 0), r"\[SplitSampler\] num_parts: received 0; expected a whole number, at least 1"),
        ((5, 2, 2), "part_index: received 2; expected 0 to num_parts - 1 = 1"),
        ((2, 3), "length: received 2; expected at least one for each of 3 parts"),
        ((5, 1, 0, False, 0), "repeat: received 0"),
        ((-1,), "length: received -1"),
    ],
)
def test_what_split_samplers_refuse(arguments, text):
    with pytest.raises(OpParamError, match=text):
        SplitSampler(*arguments)
