"""Where gradients go: writes that recording refuses, operators without gradient, and gradient buffers."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError

REFUSED = "cannot write to an array that is part of a recorded graph"


def variable(*values, req="write"):
    array = nd.array(values or (1.0, 2.0, 3.0))
    array.attach_grad(req)
    return array


def values(array):
    return array.asnumpy().tolist()


def modes():
    return autograd.is_recording(), autograd.is_training()


# -- writing while recording ----------------------------------------------------------------------------------------


def _assign(array):
    array[0] = 1


def _assign_all(array):
    array[:] = 1


def _add(array):
    array += 1


def _multiply(array):
    array *= array


def _out(array):
    nd.broadcast_add(nd.ones(3), nd.ones(3), out=array)


def _copyto(array):
    nd.ones(3).copyto(array)


def _slice_assign(array):
    array.slice_assign_scalar(1, (0,), (1,))


def _export(array):
    array.to_dlpack_for_write()


WRITES = [_assign, _assign_all, _add, _multiply, _out, _copyto, _slice_assign, _export]


@pytest.mark.parametrize("write", WRITES)
def test_writing_to_a_variable_while_recording_is_refused(write):
    x = variable()
    with autograd.record(), pytest.raises(MXNetError, match=REFUSED):
        write(x)
    assert values(x) == [1, 2, 3]
    assert modes() == (False, False)


@pytest.mark.parametrize("write", WRITES)
def test_writing_to_a_recorded_result_while_recording_is_refused(write):
    x = variable()
    with autograd.record():
        y = x * 2
        with pytest.raises(MXNetError, match=REFUSED):
            write(y)
    y.backward()
    assert values(y) == [2, 4, 6]
    assert values(x.grad) == [2, 2, 2]


@pytest.mark.parametrize("write", WRITES)
def test_writing_outside_or_to_constants_is_allowed(write):
    x = variable()
    write(x)
    x.attach_grad("null")
    with autograd.record():
        write(x)
        write(nd.ones(3))
        y = variable() * 2
    write(y)


def test_the_text_shows_the_wrong_and_the_right_line():
    x = variable()
    with autograd.record(), pytest.raises(MXNetError, match=r"^\[\+=\] .*write `y = x \+ 1` instead of `x \+= 1`"):
        x += 1


def test_a_constant_may_receive_a_recorded_result():
    x, target = variable(), nd.zeros(3)
    with autograd.record():
        nd.broadcast_mul(x, x, out=target)
        y = target * 2
    y.backward()
    assert values(target) == [1, 4, 9]
    assert values(x.grad) == [4, 8, 12]


def test_copyto_is_recorded():
    x, target = variable(), nd.zeros(3)
    with autograd.record():
        x.copyto(target)
        y = target * target
    y.backward()
    assert values(x.grad) == [2, 4, 6]


def test_whole_assignment_is_recorded():
    x, target = variable(), nd.zeros(3)
    with autograd.record():
        target[:] = x * 2
        y = target * target
    y.backward()
    assert values(x.grad) == [8, 16, 24]


def test_gradients_read_the_memory_as_it_is_when_backward_runs():
    x = variable()
    with autograd.record():
        y = x * x
    x += 1
    y.backward()
    assert values(x.grad) == [4, 6, 8]


# -- operators without gradient -------------------------------------------------------------------------------------


def test_block_grad_writes_zeros():
    x = variable()
    (x.grad)[:] = 7
    with autograd.record():
        y = nd.BlockGrad(x) * 2
    y.backward()
    assert values(x.grad) == [0, 0, 0]


def test_block_grad_adds_nothing():
    x = variable(req="add")
    for blocked in (False, True):
        with autograd.record():
            y = nd.BlockGrad(x) if blocked else x * 2
        y.backward()
    assert values(x.grad) == [2, 2, 2]


def test_block_grad_beside_a_gradient():
    x = variable()
    with autograd.record():
        y = x * nd.BlockGrad(x)
    y.backward()
    assert values(x.grad) == [1, 2, 3]


def test_detach_gives_a_constant_over_the_same_memory():
    x = variable()
    with autograd.record():
        hidden = x * x
        cut = hidden.detach()
        y = cut * x
    y.backward()
    assert values(x.grad) == [1, 4, 9]
    cut[:] = 0
    assert values(hidden) == [0, 0, 0]


# -- gradient buffers -----------------------------------------------------------------------------------------------


def backward_of_double(x):
    with autograd.record():
        y = x * 2
    y.backward()


@pytest.mark.parametrize(("req", "expected"), [("write", [2] * 3), ("add", [6] * 3), ("null", None)])
def test_grad_req(req, expected):
    x, other = variable(req=req), variable()
    for _ in range(3):
        with autograd.record():
            y = x * 2 + other
        y.backward()
    assert (None if x.grad is None else values(x.grad)) == expected
    assert values(other.grad) == [1, 1, 1]


def test_the_gradient_handle_stays_the_same():
    x = variable()
    gradient = x.grad
    for _ in range(3):
        backward_of_double(x)
        assert x.grad is gradient
    assert values(gradient) == [2, 2, 2]


@pytest.mark.parametrize(
    "share",
    [
        lambda grad: grad[1:],
        lambda grad: grad.reshape((3, 1)),
        lambda grad: grad.detach(),
        lambda grad: grad.expand_dims(0, inplace=True),
        lambda grad: nd.from_torch(grad.as_torch()),
        lambda grad: nd.from_dlpack(grad.to_dlpack_for_write()),
        nd.from_dlpack,
    ],
    ids=["slice", "reshape", "detach", "expand_dims", "torch", "capsule", "dlpack"],
)
def test_views_of_a_gradient_see_every_backward(share):
    x = variable()
    view = share(x.grad)
    for _ in range(2):
        backward_of_double(x)
        assert set(view.asnumpy().ravel()) == {2.0}
    x.grad[:] = 7
    assert set(view.asnumpy().ravel()) == {7.0}


@pytest.mark.parametrize(
    "export",
    [
        lambda grad: grad.as_torch(),
        lambda grad: grad.as_torch().numpy(),
        np.from_dlpack,
        torch.from_dlpack,
        lambda grad: torch.utils.dlpack.from_dlpack(grad.to_dlpack_for_read()),
    ],
    ids=["as_torch", "as_torch numpy", "numpy dlpack", "torch dlpack", "capsule"],
)
def test_exported_gradients_see_every_backward(export):
    x = variable()
    exported = export(x.grad)
    for _ in range(2):
        backward_of_double(x)
    assert exported.tolist() == [2, 2, 2]


@pytest.mark.parametrize("make", [nd.from_numpy, nd.from_dlpack], ids=["from_numpy", "from_dlpack"])
def test_a_gradient_buffer_in_numpy_memory_is_written(make):
    memory = np.zeros(3, "float32")
    x = nd.array([1, 2, 3])
    autograd.mark_variables(x, make(memory))
    backward_of_double(x)
    assert memory.tolist() == [2, 2, 2]


def test_a_gradient_buffer_in_torch_memory_is_written():
    memory = torch.zeros(3)
    x = nd.array([1, 2, 3])
    autograd.mark_variables(x, nd.from_torch(memory))
    backward_of_double(x)
    assert memory.tolist() == [2, 2, 2]


def test_gradients_never_take_over_the_head_gradient():
    x, head = nd.arange(6), nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x.reshape((2, 3))
    y.backward(head)
    x.grad[:] = 7
    assert values(head) == [[1] * 3] * 2
    backward_of_double(x)
    assert values(head) == [[1] * 3] * 2


def test_gradients_of_two_variables_never_share_memory():
    a, b = nd.ones(6), nd.ones((3, 2))
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y = (a.reshape((2, 3)) + b.reshape((2, 3))) * 2
    y.backward()
    a.grad[:] = 9
    assert values(b.grad) == [[2, 2]] * 3
    b.grad[:] = 5
    assert values(a.grad) == [9] * 6


def test_a_large_gradient_is_taken_over_without_a_copy():
    x = mx.nd.ones((64, 64))
    x.attach_grad()
    backward_of_double(x)
    before = x.grad._t
    backward_of_double(x)
    assert x.grad._t is not before


def test_gradients_of_views_reach_the_whole_variable():
    x = variable()
    with autograd.record():
        y = x[1:] * 2
        z = x.reshape((3, 1))[0] * 5
    autograd.backward([y, z])
    assert values(x.grad) == [5, 2, 2]


def test_fresh_gradients_are_known():
    x = variable()
    assert not x._fresh_grad
    backward_of_double(x)
    assert x._fresh_grad
    x._fresh_grad = False
    assert not x._fresh_grad
    assert not nd.ones(1)._fresh_grad


def test_gradients_cross_contexts():
    x = variable()
    with autograd.record():
        y = x.copyto(mx.cpu(1))
        z = y * y
    z.backward()
    assert values(x.grad) == [2, 4, 6]
    assert x.grad.context == mx.cpu(0)


def test_gradients_cross_dtypes():
    x = variable()
    with autograd.record():
        y = x.astype("float64") * 2
    y.backward()
    assert values(x.grad) == [2, 2, 2]
    assert x.grad.dtype == np.float32


def test_second_order_gradients_of_one_layer_in_both_orders():
    """The graph of a layer's gradient shares the transposed weight with the layer's own, and uses up nothing of it."""
    layer = mx.gluon.nn.Dense(3, in_units=4)
    layer.initialize(mx.init.Constant(0.5))
    x, heads = nd.array([[1, 2, 3, 4]]), nd.array([[1, 2, 3]])
    x.attach_grad()
    with autograd.record():
        y, weight = layer(x), layer.weight.data()
        (x_grad,) = autograd.grad(y, [x], heads, create_graph=True, retain_graph=True)
        (weight_grad_grad,) = autograd.grad(x_grad, [weight], nd.ones_like(x_grad))
        (weight_grad,) = autograd.grad(y, [weight], heads, create_graph=True, retain_graph=True)
        (x_grad_grad,) = autograd.grad(weight_grad, [x], nd.ones_like(weight_grad))
    assert values(weight_grad_grad) == [[1] * 4, [2] * 4, [3] * 4]
    assert values(weight_grad) == [[1, 2, 3, 4], [2, 4, 6, 8], [3, 6, 9, 12]]
    assert values(x_grad_grad) == [[6] * 4]
