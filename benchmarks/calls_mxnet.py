"""Small eager calls, for this library and the real MXNet 1.9.1 alike: what a call costs besides its arithmetic."""

import numpy as np
from workload import Job, Timed

from mxnet import autograd, nd

LOOPS = 1000


def _plain(call) -> Timed:
    """Seconds of a call. `call` repeats it a number of times, and returns the last result."""
    return Timed(lambda argument: Job(lambda: [call(LOOPS)], nd.waitall, warm_up=2, share=LOOPS))


def _recorded(call) -> Timed:
    """The same while autograd records."""

    def run():
        with autograd.record():
            return [call(LOOPS)]

    return Timed(lambda argument: Job(run, nd.waitall, warm_up=2, share=LOOPS))


a, b = nd.ones((3, 4)) * 0.5, nd.ones((3, 4)) * 1.5
variable = nd.ones((3, 4)) * 0.5
variable.attach_grad()


def _add(left):
    def call(loops: int):
        for _ in range(loops):
            found = left + b
        return found

    return call


def _add_scalar(loops: int):
    for _ in range(loops):
        found = a + 1.5
    return found


def _mul_chain(left):
    """Eight products, one after the other."""

    def call(loops: int):
        for _ in range(loops):
            found = left * b * b * b * b * b * b * b * b
        return found

    return call


def _backward(loops: int):
    """Two recorded operators and their backward."""
    for _ in range(loops):
        with autograd.record():
            found = variable * b + a
        found.backward()
    return variable.grad


def _numbers(*shape) -> nd.NDArray:
    return nd.array(np.random.RandomState(0).uniform(-1, 2, shape))


# Operators that take more than arrays, each of the array that gradients are asked of.
x, other = _numbers(3, 4), _numbers(3, 4)
wide, weight, bias = _numbers(4, 16), _numbers(16, 16), _numbers(16)
CALLS = {
    "sum_axis": (x, lambda x: nd.sum(x, axis=1)),
    "mean_axis": (x, lambda x: x.mean(axis=0)),
    "fully_connected": (weight, lambda weight: nd.FullyConnected(wide, weight, bias, num_hidden=16)),
    "reshape": (x, lambda x: x.reshape((4, 3))),
    "transpose": (x, lambda x: x.transpose((1, 0))),
    "slice": (x, lambda x: x[1:3]),
    "concat": (x, lambda x: nd.concat(x, other, dim=1)),
    "softmax": (x, lambda x: nd.softmax(x, axis=-1)),
    "clip": (x, lambda x: nd.clip(x, 0, 1)),
    "relu": (x, nd.relu),
    "activation": (x, lambda x: nd.Activation(x, act_type="tanh")),
}


def _repeated(array: nd.NDArray, call) -> Timed:
    def repeat(loops: int):
        for _ in range(loops):
            found = call(array)
        return found

    return _plain(repeat)


def _with_backward(array: nd.NDArray, call) -> Timed:
    """The call while autograd records, and the backward of it from a gradient that is not the same everywhere."""
    head = _numbers(*call(array).shape)
    own = array.copy()  # the others stay without a gradient
    own.attach_grad()

    def repeat(loops: int):
        for _ in range(loops):
            with autograd.record():
                found = call(own)
            found.backward(head)
        return own.grad

    return _plain(repeat)


WORKLOADS = {
    "add": _plain(_add(a)),
    "recorded_add": _recorded(_add(variable)),
    "add_scalar": _plain(_add_scalar),
    "mul_chain": _plain(_mul_chain(a)),
    "recorded_mul_chain": _recorded(_mul_chain(variable)),
    "backward_step": _plain(_backward),
    **{name: _repeated(*of) for name, of in CALLS.items()},
    **{f"{name}_backward": _with_backward(*of) for name, of in CALLS.items()},
}
