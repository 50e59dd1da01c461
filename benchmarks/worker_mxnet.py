"""One side of the benchmark: `import mxnet`, ours or the real one, whichever this Python finds.

workload.py says what it reads and answers. Only the interface of MXNet 1.9.1 is used, so that both libraries run the
same lines.
"""

import time

import data_mxnet
import operators_mxnet
import steps_mxnet
from workload import peak_memory, serve

import mxnet as mx
from mxnet import autograd, nd

LOOPS = 2000
a, b = nd.ones((3, 4)), nd.ones((3, 4))
variable = nd.ones((3, 4))
variable.attach_grad()


def _per_call(seconds: float, loops: int = LOOPS) -> float:
    return seconds / loops


def add(argument: str) -> float:
    """A small eager add."""
    for _ in range(100):
        a + b
    nd.waitall()
    start = time.perf_counter()
    for _ in range(LOOPS):
        c = a + b
    c.wait_to_read()
    return _per_call(time.perf_counter() - start)


def add_scalar(argument: str) -> float:
    """A small eager add of a number."""
    start = time.perf_counter()
    for _ in range(LOOPS):
        c = a + 1.5
    c.wait_to_read()
    return _per_call(time.perf_counter() - start)


def recorded_add(argument: str) -> float:
    """The same add while recording, one operand being a variable."""
    with autograd.record():
        start = time.perf_counter()
        for _ in range(LOOPS):
            c = variable + b
        c.wait_to_read()
        return _per_call(time.perf_counter() - start)


def operator_call(argument: str) -> float:
    """An operator by name with a parameter: nd.sum(x, axis=1)."""
    start = time.perf_counter()
    for _ in range(LOOPS):
        c = nd.sum(a, axis=1)
    c.wait_to_read()
    return _per_call(time.perf_counter() - start)


def backward_step(argument: str) -> float:
    """A recorded chain of two operators and its backward."""
    loops = LOOPS // 4
    start = time.perf_counter()
    for _ in range(loops):
        with autograd.record():
            c = variable * b + a
        c.backward()
    variable.grad.wait_to_read()
    return _per_call(time.perf_counter() - start, loops)


def save_params(argument: str) -> float:
    """Writes the model that `open_params` opens; not a measurement."""
    nd.save(argument, {f"layer{i}_weight": nd.ones((512, 512)) for i in range(100)})
    return 0.0


def open_params(argument: str) -> float:
    """Opens a .params file of 100 MB and reads one element of every array."""
    start = time.perf_counter()
    loaded = nd.load(argument)
    total = sum(float(x[0, 0].asscalar()) for x in loaded.values())
    seconds = time.perf_counter() - start
    assert total == len(loaded)
    return seconds


def memory_growth(argument: str) -> float:
    """Megabytes by which the process grows over many recorded steps whose losses are added up."""
    total = nd.zeros((1,))

    def steps(count: int) -> None:
        nonlocal total
        for _ in range(count):
            with autograd.record():
                loss = (variable * b).sum()
            loss.backward()
            total += loss
        total.wait_to_read()

    steps(2000)
    before = peak_memory("")
    steps(int(argument))
    return peak_memory("") - before


WORKLOADS = {
    function.__name__: function
    for function in (
        add,
        add_scalar,
        recorded_add,
        operator_call,
        backward_step,
        save_params,
        open_params,
        memory_growth,
    )
}

if __name__ == "__main__":  # a worker of a loader may import this file
    serve(
        mx.__version__,
        {**WORKLOADS, **steps_mxnet.WORKLOADS, **data_mxnet.WORKLOADS, **operators_mxnet.WORKLOADS},
    )
