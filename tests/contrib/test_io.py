"""Data loaders as iterators of modules."""

import mxnet as mx
from mxnet import gluon, nd
from mxnet.contrib.io import DataLoaderIter


def test_the_last_batch_is_filled_up():
    data = gluon.data.ArrayDataset(nd.arange(10).reshape((5, 2)), nd.arange(5))
    iterator = DataLoaderIter(gluon.data.DataLoader(data, 2), data_name="x", label_name="y", dtype="float16")
    assert iterator.provide_data == [mx.io.DataDesc("x", (2, 2), "float16")]
    assert iterator.provide_label == [mx.io.DataDesc("y", (2,), "float16")]
    for _ in range(2):
        batches = [(b.data[0].asnumpy().tolist(), b.label[0].asnumpy().tolist(), b.pad) for b in iterator]
        assert batches == [
            ([[0, 1], [2, 3]], [0, 1], 0),
            ([[4, 5], [6, 7]], [2, 3], 0),
            ([[8, 9], [0, 0]], [4, 0], 1),
        ]
        assert batches[0][0][0][0].__class__ is float
        iterator.reset()


def test_modules_train_on_loaders():
    x = nd.random.uniform(shape=(20, 3))
    data = gluon.data.ArrayDataset(x, (x[:, 0] > 0.5))
    iterator = DataLoaderIter(gluon.data.DataLoader(data, 8))
    network = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax")
    module = mx.mod.Module(network)
    module.fit(iterator, optimizer_params={"learning_rate": 1.0}, num_epoch=20)
    assert module.score(iterator, "acc")[0][1] > 0.8
