"""One side of the benchmark: `import mxnet`, ours or the real one, whichever this Python finds.

workload.py says what it reads and answers. Only the interface of MXNet 1.9.1 is used, so that both libraries run the
same lines.
"""

import calls_mxnet
import data_mxnet
import eager_mxnet
import files_mxnet
import growth_mxnet
import jobs_mxnet
import operators_mxnet
import processors_mxnet
import steps_large_mxnet
import steps_mxnet
import untuned_mxnet
import zoo_mxnet
from workload import serve

import mxnet as mx

if __name__ == "__main__":  # a worker of a loader may import this file
    parts = (
        calls_mxnet,
        eager_mxnet,
        steps_mxnet,
        steps_large_mxnet,
        zoo_mxnet,
        data_mxnet,
        operators_mxnet,
        files_mxnet,
        growth_mxnet,
        jobs_mxnet,
        processors_mxnet,
        untuned_mxnet,
    )
    serve(mx.__version__, {name: workload for part in parts for name, workload in part.WORKLOADS.items()})
