"""A program for mypy, which checks that the stubs know what operators take and return; nothing runs it.

An `ignore` that is not needed is an error, so each of them says that a wrong argument is found.
"""

from typing import TYPE_CHECKING

import mxnet as mx
from mxnet import nd, sym

if TYPE_CHECKING:
    from typing_extensions import assert_type


def arrays(x: nd.NDArray) -> None:
    assert_type(nd.sum(x, axis=1), nd.NDArray)
    assert_type(x.sum(axis=(0, 1)), nd.NDArray)
    assert_type(nd.FullyConnected(x, x, no_bias=True, num_hidden=3), nd.NDArray)
    assert_type(nd.sgd_mom_update(x, x, x, lr=0.1, momentum=0.9, out=x), nd.NDArray)
    assert_type(nd.random_uniform(low=-1, shape=(2, 3), dtype="float16"), nd.NDArray)
    assert_type(nd.linalg.gemm2(x, x, transpose_a=True), nd.NDArray)
    assert_type(nd._internal._npi_normal(loc=0.0, scale=1.0, size=(2,)), nd.NDArray)
    nd.FullyConnected(x, x, num_hidden="three")  # type: ignore[arg-type]
    nd.Activation(x, act_type="reluu")  # type: ignore[arg-type]
    x.clip("low", 1)  # type: ignore[arg-type]


def symbols(x: sym.Symbol) -> None:
    assert_type(sym.Convolution(x, kernel=(3, 3), num_filter=8, name="conv"), sym.Symbol)
    assert_type(sym.split(x, num_outputs=2), sym.Symbol)
    assert_type(x.softmax(axis=-1), sym.Symbol)
    assert_type(mx.sym.adam_update(x, x, x, x, lr=0.1), sym.Symbol)
    sym.Pooling(x, pool_type="most")  # type: ignore[arg-type]
