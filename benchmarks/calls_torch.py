"""The calls of calls_mxnet.py written for plain PyTorch."""

import numpy as np
import torch
from torch.nn import functional as F
from workload import Job, Timed

LOOPS = 1000


def _timed(call) -> Timed:
    """Seconds of a call. `call` repeats it a number of times, and returns the last result."""
    return Timed(lambda argument: Job(lambda: [call(LOOPS)], warm_up=2, share=LOOPS))


a, b = torch.full((3, 4), 0.5), torch.full((3, 4), 1.5)
variable = torch.full((3, 4), 0.5, requires_grad=True)


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
    def call(loops: int):
        for _ in range(loops):
            found = left * b * b * b * b * b * b * b * b
        return found

    return call


def _backward(loops: int):
    """The gradient is written anew each time, as Gluon does."""
    ones = torch.ones(3, 4)
    for _ in range(loops):
        found = variable * b + a
        variable.grad = None
        found.backward(ones)
    return variable.grad


def _numbers(*shape) -> torch.Tensor:
    return torch.tensor(np.random.RandomState(0).uniform(-1, 2, shape), dtype=torch.float32)


x, other = _numbers(3, 4), _numbers(3, 4)
wide, weight, bias = _numbers(4, 16), _numbers(16, 16), _numbers(16)
CALLS = {
    "sum_axis": (x, lambda x: torch.sum(x, dim=1)),
    "mean_axis": (x, lambda x: x.mean(dim=0)),
    "fully_connected": (weight, lambda weight: F.linear(wide, weight, bias)),
    "reshape": (x, lambda x: x.reshape((4, 3))),
    "transpose": (x, lambda x: x.permute((1, 0))),
    "slice": (x, lambda x: x[1:3]),
    "concat": (x, lambda x: torch.cat((x, other), dim=1)),
    "softmax": (x, lambda x: torch.softmax(x, dim=-1)),
    "clip": (x, lambda x: torch.clip(x, 0, 1)),
    "relu": (x, torch.relu),
    "activation": (x, torch.tanh),
}


def _repeated(tensor: torch.Tensor, call) -> Timed:
    def repeat(loops: int):
        for _ in range(loops):
            found = call(tensor)
        return found

    return _timed(repeat)


def _with_backward(tensor: torch.Tensor, call) -> Timed:
    head = _numbers(*call(tensor).shape)
    own = tensor.clone().requires_grad_()

    def repeat(loops: int):
        for _ in range(loops):
            found = call(own)
            own.grad = None
            found.backward(head)
        return own.grad

    return _timed(repeat)


WORKLOADS = {
    "add": _timed(_add(a)),
    "recorded_add": _timed(_add(variable)),
    "add_scalar": _timed(_add_scalar),
    "mul_chain": _timed(_mul_chain(a)),
    "recorded_mul_chain": _timed(_mul_chain(variable)),
    "backward_step": _timed(_backward),
    **{name: _repeated(*of) for name, of in CALLS.items()},
    **{f"{name}_backward": _with_backward(*of) for name, of in CALLS.items()},
}
