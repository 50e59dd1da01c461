"""Import modules under the paths they had before the engine became the package `regluon`.

Pickles name classes by module. MXNet's own module paths did not change; this finder serves paths of this project.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, ModuleType

# Old path to new path, without `mxnet.`. Submodules follow their package; the longest match counts.
MOVED = {
    "arguments": "regluon.arguments",
    "attribute": "regluon.symbol.attribute_scope",
    "checkpoint": "regluon.symbol.checkpoint",
    "compiler": "regluon.compiler",
    "config": "regluon.config",
    "contrib.onnx": "regluon.convert.onnx",
    "contrib.quantization.data": "mxnet.contrib.quantization._calibration",
    "contrib.torch_export": "regluon.convert.torch_export",
    "distributed": "regluon.distributed",
    "dtypes": "regluon.dtypes",
    "flags": "regluon.dtypes",
    "formats": "regluon.formats",
    "gluon.contrib.checkpoint": "mxnet.gluon.contrib._training_state",
    "gluon.contrib.estimator.early_stopping": "mxnet.gluon.contrib.estimator._checkpoint_handler",
    "gluon.contrib.estimator.events": "mxnet.gluon.contrib.estimator._event_base",
    "gluon.contrib.estimator.logging_handler": "mxnet.gluon.contrib.estimator._reports",
    "gluon.contrib.estimator.progress_bar": "mxnet.gluon.contrib.estimator._reports",
    "gluon.contrib.estimator.resuming": "mxnet.gluon.contrib.estimator._resume",
    "gluon.contrib.estimator.tensorboard": "mxnet.gluon.contrib.estimator._reports",
    "gluon.data.columns": "mxnet.gluon.data._batch_reader",
    "gluon.data.reading": "mxnet.gluon.data._batch_reader",
    "gluon.data.split_sampler": "mxnet.gluon.data._sampler_stages",
    "gluon.data.vision.cifar": "mxnet.gluon.data.vision._published",
    "gluon.data.vision.digits": "mxnet.gluon.data.vision._published",
    "gluon.data.vision.files": "mxnet.gluon.data.vision._image_files",
    "gluon.downloading": "mxnet.gluon._downloads",
    "gluon.loss.ctc": "mxnet.gluon.loss._base",
    "gluon.loss.embedding": "mxnet.gluon.loss._classification",
    "gluon.loss.regression": "mxnet.gluon.loss._base",
    "gluon.model_zoo.vision.building": "mxnet.gluon.model_zoo.vision._builder",
    "gluon.naming": "mxnet.gluon._block_naming",
    "gluon.operators": "regluon.operators",
    "gluon.options": "mxnet.gluon._block_inputs",
    "gluon.rnn.sequences": "mxnet.gluon.rnn._recurrent_cell",
    "graph": "regluon.graph",
    "image.coloring": "mxnet.image._color",
    "image.detection_regions": "mxnet.image._detection_augmenters",
    "image.shaping": "mxnet.image._geometry",
    "initializer.combined": "mxnet.initializer._base",
    "initializer.drawn": "mxnet.initializer._fixed",
    "io.desc": "mxnet.io._base",
    "io.detection": "mxnet.io._image_iter",
    "io.libsvm": "mxnet.io._file_iterators",
    "io.mnist": "mxnet.io._file_iterators",
    "io.stream": "mxnet.io._records",
    "io.text": "mxnet.io._file_iterators",
    "io.wrapping": "mxnet.io._wrappers",
    "kernels": "regluon.kernels",
    "kvstore_server": "mxnet.kvstore.kvstore_server",
    "kvstore.training": "mxnet.kvstore._reducer",
    "launch": "regluon.distributed.launch",
    "metric.custom": "mxnet.metric._regression",
    "metric.loss": "mxnet.metric._regression",
    "module.errors": "mxnet.module._inputs",
    "module.optimizing": "mxnet.module._optimizer",
    "module.resuming": "mxnet.module._resume",
    "native": "regluon.native",
    "ndarray": "regluon.array",
    "ndarray.foreign": "regluon.runtime.foreign",
    "ndarray.handle": "regluon.runtime.handle",
    "ndarray.invoke": "regluon.runtime.invoke",
    "ndarray.repeated": "regluon.runtime.repeated",
    "nearest": "regluon.arguments",
    "operator.listing": "mxnet.operator._registry",
    "ops": "regluon.ops",
    "optimizer.options": "mxnet.optimizer._base",
    "recording": "regluon.autograd.recording",
    "rng": "regluon.rng",
    "rnn.basic_cells": "mxnet.rnn._cells",
    "rnn.dropout_cell": "mxnet.rnn._cells",
    "rnn.joined_cells": "mxnet.rnn._cells",
    "rnn.modifier_cells": "mxnet.rnn._fused_cell",
    "scopes": "regluon.scopes",
    "showing": "regluon.call_repr",
    "symbol": "regluon.symbol",
    "symbol.attributes": "regluon.symbol.attribute_scope",
    "symbol.binding": "regluon.symbol.binder",
    "symbol.expression": "regluon.symbol.functions",
    "symbol.shaping": "regluon.symbol.structure",
    "test_utils.surroundings": "mxnet.test_utils._environment",
    "tools": "regluon.cli",
    "tools.bench": "mxnet._commands.bench",
    "tools.command": "mxnet._commands.command",
    "tools.doctor": "mxnet._commands.doctor",
    "torch_private": "regluon.torch_private",
    "tracebacks": "regluon.tracebacks",
    "workers": "regluon.data.workers",
    "workers.errors": "regluon.data.workers.worker_state",
}


def new_path(old: str) -> str | None:
    """Return the present path of the module that was `old`, or None if there is none."""
    parts = old.split(".")[1:]
    for end in range(len(parts), 0, -1):
        new = MOVED.get(".".join(parts[:end]))
        if new:
            return ".".join([new, *parts[end:]])
    # Modules of this project in packages of MXNet's: an underscore shows now that they are private.
    for index, part in enumerate(parts):
        private = ".".join(["mxnet", *parts[:index], f"_{part}", *parts[index + 1 :]])
        if not part.startswith("_") and _find(private):
            return private
    return None


def _find(path: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(path)
    except ModuleNotFoundError:
        return None


class FormerModules(MetaPathFinder, Loader):
    """Find the modules of `mxnet` that lie elsewhere now."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec whose loader imports the present module; None if the module did not move."""
        package, _, leaf = fullname.rpartition(".")
        if package.partition(".")[0] != "mxnet":
            return None
        owner = sys.modules[package].__name__
        if owner != package:  # the package moved, and its modules with it
            new: str | None = MOVED.get(fullname.removeprefix("mxnet."), f"{owner}.{leaf}")
        else:
            new = None if PathFinder.find_spec(fullname, path) else new_path(fullname)
        found = _find(new) if new else None
        if found is None:
            return None
        return ModuleSpec(fullname, self, origin=new, is_package=found.submodule_search_locations is not None)

    def exec_module(self, module: ModuleType) -> None:
        """Put the present module in the place of the new, empty one."""
        spec = module.__spec__
        assert spec is not None
        sys.modules[spec.name] = importlib.import_module(str(spec.origin))

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the present module, for `python -m`."""
        spec = self.find_spec(fullname)
        found = _find(str(spec.origin)) if spec else None
        return found.loader.get_code(found.name) if found and isinstance(found.loader, InspectLoader) else None


def install() -> None:
    """Put the finder before Python's own, which would load a second copy of a moved package's modules."""
    sys.meta_path.insert(0, FormerModules())
