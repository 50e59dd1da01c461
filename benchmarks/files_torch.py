"""Opening the model of files_mxnet.py in the format of PyTorch."""

import torch
from workload import Job, Timed


def save_params(argument: str) -> float:
    """Writes the model of 100 MB that `open_params` opens; not a measurement."""
    torch.save({f"layer{i}_weight": torch.ones(512, 512) for i in range(100)}, argument)
    return 0.0


def _opening(mmap: bool) -> Timed:
    def made(argument: str) -> Job:
        return Job(lambda: [[float(x[0, 0]) for x in torch.load(argument, mmap=mmap).values()]])

    return Timed(made)


WORKLOADS = {"save_params": save_params, "open_params": _opening(False), "open_params_mapped": _opening(True)}
