"""Datasets."""

import numpy as np
import pytest

from mxnet import nd
from mxnet.gluon import data
from mxnet.gluon.data import dataset as dataset_module

DIGITS = data.SimpleDataset(list(range(10)))


def contents(dataset):
    return [dataset[i] for i in range(len(dataset))]


def test_arrays_side_by_side():
    dataset = data.ArrayDataset(nd.arange(6).reshape((3, 2)), nd.arange(3), [7, 8, 9])
    image, label, number = dataset[1]
    assert len(dataset) == 3
    assert image.asnumpy().tolist() == [2, 3]
    assert (label, number) == (1, 8)
    # Elements of a flat NDArray are plain numbers, as in MXNet.
    assert isinstance(label, np.float32)


def test_a_single_array_gives_no_tuples():
    assert data.ArrayDataset([1, 2])[1] == 2
    assert data.ArrayDataset(nd.ones((2, 3)))[0].shape == (3,)


def test_datasets_of_datasets():
    assert data.ArrayDataset(DIGITS, DIGITS.transform(lambda x: -x))[4] == (4, -4)


def test_lengths_must_agree():
    with pytest.raises(AssertionError, match=r"received arrays of lengths \[3, 2\]; expected one length"):
        data.ArrayDataset(nd.ones(3), nd.ones(2))
    with pytest.raises(AssertionError, match="received nothing; expected at least one array"):
        data.ArrayDataset()


@pytest.mark.parametrize("lazy", [True, False])
def test_transform(lazy):
    pairs = data.SimpleDataset([(1, 2), (3, 4)])
    assert contents(pairs.transform(lambda x, y: x + y, lazy)) == [3, 7]
    assert contents(pairs.transform_first(lambda x: -x, lazy)) == [(-1, 2), (-3, 4)]
    assert contents(DIGITS.take(2).transform_first(lambda x: -x, lazy)) == [0, -1]
    # Lists, unlike tuples, are one argument.
    assert contents(data.SimpleDataset([[1, 2]]).transform(lambda x: x[::-1], lazy)) == [[2, 1]]


def test_lazy_transforms_run_when_a_sample_is_read():
    read = []
    lazy = DIGITS.transform(read.append)
    assert not read
    contents(lazy)
    contents(lazy)
    assert read == [*range(10), *range(10)]
    read.clear()
    eager = DIGITS.transform(read.append, lazy=False)
    contents(eager)
    assert read == list(range(10))


@pytest.mark.parametrize("num_shards", [1, 3, 4, 10, 12])
def test_shards_cover_all_samples(num_shards):
    shards = [DIGITS.shard(num_shards, i) for i in range(num_shards)]
    lengths = [len(shard) for shard in shards]
    assert [sample for shard in shards for sample in contents(shard)] == list(range(10))
    assert lengths == sorted(lengths, reverse=True)
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize(("num_shards", "index"), [(2, 2), (2, -1), (0, 0)])
def test_bad_shards(num_shards, index):
    with pytest.raises(AssertionError, match=rf"num_shards={num_shards}, index={index}; expected at least one shard"):
        DIGITS.shard(num_shards, index)


def test_take_filter_sample():
    assert contents(DIGITS.take(3)) == [0, 1, 2]
    assert len(DIGITS.take(None)) == len(DIGITS.take(99)) == 10
    assert contents(DIGITS.filter(lambda x: x % 2).take(2)) == [1, 3]
    assert contents(DIGITS.sample(data.SequentialSampler(2, 5))) == [5, 6]
    random = DIGITS.sample(data.RandomSampler(10))
    assert contents(random) == contents(random)
    assert sorted(contents(random)) == list(range(10))


def test_samplers_only():
    with pytest.raises(TypeError, match=r"received list; expected a gluon.data.Sampler"):
        DIGITS.sample([1, 2])


def test_downloaded_datasets_ask_for_their_method(tmp_path):
    with pytest.raises(NotImplementedError, match="write a _get_data method"):
        dataset_module._DownloadedDataset(tmp_path / "new", None)
    assert (tmp_path / "new").is_dir()


def test_the_base_asks_for_its_methods():
    with pytest.raises(NotImplementedError, match=r"\[Dataset\] write a __getitem__ method"):
        data.Dataset()[0]
    with pytest.raises(NotImplementedError, match=r"\[Dataset\] write a __len__ method"):
        len(data.Dataset())
