"""Arrays without elements, under NumPy's shapes: as a real MXNet, except that averages over nothing are no NaN."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.error import OpParamError, OpShapeError


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
        (lambda: nd.Pad(ones(1, 0, 4, 4), mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 2, 2)), [(1, 0, 6, 8)]),
        (lambda: nd.Pad(ones(1, 0, 4, 4), mode="reflect", pad_width=(0, 0, 0, 0, 1, 1, 2, 2)), [(1, 0, 6, 8)]),
        (lambda: nd.Pad(ones(1, 2, 0, 4), mode="edge", pad_width=(0, 0, 0, 0, 0, 0, 2, 2)), [(1, 2, 0, 8)]),
        (lambda: nd.contrib.BilinearResize2D(ones(1, 0, 4, 4), height=3, width=5), [(1, 0, 3, 5)]),
        (lambda: nd.contrib.BilinearResize2D(ones(1, 0, 4, 4), height=3, width=5, align_corners=False), [(1, 0, 3, 5)]),
        (
            lambda: nd.contrib.BilinearResize2D(ones(1, 2, 0, 4), scale_height=2, scale_width=2, mode="odd_scale"),
            [(1, 2, 0, 8)],
        ),
        (
            lambda: nd.Deconvolution(
                ones(1, 2, 0, 4), ones(2, 3, 2, 2), kernel=(2, 2), stride=(2, 2), num_filter=3, no_bias=True
            ),
            [(1, 3, 0, 8)],
        ),
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


PLANES = [(0, 2, 4, 4), (1, 0, 4, 4), (1, 2, 0, 4), (1, 2, 4, 0)]


def recorded(call, *arrays):
    """The result of a call, and the gradients of its sum."""
    for each in arrays:
        each.attach_grad()
    with autograd.record():
        result = call(*arrays)
    result.backward()
    return result.asnumpy(), [each.grad.asnumpy() for each in arrays]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("shape", PLANES)
@pytest.mark.parametrize("modulated", [False, True])
def test_deformable_convolutions_of_nothing_give_the_bias(shape, modulated, hybridized):
    """As MXNet, where the gradients of the modulated one exist on a GPU only."""
    batch, channels, height, width = shape
    places = (height + 1, width + 1)
    arrays = [ones(*shape), nd.zeros((batch, 8, *places))]
    arrays += [ones(batch, 4, *places)] if modulated else []
    arrays += [ones(3, channels, 2, 2), nd.arange(3)]
    name = "ModulatedDeformableConvolution" if modulated else "DeformableConvolution"

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *arrays):
            return getattr(F.contrib, name)(*arrays, kernel=(2, 2), num_filter=3, pad=(1, 1))

    net = Net()
    net.hybridize(hybridized)
    result, grads = recorded(net, *arrays)
    assert np.array_equal(result, np.broadcast_to(np.arange(3.0).reshape(3, 1, 1), (batch, 3, *places)))
    assert [grad.shape for grad in grads] == [each.shape for each in arrays]
    assert all(not grad.any() for grad in grads[:-1])
    assert grads[-1].tolist() == [batch * places[0] * places[1]] * 3


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_deconvolutions_of_no_channels_give_the_bias(layout):
    """As MXNet's own kernels; oneDNN's refuse them."""
    options = {"kernel": (2, 2), "num_filter": 3, "no_bias": False, "layout": layout}
    last = layout == "NHWC"
    data, weight = ones(*((1, 4, 4, 0) if last else (1, 0, 4, 4))), ones(*((0, 2, 2, 3) if last else (0, 3, 2, 2)))
    result, grads = recorded(lambda *arrays: nd.Deconvolution(*arrays, **options), data, weight, nd.arange(3))
    expected = np.broadcast_to(np.arange(3.0), (1, 5, 5, 3))
    assert np.array_equal(result, expected if last else expected.transpose(0, 3, 1, 2))
    assert grads[2].tolist() == [25, 25, 25]
    assert [grad.shape for grad in grads[:2]] == [data.shape, weight.shape]


def test_sampling_images_without_places_gives_zeros():
    for shape in [(1, 2, 0, 4), (1, 2, 4, 0), (1, 0, 4, 4)]:
        result, grads = recorded(nd.BilinearSampler, ones(*shape), nd.zeros((1, 2, 3, 3)))
        assert np.array_equal(result, np.zeros((1, shape[1], 3, 3)))
        assert grads[0].shape == shape
        assert np.array_equal(grads[1], np.zeros((1, 2, 3, 3)))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: nd.Pad(ones(1, 2, 0, 4), mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 0, 0)),
            OpShapeError,
            "axis 2 has no element to repeat; expected at least one, or mode='constant'",
        ),
        (
            lambda: nd.Pad(ones(1, 2, 0, 4), mode="reflect", pad_width=(0,) * 8),
            OpShapeError,
            r"cannot mirror \(0, 0\) elements at axis 2 of length 0; expected fewer than its length",
        ),
        (
            lambda: nd.contrib.BilinearResize2D(ones(1, 2, 0, 4), height=3, width=5),
            OpShapeError,
            r"images of the height and width \(0, 4\) have nothing to make \(3, 5\) of",
        ),
        (
            lambda: nd.contrib.BilinearResize2D(ones(1, 2, 4, 4), ones(1, 2, 0, 4), mode="like"),
            OpParamError,
            r"the result would have the height and width \(0, 4\); expected none below 1",
        ),
        (
            lambda: nd.Deconvolution(ones(1, 2, 0, 4), ones(2, 3, 2, 2), kernel=(2, 2), num_filter=3),
            OpShapeError,
            r"data of size \(0, 4\) would give a result of size \(1, 5\); expected at least one element on",
        ),
        (
            lambda: nd.RNN(ones(0, 2, 4), ones(27), ones(1, 2, 3), state_size=3, num_layers=1, mode="rnn_tanh"),
            OpShapeError,
            "expected at least one step of time",
        ),
    ],
)
def test_what_mxnet_cannot_do_either_is_refused(call, error, text):
    """There: a crash, memory of others, or a refusal by the library of kernels."""
    with pytest.raises(error, match=text):
        call()
