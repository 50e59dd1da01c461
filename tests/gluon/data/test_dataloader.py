"""Batches of a dataset."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.error import OpIndexError, OpShapeError, OpTypeError
from mxnet.gluon import data
from mxnet.gluon.data import dataloader
from mxnet.gluon.data.dataloader import default_batchify_fn

MIXED = data.ArrayDataset(
    nd.arange(14).reshape((7, 2)),
    nd.arange(7),
    np.arange(7),
    list(range(7)),
    np.arange(7.0, dtype="float16").reshape(7, 1),
    np.arange(7, dtype=">i4"),
    [(i, float(i)) for i in range(7)],
)


def plain(batch):
    """Everything about a batch: types, shapes, values."""
    if isinstance(batch, list):
        return [plain(each) for each in batch]
    assert isinstance(batch, nd.NDArray)
    return np.dtype(batch.dtype).name, batch.shape, batch.asnumpy().tolist(), batch.context


@pytest.mark.parametrize(
    ("samples", "dtype", "shape"),
    [
        ([1.0, 2.0], "float64", (2,)),
        ([1, 2], "int64", (2,)),
        ([True, False], "bool", (2,)),
        ([np.float16(1), np.float16(2)], "float16", (2,)),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        ([np.ones((2, 3), "uint8")] * 4, "uint8", (4, 2, 3)),
        ([nd.ones((2, 3), dtype="int32")] * 4, "int32", (4, 2, 3)),
        ([nd.ones(1)[0]] * 2, "float32", (2, 1)),
    ],
)
def test_default_batchify(samples, dtype, shape):
    batch = default_batchify_fn(samples)
    assert (np.dtype(batch.dtype).name, batch.shape) == (dtype, shape)


def test_default_batchify_of_tuples():
    batch = default_batchify_fn([(nd.ones(2), (1, 2.0)), (nd.zeros(2), (3, 4.0))])
    assert batch[0].asnumpy().tolist() == [[1, 1], [0, 0]]
    assert [each.asnumpy().tolist() for each in batch[1]] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        (
            [nd.ones(2), nd.ones(2), nd.ones(3)],
            OpShapeError,
            r"sample 0 of the batch has shape \(2,\), sample 2 of the batch has shape \(3,\); expected one shape",
        ),
        ([np.ones(2), np.ones(3)], OpShapeError, r"has shape \(2,\), sample 1 .* has shape \(3,\).*pass batchify_fn"),
        ([[[1], [1, 2]]] * 2, OpShapeError, "cannot be made of samples of type list: .*pass batchify_fn"),
        ([], OpIndexError, "received a batch without samples; expected at least one"),
        (["a", "b"], OpTypeError, "cannot be made of samples of type str; expected numbers, arrays, or tuples"),
        ([{"x": 1}], OpTypeError, "samples of type dict"),
        ([(1, 2), (1, 2, 3)], OpShapeError, "sample 0 of the batch has 2 elements, sample 1 of the batch has 3"),
        ([(1, 2), nd.ones(2)], OpShapeError, r"has 2 elements, sample 1 of the batch has shape \(2,\)"),
    ],
)
def test_samples_that_do_not_fit(samples, error, text):
    with pytest.raises(error, match=text):
        default_batchify_fn(samples)


@pytest.mark.parametrize(
    "dataset",
    [
        MIXED,
        MIXED.shard(2, 1),
        MIXED.filter(lambda *sample: True).take(5),
        MIXED.sample(data.RandomSampler(7)),
        data.ArrayDataset(nd.arange(14).reshape((7, 2))),
        data.ArrayDataset(nd.arange(7)),
        data.ArrayDataset(np.arange(14).reshape(7, 2)),
        data.ArrayDataset(nd.arange(14, ctx=mx.cpu(1)).reshape((7, 2)), nd.arange(7)),
        data.ArrayDataset(data.SimpleDataset([1, 2, 3]), nd.arange(3)),
    ],
)
@pytest.mark.parametrize("sampler", [None, "turned"])
def test_batches_at_once_are_batches_of_samples(dataset, sampler):
    order = list(range(len(dataset)))
    if sampler:
        order = order[::-1]
    batches = [order[i : i + 3] for i in range(0, len(order), 3)]
    expected = [plain(default_batchify_fn([dataset[i] for i in batch])) for batch in batches]
    loader = data.DataLoader(dataset, batch_sampler=batches)
    assert [plain(batch) for batch in loader] == expected
    assert len(loader) == len(expected)


def test_arrays_are_indexed_once_a_batch(monkeypatch):
    calls = []
    monkeypatch.setattr(data.ArrayDataset, "__getitem__", lambda self, index: calls.append(index))
    assert len(list(data.DataLoader(data.ArrayDataset(nd.ones((6, 2)), nd.ones(6)).take(4), 2))) == 2
    assert not calls


def test_subclasses_decide_themselves():
    class Doubled(data.ArrayDataset):
        def __getitem__(self, index):
            return 2 * super().__getitem__(index)

    assert next(iter(data.DataLoader(Doubled(nd.arange(3)), 3))).asnumpy().tolist() == [0, 2, 4]


def test_batches_own_their_memory():
    array, numbers = nd.zeros((4, 2)), np.zeros((4, 2))
    for batch in data.DataLoader(data.ArrayDataset(array, numbers), 2):
        for part in batch:
            part[:] = 1
    assert not array.asnumpy().any()
    assert not numbers.any()


@pytest.mark.parametrize("num_workers", [0, 1])
def test_unlike_samples_are_named(num_workers):
    ragged = data.SimpleDataset([nd.ones((2, 3))] * 5 + [nd.ones((2, 4))])
    loader = data.DataLoader(ragged, batch_sampler=[[4, 3, 5]], num_workers=num_workers)
    text = r"sample 4 of the dataset has shape \(2, 3\), sample 5 has shape \(2, 4\); expected one shape"
    with pytest.raises(OpShapeError, match=text):
        list(loader)
    # In a column of an ArrayDataset as well.
    with pytest.raises(OpShapeError, match=text):
        list(data.DataLoader(data.ArrayDataset(ragged, range(6)), batch_sampler=[[4, 3, 5]]))


def test_errors_name_the_sample():
    broken = data.SimpleDataset([1, 0]).transform(lambda x: 1 // x)
    with pytest.raises(ZeroDivisionError) as caught:
        list(data.DataLoader(broken, 2))
    assert caught.value.__notes__ == ["[DataLoader] while reading sample 1 of _LazyTransformDataset."]


@pytest.mark.parametrize("index", [7, -8])
def test_indices_out_of_range(index):
    with pytest.raises(IndexError, match=r"received indices from -?\d to \d in a batch; the dataset has 7 samples"):
        list(data.DataLoader(MIXED, batch_sampler=[[0, index]]))
    with pytest.raises(IndexError, match="without samples"):
        list(data.DataLoader(MIXED, batch_sampler=[[]]))


def test_indices_from_the_end():
    (batch,) = data.DataLoader(MIXED, batch_sampler=[[-1, 0]])
    assert batch[1].asnumpy().tolist() == [6, 0]


def test_batches_take_part_in_recording():
    array = nd.ones((3, 2))
    array.attach_grad()
    with autograd.record():
        (batch,) = data.DataLoader(data.ArrayDataset(array), batch_sampler=[[0, 2, 2]])
        loss = batch.sum()
    loss.backward()
    assert array.grad.asnumpy().tolist() == [[1, 1], [0, 0], [2, 2]]


@pytest.mark.parametrize(
    ("last_batch", "sizes"),
    [(None, [[3, 3, 1]] * 2), ("keep", [[3, 3, 1]] * 2), ("discard", [[3, 3]] * 2), ("rollover", [[3, 3], [3, 3]])],
)
def test_last_batches(last_batch, sizes):
    loader = data.DataLoader(data.ArrayDataset(nd.arange(7)), 3, last_batch=last_batch)
    for expected in sizes:
        assert [len(batch) for batch in loader] == expected
        assert len(loader) in (2, 3)


def values(loader):
    return [number for batch in loader for number in batch.asnumpy().tolist()]


def test_shuffling_follows_the_seed_of_mxnet():
    loader = data.DataLoader(data.ArrayDataset(nd.arange(40)), 8, shuffle=True)
    mx.random.seed(11)
    first, second = values(loader), values(loader)
    assert sorted(first) == list(range(40))
    assert first != second
    mx.random.seed(11)
    assert [values(loader), values(loader)] == [first, second]


def test_other_sources():
    assert values(data.DataLoader([5, 6, 7], 2)) == [5, 6, 7]
    assert [batch.shape for batch in data.DataLoader(nd.arange(3), 2)] == [(2, 1), (1, 1)]
    assert list(data.DataLoader(data.SimpleDataset([]), 2, shuffle=True)) == []
    assert values(data.DataLoader([5, 6, 7], 2, sampler=data.SequentialSampler(2, 1))) == [6, 7]
    transformed = MIXED.transform(lambda image, label, *rest: (image * 2, label))
    images, labels = next(iter(data.DataLoader(transformed, 2)))
    assert images.asnumpy().tolist() == [[0, 2], [4, 6]]
    assert labels.dtype is np.float32


def test_sources_without_a_length():
    class Squares:
        def __getitem__(self, index):
            return index**2

    assert values(data.DataLoader(Squares(), batch_sampler=[[3, 4], [5]])) == [9, 16, 25]


def test_batchify_of_ones_own():
    loader = data.DataLoader(MIXED, 4, batchify_fn=lambda samples: [sample[3] for sample in samples])
    assert list(loader) == [[0, 1, 2, 3], [4, 5, 6]]


def test_loops_inside_each_other():
    loader = data.DataLoader([1, 2, 3, 4], 2)
    assert [(a[0].asscalar(), b[0].asscalar()) for a in loader for b in loader] == [(1, 1), (1, 3), (3, 1), (3, 3)]


def test_reloading():
    loader = data.DataLoader([1, 2], 2, auto_reload=True)
    assert values(loader) == values(loader) == [1, 2]
    assert loader._iter is not None
    loader.clean()
    assert loader._iter is None
    loader.refresh()
    assert values(loader) == [1, 2]


def test_pinned_batches():
    batch = next(iter(data.DataLoader(MIXED, 2, pin_memory=True)))
    assert batch[0].context == batch[-1][0].context == mx.cpu_pinned(0)


def test_private_names():
    # gluon-cv imports these.
    assert plain(dataloader.default_mp_batchify_fn([1, 2])) == plain(default_batchify_fn([1, 2]))
    moved = dataloader._as_in_context([nd.ones(1), (nd.ones(1), "x")], mx.cpu(1))
    assert (moved[0].context, moved[1][0].context, moved[1][1]) == (mx.cpu(1), mx.cpu(1), "x")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, ValueError, "received neither batch_size nor batch_sampler; expected one of them"),
        ({"batch_size": 2, "batch_sampler": [[0]]}, ValueError, "received a batch_sampler together with batch_size"),
        (
            {"batch_size": 2, "shuffle": True, "sampler": data.SequentialSampler(2)},
            ValueError,
            "received shuffle and a sampler; the sampler decides on the order",
        ),
        ({"batch_size": 2, "last_batch": "x"}, ValueError, "last_batch: received 'x'"),
        ({"batch_size": 0}, ValueError, "batch_size: received 0; expected at least 1"),
        ({"batch_size": 2, "last_batch": "x", "num_workers": 2}, ValueError, "last_batch: received 'x'"),
        ({"batch_size": 2, "timeout": 0}, AssertionError, "timeout: received 0; expected a positive number"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        data.DataLoader(MIXED, **arguments)
