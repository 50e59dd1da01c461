"""The PyTorch side of the benchmark: the same work written for torch. See worker_mxnet.py for the protocol."""

import json
import resource
import sys
import time

import steps_torch
import torch

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


def peak_memory(argument: str) -> float:
    """Megabytes that the process took at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


WORKLOADS = {f.__name__: f for f in (add, add_scalar, recorded_add, operator_call, backward_step, peak_memory)}

WORKLOADS.update(steps_torch.WORKLOADS)

print(json.dumps({"version": torch.__version__}), flush=True)
for line in sys.stdin:
    workload, _, argument = line.strip().partition(" ")
    print(json.dumps(WORKLOADS[workload](argument)), flush=True)
