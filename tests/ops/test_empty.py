"""Arrays without elements, under NumPy's shapes: as a real MXNet, except that averages over nothing are no NaN."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd


@pytest.fixture(autouse=True)
def _shapes_as_numpy():
    with mx.util.np_shape(True):
        yield


def ones(*shape):
    return nd.ones(shape)


@pytest.mark.parametrize(
    ("call", "shapes"),
    [
        (lambda: nd.argmax(ones(0, 3), axis=1), [(0,)]),
        (lambda: nd.argmin(ones(2, 0, 4), axis=-1, keepdims=True), [(2, 0, 1)]),
        (lambda: nd.argmax_channel(ones(0, 3)), [(0,)]),
        (lambda: nd.Pooling(ones(2, 0, 6, 6), kernel=(3, 3), stride=(2, 2)), [(2, 0, 2, 2)]),
        (lambda: nd.Pooling(ones(0, 3, 6, 6), kernel=(3, 3), pool_type="avg"), [(0, 3, 4, 4)]),
        (lambda: nd.Pooling(ones(2, 0, 6), kernel=(3,)), [(2, 0, 4)]),
        (lambda: nd.LRN(ones(2, 5, 0, 2), nsize=3), [(2, 5, 0, 2)]),
        (lambda: nd.InstanceNorm(ones(2, 4, 0), ones(4), ones(4)), [(2, 4, 0)]),
        (lambda: nd.split(ones(2, 0), num_outputs=3, axis=1), [(2, 0)] * 3),
        (lambda: nd.split_v2(ones(2, 0), (1, 3), axis=1), [(2, 0)] * 3),
        (lambda: nd.slice_axis(ones(0, 5), axis=0, begin=1, end=3), [(0, 5)]),
        (lambda: nd.slice_axis(ones(0, 5), axis=0, begin=0, end=None), [(0, 5)]),
        (lambda: nd.contrib.boolean_mask(ones(3, 2), nd.zeros((3,))), [(0, 2)]),
        (lambda: nd.SequenceMask(ones(0, 2), ones(2), use_sequence_length=True), [(0, 2)]),
        (lambda: nd.BatchNorm(ones(0, 3, 2), *(ones(3) for _ in range(4))), [(0, 3, 2)]),
    ],
)
def test_shapes_as_mxnet(call, shapes):
    results = call()
    results = results if isinstance(results, (list, tuple)) else [results]
    assert [result.shape for result in results] == shapes


def test_there_is_no_extreme_of_nothing():
    with pytest.raises(mx.MXNetError, match="expected at least one element to choose from, got none"):
        nd.argmax(ones(3, 0), axis=1)


def test_the_cross_entropy_of_no_rows_is_zero():
    assert nd.softmax_cross_entropy(ones(0, 4), ones(0)).asnumpy().tolist() == [0]


@pytest.mark.parametrize("hybridized", [False, True])
def test_an_empty_batch_leaves_the_averages_where_they_are(hybridized):
    layer = mx.gluon.nn.BatchNorm(in_channels=3)
    layer.initialize()
    if hybridized:
        layer.hybridize()
    with autograd.record():
        result = layer(ones(0, 3, 4))
    result.backward()
    assert result.shape == (0, 3, 4)
    assert layer.running_mean.data().asnumpy().tolist() == [0, 0, 0]
    assert layer.running_var.data().asnumpy().tolist() == [1, 1, 1]
    assert layer.gamma.grad().asnumpy().tolist() == [0, 0, 0]


def test_gradients_of_weights_that_met_nothing_are_zero():
    data, gamma, beta = ones(2, 4, 0), ones(4), ones(4)
    for each in (data, gamma, beta):
        each.attach_grad()
    with autograd.record():
        result = nd.InstanceNorm(data, gamma, beta)
    result.backward()
    assert data.grad.shape == (2, 4, 0)
    assert np.array_equal(gamma.grad.asnumpy(), np.zeros(4))
    assert np.array_equal(beta.grad.asnumpy(), np.zeros(4))
