import numpy as np
import pytest

from mxnet import nd
from mxnet.error import OpParamError
from mxnet.io import NDArrayIter
from regluon.array.sparse.csr import CSRNDArray
from tests.io.recorded import NOTES, passes

X, Y = np.arange(7), np.arange(7) * 10


@pytest.mark.parametrize(("arguments", "expected"), NOTES["arrays"], ids=lambda value: str(value)[:70])
def test_batches_are_those_of_mxnet(arguments, expected):
    np.random.seed(5)
    found = passes(NDArrayIter(X, Y, **arguments))
    assert [[[data.tolist(), label.tolist(), pad] for data, label, pad in batches] for batches in found] == expected


def test_names_and_shapes():
    several = NDArrayIter([X, X + 1], {"b": Y, "a": Y}, 2)
    assert several.provide_data == [("_0_data", (2,)), ("_1_data", (2,))]
    assert several.provide_label == [("a", (2,)), ("b", (2,))]
    named = NDArrayIter({"b": X.astype("f8"), "a": nd.array(X, dtype="int32")}, Y, 2, data_name="unused")
    assert [(desc.name, desc.dtype) for desc in named.provide_data] == [("a", np.int32), ("b", np.float32)]
    assert NDArrayIter(X, batch_size=2, data_name="x").provide_data[0].name == "x"
    assert NDArrayIter(X, batch_size=2).provide_label == []
    assert (several.num_source, len(several.data_list), several.num_data) == (4, 4, 7)


def test_shuffling_keeps_the_dtype_and_the_pairs():
    iterator = NDArrayIter(nd.array(X, dtype="int32"), Y, 7, shuffle=True)
    batch = next(iterator)
    assert batch.data[0].dtype == np.int32
    np.testing.assert_array_equal(batch.data[0].asnumpy() * 10, batch.label[0].asnumpy())


def test_examples_along_another_axis():
    iterator = NDArrayIter(np.arange(14).reshape(2, 7), None, 3, layout="TN")
    assert iterator.provide_data[0] == ("data", (2, 3))
    batches = [batch.data[0].asnumpy().tolist() for batch in iterator]
    assert batches[0] == [[0, 1, 2], [7, 8, 9]]
    assert batches[-1] == [[6, 0, 1], [13, 7, 8]]


def test_roll_over_with_batches_larger_than_the_data():
    iterator = NDArrayIter(np.arange(3), None, 8, last_batch_handle="roll_over")
    found = [[batch.data[0].asnumpy().tolist() for batch in _once(iterator)] for _ in range(4)]
    assert found == [[], [], [[0, 1, 2, 0, 1, 2, 0, 1]], []]


def _once(iterator):
    yield from iterator
    iterator.reset()


def test_a_hard_reset_forgets_what_rolled_over():
    iterator = NDArrayIter(X, Y, 3, last_batch_handle="roll_over")
    list(iterator)
    iterator.hard_reset()
    assert iterator.cursor == -3
    assert next(iterator).data[0].asnumpy().tolist() == [0, 1, 2]


def test_the_current_batch_can_be_asked_for_again():
    iterator = NDArrayIter(X, Y, 3)
    assert iterator.iter_next()
    for _ in range(2):
        assert iterator.getdata()[0].asnumpy().tolist() == [0, 1, 2]
        assert iterator.getlabel()[0].asnumpy().tolist() == [0, 10, 20]
    assert (iterator.getpad(), iterator.getindex()) == (0, None)


def test_batches_do_not_share_memory_with_the_data():
    source = nd.array(X)
    next(NDArrayIter(source, None, 3)).data[0][:] = -1
    assert source.asnumpy().tolist() == X.tolist()


def test_sparse_arrays():
    matrix = nd.array(np.eye(4)).tostype("csr")
    batches = [batch.data[0] for batch in NDArrayIter(matrix, np.arange(4), 3, last_batch_handle="discard")]
    assert len(batches) == 1
    assert isinstance(batches[0], CSRNDArray)
    np.testing.assert_array_equal(batches[0].asnumpy(), np.eye(4)[:3])
    shuffled = next(NDArrayIter(matrix, np.arange(4), 4, shuffle=True, last_batch_handle="discard"))
    np.testing.assert_array_equal(shuffled.data[0].asnumpy().argmax(1), shuffled.label[0].asnumpy())
    with pytest.raises(NotImplementedError, match="received a CSRNDArray with last_batch_handle='pad'; expected 'disc"):
        NDArrayIter(matrix, None, 2)


class Dataset:
    """Stands for one of h5py."""


Dataset.__module__ = "h5py._hl.dataset"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"data": X, "batch_size": 0}, OpParamError, "batch_size: received 0; expected a whole number from 1 on"),
        ({"data": X, "batch_size": -1}, OpParamError, "batch_size: received -1"),
        ({"data": X, "batch_size": 2.5}, OpParamError, "batch_size: received 2.5"),
        ({"data": np.zeros((0, 3))}, OpParamError, r"data: received an array of shape \(0, 3\); expected at least one"),
        ({"data": X, "label": Y[:3]}, OpParamError, r"softmax_label: received 3 examples .*; expected 7 as in data"),
        ({"data": "abc"}, TypeError, r"data: received str; expected an NDArray or a NumPy array"),
        ({"data": (X, Y)}, TypeError, r"data: received tuple"),
        ({"data": {"x": "abc"}}, TypeError, r"x: received builtins.str; expected an NDArray or a NumPy array of n"),
        ({"data": None}, ValueError, "data: received no array; expected at least one"),
        ({"data": []}, ValueError, "data: received no array"),
        ({"data": X, "last_batch_handle": "keep"}, OpParamError, "last_batch_handle: received 'keep'; expected one of"),
        ({"data": X, "layout": "CHW"}, OpParamError, "layout: received 'CHW'; expected an axis N"),
        (
            {"data": X, "layout": "TN"},
            OpParamError,
            r"expected at least one example along axis 1, the N of layout 'TN'",
        ),
        ({"data": Dataset()}, TypeError, r"received h5py.Dataset, which stays on disk; .*Write `dataset\[:\]`"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        NDArrayIter(**arguments)
