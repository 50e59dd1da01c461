"""Mistakes that checkers find while they are written: each line has what their texts must contain. Nothing runs it."""

import mxnet as mx
from mxnet import gluon, nd, sym
from mxnet.gluon import nn
from mxnet.gluon.operators import Operators


def arrays(x: nd.NDArray) -> None:
    nd.softmax(x, axsi=1)  # error: axsi
    nd.FullyConnected(x, x, num_hiden=3)  # error: num_hiden
    nd.FullyConnected(x, x, num_hidden="three")  # error: num_hidden|arg-type
    nd.Activation(x, act_type="reluu")  # error: act_type|arg-type
    nd.Activation(x)  # error: act_type
    nd.concat(x, x, axis=1)  # error: axis
    nd.sotfmax(x)  # error: sotfmax
    nd.contrib.box_ioo(x, x)  # error: box_ioo
    x.clip("low", 1)  # error: a_min|arg-type
    x.sum(axes=1)  # error: axes
    x.asnmupy()  # error: asnmupy
    x.shape()  # error: call
    x + "1"  # error: +
    x - None  # error: -
    x * {1: 2}  # error: *


def symbols(x: sym.Symbol) -> None:
    sym.Pooling(x, pool_type="most")  # error: pool_type|arg-type
    sym.Convolution(x, kernal=(3, 3), num_filter=8)  # error: kernal
    sym.relu(x, nmae="a")  # error: nmae
    x + "1"  # error: +


def numpy_arrays(a: mx.np.ndarray) -> None:
    mx.np.sun(a)  # error: sun
    mx.np.sum(a, axs=0)  # error: axs
    mx.npx.softmax(a, axsi=1)  # error: axsi
    a.asnmupy()  # error: asnmupy
    a @ "b"  # error: @


def layers(x: nd.NDArray) -> None:
    nn.Dense(3, actvation="relu")  # error: actvation
    nn.Dense()  # error: units
    nn.Conv2D(8)  # error: kernel_size
    nn.Dens(3)  # error: Dens
    nn.Dense(3)(x).asnmupy()  # error: asnmupy
    nn.Dense(3)([1, 2])  # error: list
    gluon.loss.L2Los()  # error: L2Los
    gluon.Trainer(nn.Dense(3).collect_params())  # error: optimizer
    nn.Dense(3).hybridise()  # error: hybridise
    nn.Dense(3).weight.dat()  # error: dat
    mx.init.Xavierr()  # error: Xavierr


class Net(nn.HybridBlock):
    def hybrid_forward(self, F: Operators, x: nd.NDArray) -> nd.NDArray:
        F.rleu(x)  # error: rleu
        return F.softmax(x, axsi=1)  # error: axsi
