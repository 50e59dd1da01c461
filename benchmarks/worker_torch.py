"""The PyTorch side of the benchmark: the same work written for torch. See worker_mxnet.py."""

import time

import data_torch
import steps_torch
import torch
from workload import serve

LOOPS = 2000
a, b = torch.ones(3, 4), torch.ones(3, 4)
variable = torch.ones(3, 4, requires_grad=True)


def add(argument: str) -> float:
    """A small eager add."""
    for _ in range(100):
        a + b
    start = time.perf_counter()
    for _ in range(LOOPS):
        a + b
    return (time.perf_counter() - start) / LOOPS


def add_scalar(argument: str) -> float:
    """A small eager add of a number."""
    start = time.perf_counter()
    for _ in range(LOOPS):
        a + 1.5
    return (time.perf_counter() - start) / LOOPS


def recorded_add(argument: str) -> float:
    """The same add with an operand that requires a gradient."""
    start = time.perf_counter()
    for _ in range(LOOPS):
        variable + b
    return (time.perf_counter() - start) / LOOPS


def operator_call(argument: str) -> float:
    """torch.sum(x, dim=1)."""
    start = time.perf_counter()
    for _ in range(LOOPS):
        torch.sum(a, dim=1)
    return (time.perf_counter() - start) / LOOPS


def backward_step(argument: str) -> float:
    """A chain of two operators and its backward, the gradient written anew each time."""
    loops = LOOPS // 4
    ones = torch.ones(3, 4)
    start = time.perf_counter()
    for _ in range(loops):
        c = variable * b + a
        variable.grad = None
        c.backward(ones)
    return (time.perf_counter() - start) / loops


WORKLOADS = {f.__name__: f for f in (add, add_scalar, recorded_add, operator_call, backward_step)}

if __name__ == "__main__":  # a worker of a loader may import this file
    serve(torch.__version__, {**WORKLOADS, **steps_torch.WORKLOADS, **data_torch.WORKLOADS})
