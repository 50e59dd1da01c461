"""The PyTorch side of the benchmark: the same work written for torch. See worker_mxnet.py."""

import calls_torch
import data_torch
import eager_torch
import files_torch
import growth_torch
import jobs_torch
import processors_torch
import steps_large_torch
import steps_torch
import torch
import untuned_torch
import zoo_torch
from workload import serve

if __name__ == "__main__":  # a worker of a loader may import this file
    parts = (
        calls_torch,
        eager_torch,
        steps_torch,
        steps_large_torch,
        zoo_torch,
        data_torch,
        files_torch,
        growth_torch,
        jobs_torch,
        processors_torch,
        untuned_torch,
    )
    serve(torch.__version__, {name: workload for part in parts for name, workload in part.WORKLOADS.items()})
