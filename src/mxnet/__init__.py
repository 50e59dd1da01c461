"""Regluon: Apache MXNet and Gluon alive again, on PyTorch's kernels."""

import gc as _gc
import sys as _sys

# Importing makes no garbage, and looking through all of torch's objects for some takes a quarter of the time.
_was_collecting = _gc.isenabled()
_gc.disable()
try:
    from regluon.distributed import publish as _publish_launch
    from regluon.tracebacks import install as _fold_tracebacks

    from . import (
        _numpy_op_doc,
        attribute,
        autograd,
        base,
        callback,
        context,
        contrib,
        engine,
        error,
        executor,
        executor_manager,
        gluon,
        image,
        initializer,
        io,
        kvstore,
        libinfo,
        library,
        log,
        lr_scheduler,
        metric,
        model,
        module,
        monitor,
        name,
        ndarray,
        ndarray_doc,
        notebook,
        numpy,
        numpy_dispatch_protocol,
        numpy_extension,
        numpy_op_signature,
        onnx,
        operator,
        optimizer,
        profiler,
        random,
        recordio,
        registry,
        rnn,
        rtc,
        runtime,
        symbol,
        symbol_doc,
        test_utils,
        torch,
        util,
        visualization,
    )
    from . import image as img
    from . import initializer as init
    from . import kvstore as kv
    from . import module as mod
    from . import monitor as mon
    from . import ndarray as nd
    from . import numpy as np
    from . import numpy_extension as npx
    from . import random as rnd
    from . import symbol as sym
    from . import visualization as viz
    from ._former import install_paths as _install_former_paths
    from ._former import lend as _lend_former_names
    from ._hints import install as _install_hints
    from .attribute import AttrScope as AttrScope
    from .base import MXNetError as MXNetError
    from .context import Context as Context
    from .context import cpu as cpu
    from .context import cpu_pinned as cpu_pinned
    from .context import current_context as current_context
    from .context import gpu as gpu
    from .context import num_gpus as num_gpus
    from .libinfo import __version__
    from .symbol.numpy import _symbol as np_symbol
    from .util import is_np_array as is_np_array
    from .util import is_np_shape as is_np_shape
    from .util import np_array as np_array
    from .util import np_shape as np_shape
    from .util import set_np_shape as set_np_shape
    from .util import use_np as use_np
    from .util import use_np_array as use_np_array
    from .util import use_np_shape as use_np_shape
finally:
    if not _gc.get_freeze_count():  # what is new counts as old from here on, instead of being looked through now
        _gc.freeze()
        _gc.unfreeze()
    if _was_collecting:
        _gc.enable()

_fold_tracebacks()
_lend_former_names()
_install_former_paths()
_install_hints(_sys.modules[__name__])
kvstore.kvstore_server._init_kvstore_server_module()
_publish_launch()
