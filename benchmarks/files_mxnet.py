"""Opening a model, and memory over many steps, for this library and the real MXNet 1.9.1 alike."""

from workload import Job, Timed, peak_memory

from mxnet import autograd, nd


def save_params(argument: str) -> float:
    """Writes the model of 100 MB that `open_params` opens; not a measurement."""
    nd.save(argument, {f"layer{i}_weight": nd.ones((512, 512)) for i in range(100)})
    return 0.0


def _open_params(argument: str) -> Job:
    """Opens a file and reads one element of every array."""
    return Job(lambda: [[float(x[0, 0].asscalar()) for x in nd.load(argument).values()]], nd.waitall)


def memory_growth(argument: str) -> float:
    """Megabytes by which the process grows over many recorded steps whose losses are added up."""
    variable, other, total = nd.ones((3, 4)), nd.ones((3, 4)), nd.zeros((1,))
    variable.attach_grad()

    def steps(count: int) -> None:
        nonlocal total
        for _ in range(count):
            with autograd.record():
                loss = (variable * other).sum()
            loss.backward()
            total += loss
        total.wait_to_read()

    steps(2000)
    before = peak_memory("")
    steps(int(argument))
    return peak_memory("") - before


WORKLOADS = {"save_params": save_params, "open_params": Timed(_open_params), "memory_growth": memory_growth}
