"""Writes the rows of docs/DIFFERENCES.md into the package, for `python -m mxnet migrate`.

    python -m tools.docs.packaged_differences

A wheel has no docs, so the package carries the rows as JSON, each with the names it is about. A row is about a name
only if a program that ran on MXNet may notice: what MXNet refused, or what ended its process, no such program does. The
names come from the row's own text; where that says too much or too little, ABOUT has them.
"""

import fnmatch
import json
from collections.abc import Iterator

from regluon.cli.migrate.status import DATA

from .reference_differences import Row, named_in, read_rows
from .reference_names import names, public_names, resolve

_RANDOM = ("mxnet.random.*", "mxnet.nd.random.*", "mxnet.np.random.*")
_PROFILER = ("mxnet.profiler.dump", "mxnet.profiler.dumps")
_QUANTIZE = ("quantize_model", "quantize_model_mkldnn", "quantize_net", "quantize_net_v2")
_IMAGE_ITERATORS = ("mxnet.io.ImageRecord*", "mxnet.io.ImageDetRecordIter")

# By how a row begins: the names it is about. A star stands for any letters of a name's last part.
ABOUT: dict[str, tuple[str, ...]] = {
    "errors appear at the next": ("mxnet.nd.waitall",),
    "a fresh process always draws": _RANDOM,
    "a seed gives MXNet's": _RANDOM,
    "BatchNorm moves its averages": ("mxnet.nd.BatchNorm", "mxnet.gluon.nn.BatchNorm"),
    "`Activation(relu)` and max-pooling": (
        *("mxnet.nd.Activation", "mxnet.nd.Pooling", "mxnet.gluon.nn.Activation", "mxnet.gluon.nn.MaxPool*"),
    ),
    "`arange` in float16": ("mxnet.nd.arange", "mxnet.nd.amp_cast"),
    "parameters beyond single precision": (),
    "`lstm_state_clip_min/max`": ("mxnet.nd.RNN", "mxnet.gluon.rnn.LSTM"),
    "update operators clip": ("mxnet.nd.*_update",),
    "C handles, `_LIB`": ("mxnet.base._LIB", "mxnet.libinfo.find_lib_path", "mxnet.library.load"),
    "Deconvolution without input": (),
    "an array given twice among the heads": ("mxnet.autograd.backward", "mxnet.nd.NDArray.backward"),
    "rrelu in prediction": ("mxnet.nd.LeakyReLU",),
    "`x[i] = y` inside": (),
    "inside `record()`, writing": (),
    "a hybridized block takes only": (),
    "hooks of blocks inside": ("mxnet.gluon.Block.register_*hook",),
    "a parameter's array that": (),
    "loading parameters drops": (),
    "wrong values of optimizers": (),
    "labels and indices out of range": (),
    '`mode="auto"` of': (
        *("mxnet.gluon.contrib.estimator.CheckpointHandler", "mxnet.gluon.contrib.estimator.EarlyStoppingHandler"),
    ),
    "`GradientUpdateHandler` divides": ("mxnet.gluon.contrib.estimator.GradientUpdateHandler",),
    "every process logs": ("mxnet.gluon.contrib.estimator.LoggingHandler",),
    "all threads are timed": ("mxnet.profiler.set_state", "mxnet.profiler.pause", "mxnet.profiler.resume"),
    "operators of the engine": _PROFILER,
    "API calls are C functions": _PROFILER,
    "each operator has a row": _PROFILER,
    "the trace has operators": _PROFILER,
    "`profile_process=": ("mxnet.profiler.set_config",),
    "on a CPU `quantize_net`": tuple(f"mxnet.contrib.quantization.{name}" for name in _QUANTIZE),
    "joined convolutions have": tuple(f"mxnet.contrib.quantization.{name}" for name in _QUANTIZE),
    "a collector of your own": ("mxnet.contrib.quantization.quantize_net",),
    "binding `batch_take`": (),
    "`mx.notebook`": ("mxnet.notebook.callback.*",),
    "sparse arrays in graphs": (),
    "most losses, recurrent cells": (),
    "no gradients of `insert`": (),
    "bools refused by": (),
    "files saved under `np_shape`": (),
    "image iterators ignore": _IMAGE_ITERATORS,
    "`contrib.text`": ("mxnet.contrib.text.embedding.*Embedding",),
    "images of any size": ("mxnet.image.imdecode", "mxnet.image.imread"),
    "LibSVM: characters": ("mxnet.io.LibSVMIter",),
}


def subjects(row: Row) -> list[str]:
    """The names that a row is about."""
    for begin, about in ABOUT.items():
        if row.theirs.startswith(begin):
            return [name for pattern in about for name in _expanded(pattern)]
    return [entry.path for entry in named_in(row, names())]


def _expanded(pattern: str) -> Iterator[str]:
    owner, _, last = pattern.rpartition(".")
    if "*" not in last:
        yield pattern
        return
    value = resolve(owner)
    listed = sorted(vars(value)) if isinstance(value, type) else public_names(owner)
    for name in listed:
        # What a module only imports (`mx.random.Context`) is described elsewhere.
        entry = names().find(f"{owner}.{name}")
        if fnmatch.fnmatchcase(name, last) and entry and entry.path.split(".")[-2] == owner.split(".")[-1]:
            yield f"{owner}.{name}"


def made() -> str:
    """The file: a row to a line, so that changes can be read."""
    rows = [{**row._asdict(), "names": list(subjects(row))} for row in read_rows()]
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


if __name__ == "__main__":
    DATA.write_text(made(), encoding="utf-8")
    print(f"{DATA}: {len(read_rows())} rows")
