"""What editors find out without annotations; pyright alone infers types of parameters from the overridden method.

It does so only where the names and the number of parameters are those of the overridden method, defaults aside. So
each base class declares what its subclasses mostly write; for all others, `F: Operators` says it in one word.
"""

from typing import Any

from typing_extensions import assert_type

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn, rnn
from regluon.operators import Operators, Result


class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        assert_type(F, Operators)
        assert_type(x, Result)
        assert_type(F.relu(x), mx.nd.NDArray)
        assert_type(F.random.uniform(shape=(2,)), mx.nd.NDArray)
        assert_type(F.np.sum(x), mx.np.ndarray)
        assert_type(F.split(x, num_outputs=2), list[mx.nd.NDArray])
        return F.FullyConnected(x + 1, num_hidden=3)


class WithDefault(nn.HybridBlock):
    def hybrid_forward(self, F, x=None):
        assert_type(F, Operators)
        return F.relu(x)


class Loss(gluon.loss.Loss):
    def hybrid_forward(self, F, pred, label, sample_weight=None):
        assert_type(F, Operators)
        assert_type(pred, Result)
        return F.mean(F.square(pred - label), axis=0, exclude=True)


class Cell(rnn.HybridRecurrentCell):
    def hybrid_forward(self, F, inputs, states):
        assert_type(F, Operators)
        return F.tanh(inputs + states[0]), states


class Dense(nn.Dense):
    def hybrid_forward(self, F, x, weight, bias=None):
        assert_type(F, Operators)
        return F.FullyConnected(x, weight, bias, num_hidden=3)


class Conv(nn.Conv2D):
    def hybrid_forward(self, F, x, weight, bias=None):
        assert_type(F, Operators)
        return F.relu(super().hybrid_forward(F, x, weight, bias))


class Norm(nn.BatchNorm):
    def hybrid_forward(self, F, x, gamma, beta, running_mean, running_var):
        assert_type(F, Operators)
        return F.BatchNorm(x, gamma, beta, running_mean, running_var)


# What is not inferred: other names, or more of them. Nothing is refused there, and nothing completes.
class Renamed(nn.HybridBlock):
    def hybrid_forward(self, F, data):
        assert_type(F, Any)
        return F.relu(data)


class Scaled(nn.HybridBlock):
    def hybrid_forward(self, F, x, scale):
        assert_type(F, Any)
        return F.broadcast_mul(x, scale)


class Open(nn.HybridBlock):
    def hybrid_forward(self, F, x, *args, **kwargs):
        assert_type(F, Any)
        return F.relu(x)


class Annotated(nn.HybridBlock):
    def hybrid_forward(self, F: Operators, data, weight, bias=None):
        assert_type(F, Operators)
        assert_type(F.FullyConnected(data, weight, bias, num_hidden=3), mx.nd.NDArray)
        return F.relu(data)
