"""The calls of calls_mxnet.py written for plain PyTorch."""

import torch
from torch.nn import functional as F
from workload import Job, Timed

LOOPS = 1000


def _timed(call) -> Timed:
    """Seconds of a call. `call` repeats it a number of times, and returns the last result."""
    return Timed(lambda argument: Job(lambda: [call(LOOPS)], warm_up=2, share=LOOPS))


a, b = torch.full((3, 4), 0.5), torch.full((3, 4), 1.5)
variable = torch.full((3, 4), 0.5, requires_grad=True)
x, weight, bias = torch.ones(4, 16), torch.full((16, 16), 0.1), torch.ones(16)
variable_weight = torch.full((16, 16), 0.1, requires_grad=True)


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


def _small_fc(weight):
    def call(loops: int):
        for _ in range(loops):
            found = F.linear(x, weight, bias)
        return found

    return call


def _sum(loops: int):
    for _ in range(loops):
        found = torch.sum(a, dim=1)
    return found


def _backward(loops: int):
    """The gradient is written anew each time, as Gluon does."""
    ones = torch.ones(3, 4)
    for _ in range(loops):
        found = variable * b + a
        variable.grad = None
        found.backward(ones)
    return variable.grad


WORKLOADS = {
    "add": _timed(_add(a)),
    "recorded_add": _timed(_add(variable)),
    "add_scalar": _timed(_add_scalar),
    "mul_chain": _timed(_mul_chain(a)),
    "recorded_mul_chain": _timed(_mul_chain(variable)),
    "small_fc": _timed(_small_fc(weight)),
    "recorded_small_fc": _timed(_small_fc(variable_weight)),
    "operator_call": _timed(_sum),
    "backward_step": _timed(_backward),
}
