"""Results that there is no memory for: an error with the operator and the amount, before anything is allocated."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.error import OpMemoryError, memory_text

HUGE = 1 << 62
MUCH = 1 << 50  # elements: a petabyte of bytes and more, which no machine gives


def recorded():
    data = nd.ones((1,))
    data.attach_grad()
    with mx.autograd.record():
        return data.broadcast_to((HUGE,))


def hybridized():
    class Stretch(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.broadcast_to(x, shape=(HUGE,))

    block = Stretch()
    block.hybridize()
    return block(nd.ones((1,)))


@pytest.mark.parametrize(
    ("call", "who"),
    [
        (lambda: nd.broadcast_to(nd.ones((1,)), shape=(HUGE,)), r"\[broadcast_to\] received data float32\(1,\): "),
        (
            lambda: nd.ones((1,)).broadcast_to((MUCH,)),
            r"\[broadcast_to\] .* 4503599627370496 bytes of memory are needed",
        ),
        (lambda: nd.broadcast_axis(nd.ones((1, 1)), axis=(0, 1), size=(1 << 31, 1 << 31)), r"\[broadcast_axis\] "),
        (recorded, r"\[broadcast_to\] received"),
        (hybridized, r"\[graph\] its outputs have the shapes \(4611686018427387904,\): more memory is needed"),
        (lambda: mx.sym.broadcast_to(mx.sym.var("x"), shape=(HUGE,)).eval(x=nd.ones((1,))), r"\[graph\] its outputs"),
        (lambda: nd.zeros((MUCH,)), r"\[_zeros\] "),
        (lambda: nd.ones((HUGE,)), r"\[_ones\] "),
        (lambda: nd.full((MUCH,), 3), r"\[_full\] "),
        (lambda: nd.empty((MUCH,)), r"\[nd.empty\] received the shape \(1125899906842624,\): 4503599627370496 bytes"),
        (lambda: nd.linspace(0, 1, MUCH), r"\[nd.linspace\] received the shape"),
        (lambda: nd.arange(0, 1 << 60), r"\[_arange\] "),
        (lambda: nd.one_hot(nd.zeros((2,)), 1 << 60), r"\[one_hot\] received indices float32\(2,\): "),
        (lambda: nd.tile(nd.zeros((2,)), (1 << 60,)), r"\[tile\] received data"),
        (lambda: nd.random.uniform(shape=(1 << 60,)), r"\[_random_uniform\] "),
        (lambda: nd.ones((1 << 25, 1)) + nd.ones((1, 1 << 25)), r"\[broadcast_add\] received lhs"),
        (lambda: nd.array(np.broadcast_to(np.float32(1), (MUCH,))), r"\[nd.array\] received the shape"),
        (lambda: nd.sparse.zeros("csr", (MUCH, 4)), r"\[CSRNDArray\] received the shape \(1125899906842624, 4\): "),
        (lambda: nd.sparse.zeros("row_sparse", (MUCH, 4)).tostype("default"), r"cannot be made dense with the shape"),
        (lambda: mx.sym.var("x").simple_bind(mx.cpu(), x=(MUCH,)), r"\[_zeros\] "),
        (lambda: mx.np.broadcast_to(mx.np.ones(1), (HUGE,)), r"more memory is needed than can be counted or had"),
        (lambda: mx.np.zeros((HUGE,)), r"\[_npi_zeros\] "),
        (lambda: mx.np.eye(1 << 50), r"\[_npi_eye\] "),
    ],
)
def test_too_much(call, who: str):
    with pytest.raises(OpMemoryError, match=who) as caught:
        call()
    assert isinstance(caught.value, MemoryError)
    assert "alloc" not in str(caught.value)


def test_other_errors_are_not_taken_for_it():
    assert memory_text(RuntimeError("shapes do not fit")) is None
    assert memory_text(MemoryError()) == "more memory is needed than there is"
    with pytest.raises(mx.MXNetError) as caught:
        nd.broadcast_to(nd.ones((2,)), shape=(3,))
    assert not isinstance(caught.value, MemoryError)
