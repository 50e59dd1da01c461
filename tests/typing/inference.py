"""What editors find out without annotations; pyright alone infers types of parameters from the overridden method."""

from typing_extensions import assert_type

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.operators import Operators, Result


class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        assert_type(F, Operators)
        assert_type(x, Result)
        assert_type(F.relu(x), mx.nd.NDArray)
        assert_type(F.random.uniform(shape=(2,)), mx.nd.NDArray)
        assert_type(F.np.sum(x), mx.np.ndarray)
        return F.FullyConnected(x + 1, num_hidden=3)


class Scaled(nn.HybridBlock):
    def hybrid_forward(self, F, data, scale):
        return F.broadcast_mul(data, scale)
