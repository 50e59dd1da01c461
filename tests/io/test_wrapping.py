import threading

import numpy as np
import pytest

from mxnet.base import MXNetError
from mxnet.error import OpParamError
from mxnet.io import DataBatch, DataIter, NDArrayIter, PrefetchingIter, ResizeIter

X, Y = np.arange(7), np.arange(7) * 10


def values(iterator):
    return [[array.asnumpy().tolist() for array in batch.data] for batch in iterator]


def test_a_pass_of_so_many_batches():
    resized = ResizeIter(NDArrayIter(X, Y, 3), 5)
    assert values(resized) == [[[0, 1, 2]], [[3, 4, 5]], [[6, 0, 1]], [[0, 1, 2]], [[3, 4, 5]]]
    resized.reset()
    assert len(values(resized)) == 5
    assert resized.provide_data == [("data", (3,))]
    assert resized.batch_size == 3


def test_a_pass_that_goes_on_where_the_last_ended():
    resized = ResizeIter(NDArrayIter(X, Y, 3), 2, reset_internal=False)
    resized.data_iter.default_bucket_key = 4
    values(resized)
    resized.reset()
    assert values(resized) == [[[6, 0, 1]], [[0, 1, 2]]]
    assert resized.getlabel()[0].asnumpy().tolist() == [0, 10, 20]
    assert (resized.getpad(), resized.getindex()) == (0, None)
    assert ResizeIter(resized.data_iter, 2).default_bucket_key == 4


def test_an_iterator_without_batches_is_named():
    with pytest.raises(MXNetError, match=r"\[ResizeIter\] NDArrayIter gave no batch after `reset`"):
        next(ResizeIter(NDArrayIter(X, None, 9, last_batch_handle="discard"), 2))
    with pytest.raises(MXNetError, match="there is no current batch yet"):
        ResizeIter(NDArrayIter(X), 2).getdata()


def test_batches_made_in_advance_are_the_same():
    ahead = PrefetchingIter(NDArrayIter(X, Y, 3))
    for _ in range(3):
        assert values(ahead) == values(NDArrayIter(X, Y, 3))
        ahead.reset()
    next(ahead)
    ahead.reset()
    assert values(ahead) == values(NDArrayIter(X, Y, 3))


def test_several_iterators_are_joined():
    joined = PrefetchingIter(
        [NDArrayIter(X, Y, 3), NDArrayIter(X + 1, Y, 3)],
        rename_data=[{"data": "d1"}, {"data": "d2"}],
        rename_label=[{"softmax_label": "l1"}, {"softmax_label": "l2"}],
    )
    assert [desc.name for desc in (*joined.provide_data, *joined.provide_label)] == ["d1", "d2", "l1", "l2"]
    batch = joined.next()
    assert [array.asnumpy().tolist() for array in batch.data] == [[0, 1, 2], [1, 2, 3]]
    assert len(batch.label) == 2
    assert batch.provide_data == joined.provide_data
    assert joined.getdata() is batch.data
    assert (joined.getlabel(), joined.getpad(), joined.getindex()) == (batch.label, 0, None)
    assert joined.batch_size == 3


def test_iterators_of_unequal_length_are_refused():
    joined = PrefetchingIter([NDArrayIter(X, None, 3), NDArrayIter(X[:4], None, 3)])
    next(joined)
    with pytest.raises(
        MXNetError, match=r"number of entry mismatches between iterators: received batches with pad \[0, 2"
    ):
        next(joined)


@pytest.mark.parametrize(
    ("iters", "arguments", "text"),
    [
        ([], {}, "received an empty list; expected one iterator or more"),
        ([NDArrayIter(X)], {"rename_data": []}, "rename_data: received 0 dicts; expected one for each of the 1"),
        ([NDArrayIter(X)], {"rename_data": [{"x": "y"}]}, "expected a new name for 'data' too"),
    ],
)
def test_bad_arguments(iters, arguments, text):
    with pytest.raises(OpParamError, match=text):
        PrefetchingIter(iters, **arguments)


class Failing(DataIter):
    provide_data = [("data", (2,))]
    provide_label: list = []

    def __init__(self):
        super().__init__(2)
        self.count = 0
        self.threads = set()

    def next(self):
        self.threads.add(threading.current_thread().name)
        self.count += 1
        if self.count == 2:
            raise ValueError("damaged batch")
        return DataBatch([np.ones(2)], [], pad=0)

    def reset(self):
        self.count = 2


def test_errors_of_the_background_are_raised_at_the_call():
    source = Failing()
    ahead = PrefetchingIter(source, rename_data=[{"data": "x"}])
    assert ahead.provide_data == [("data", (2,))]
    next(ahead)
    for _ in range(2):
        with pytest.raises(ValueError, match="damaged batch"):
            next(ahead)
    ahead.reset()
    next(ahead)
    assert all(name.startswith("prefetch") for name in source.threads)


def test_a_plain_iterator_gives_what_its_parts_give():
    class Counting(DataIter):
        def __init__(self):
            super().__init__(1)
            self.left = 2

        def iter_next(self):
            self.left -= 1
            return self.left >= 0

        def getdata(self):
            return [self.left]

    assert [batch.data for batch in Counting()] == [[1], [0]]
    assert iter(counting := Counting()) is counting
    assert next(counting).index is None
    assert DataIter().reset() is None
