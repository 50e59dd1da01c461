"""Settings: environment variables in one table, and switches that hold for the current thread."""

import os
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple


class Variable(NamedTuple):
    """One environment variable the library listens to."""

    default: str
    purpose: str


VARIABLES = {
    "MXNET_USE_MPS": Variable("0", "1 makes mx.gpu(0) the Apple GPU; by default mx.gpu(i) is CUDA only."),
    "MXNET_HOME": Variable("", "The folder for fetched files; by default .mxnet in the user's own folder."),
    # MXNet's repository, and its mirror in China.
    "MXNET_GLUON_REPO": Variable(
        "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/,"
        "https://apache-mxnet.s3.cn-north-1.amazonaws.com.cn/",
        "Addresses, separated by commas, to fetch data sets and parameters of networks from.",
    ),
    "MXNET_UPDATE_ON_KVSTORE": Variable("1", "0 lets trainers update weights on each device, not in the store."),
    "MXNET_KVSTORE_TIMEOUT": Variable(
        "1800", "Seconds that a process waits for the others of a distributed training before it says who is missing."
    ),
    "MXNET_KVSTORE_BUCKET_MB": Variable(
        "8", "Megabytes of gradients that a distributed training sends together, while backward still runs."
    ),
    "MXNET_OPTIMIZER_AGGREGATION_SIZE": Variable(
        "", "How many weights SGD and LARS (4), and LAMB (45, at most), are given in one call of a method of theirs."
    ),
    "MXNET_USE_FUSION": Variable("1", "0 leaves the convolutions of compiled networks as they are in prediction."),
    "MXNET_ELIMINATE_COMMON_EXPR": Variable("1", "0 computes twice what stands twice in a graph."),
    "MXNET_AUTOTUNE": Variable(
        "1", "0 takes the default kernels; 1 times the ones there are on the first calls and remembers the best."
    ),
    "MXNET_CPU_MEM_POOL": Variable("1", "0 leaves large blocks of a CPU's memory to the C library, with its holes."),
    "MXNET_PROGRAM_LIMIT": Variable(
        "256", "How many compiled programs are kept for one network; there is one for each shape of its data and mode."
    ),
    "MXNET_DETERMINISTIC": Variable(
        "0", "1 makes results bit-equal from run to run at a given number of threads, as mx.util.deterministic() does."
    ),
    "MXNET_NATIVE": Variable(
        "1", "0 uses torch's kernels alone; x86-64-v2, -v3, -v4 or neon the kernels in C++ for that instruction set."
    ),
    "MXNET_TORCH_PRIVATE": Variable(
        "1", "0 goes without the interfaces of torch that it does not promise to keep; some programs run slower."
    ),
    "MXNET_IMAGE_MAX_PIXELS": Variable(
        str(1 << 28), "How many pixels an image may have to be decoded; headers that say more are refused."
    ),
    "MXNET_PROFILER_AUTOSTART": Variable(
        "0", "1 starts mx.profiler at import; what it saw is written to profile.json when the program ends."
    ),
    "MXNET_PROFILER_MODE": Variable(
        "0", "What a profiler that nobody has configured sees: 0 the operators of graphs, 1 everything."
    ),
    "MXNET_CHECK_INDICES": Variable(
        "0", "1 refuses labels and indices out of range, as mx.util.check_labels() does; by default they are clipped."
    ),
    "MXNET_FULL_TRACEBACK": Variable("0", "1 shows the frames of this library in the tracebacks of what it refuses."),
    "MXNET_TEST_SEED": Variable("", "A number that seeds every random generator at import."),
}


def read(name: str) -> str:
    """The value of a variable of the table, or its default when it is unset."""
    varies()
    return os.environ.get(name, VARIABLES[name].default)


class _Switches(threading.local):
    """Per-thread switches; the class attributes are what a new thread starts with."""

    np_shape = False
    np_array = False
    collecting = False  # gradients are handed to whoever asked for them, not written to the buffers of variables
    autotune = True  # the quickest kernels are looked for; where MXNET_AUTOTUNE says so too
    tracing = False  # a network's code is run once to see what it computes, so values must not depend on the moment
    as_written = False  # networks run as they are written, hybridized or not, on operators of torch alone
    watcher: Any = None  # who sees what a call asks torch for, to repeat it: see runtime/repeated.py
    capturing = False  # calls of torch's operators are being recorded, so nothing may be done beside them


switches = _Switches()


def varies() -> None:
    """Called where results depend on more than the arguments of a call: one that is watched is not to be repeated."""
    if switches.watcher is not None:
        switches.watcher.is_repeatable = False


class _ProcessSwitches:
    """Switches for all threads."""

    deterministic = read("MXNET_DETERMINISTIC") == "1"  # results are bit-equal from run to run
    check_indices = read("MXNET_CHECK_INDICES") == "1"  # labels and indices out of range are refused, not clipped
    tracer: Any = None  # while mx.profiler runs, what times operators: see profiler/_tracer.py
    release_memory: Any = None  # returns memory that is kept for reuse to the system: see native/memory.cpp
    from_program: Any = None  # a program of torch.export as a graph and its parameters: see contrib/torch_export


process = _ProcessSwitches()
_NOTHING = nullcontext()


def api_range(name: str) -> AbstractContextManager[Any]:
    """A range of the profiler around a call of the interface, such as `Trainer.step`; nothing while none runs."""
    tracer = process.tracer
    return _NOTHING if tracer is None else tracer.api(name)
