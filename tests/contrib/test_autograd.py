"""Automatic gradients as they were before `mxnet.autograd`."""

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.contrib import autograd


def test_sections_switch_recording_and_training_together():
    assert not mx.autograd.is_recording()
    with autograd.train_section():
        assert mx.autograd.is_recording()
        assert mx.autograd.is_training()
        with autograd.test_section():
            assert not mx.autograd.is_recording()
            assert not mx.autograd.is_training()
        assert mx.autograd.is_training()
    assert not mx.autograd.is_recording()
    assert not mx.autograd.is_training()


def test_compute_gradient_of_marked_variables():
    x, gradient = nd.array([1, 2, 3]), nd.zeros(3)
    autograd.mark_variables([x], [gradient])
    with autograd.train_section():
        y = x * x
        autograd.compute_gradient([y])
    assert gradient.asnumpy().tolist() == [2, 4, 6]


def test_weights_of_outputs():
    x, gradient = nd.ones(3), nd.zeros(3)
    autograd.mark_variables([x], [gradient], "add")
    with autograd.train_section():
        y, z = x * 2, x * 3
    autograd.backward([y, z], [nd.array([1, 10, 100]), None])
    assert gradient.asnumpy().tolist() == [5, 23, 203]


def test_gradients_of_functions():
    x, y = nd.array([1, 2]), nd.array([3, 4])
    gradients, result = autograd.grad_and_loss(lambda a, b: a * a * b)(x, y)
    assert result.asnumpy().tolist() == [3, 16]
    assert [each.asnumpy().tolist() for each in gradients] == [[6, 16], [1, 4]]
    (only,) = autograd.grad(lambda a, b: a * b, argnum=1)(x, y)
    assert only.asnumpy().tolist() == [1, 2]


def test_what_is_no_array_is_refused():
    with pytest.raises(AssertionError, match="outputs must be a list or tuple"):
        autograd.backward(nd.ones(2))
    with pytest.raises(AssertionError, match=r"argument 0: received int; type of autograd input should be NDArray"):
        autograd.grad(lambda a: a)(3)
