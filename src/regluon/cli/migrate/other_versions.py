"""Names of MXNet before 1.9 and of 2.0, which 1.9.1 does not have, and what to write instead."""

# By full names; one that ends in a dot stands for all that begin with it.
_INSTEAD = {
    "mxnet.device": "MXNet 2.0 has it. Write mx.context, with the same functions.",
    "mxnet.device.": "MXNet 2.0 has it. Write mx.context, with the same functions.",
    "mxnet.current_device": "MXNet 2.0 has it. Write mx.current_context.",
    "mxnet.gluon.metric": "MXNet 2.0 has it. Write mx.metric.",
    "mxnet.gluon.metric.": "MXNet 2.0 has it. Write mx.metric.",
    "mxnet.gluon.probability": "MXNet 2.0 has it. The distributions of torch.distributions do the same on as_torch().",
    "mxnet.gluon.probability.": "MXNet 2.0 has it. torch.distributions does the same on as_torch().",
    "mxnet.amp": "MXNet 2.0 has it. Write mx.contrib.amp.",
    "mxnet.amp.": "MXNet 2.0 has it. Write mx.contrib.amp.",
    "mxnet.symbol_numpy": "MXNet 2.0 has it. Write mx.sym.np.",
    "mxnet.gluon.nn.Concatenate": "MXNet 2.0 has it. Write gluon.contrib.nn.Concurrent.",
    "mxnet.gluon.nn.HybridConcatenate": "MXNet 2.0 has it. Write gluon.contrib.nn.HybridConcurrent.",
    "mxnet.gluon.nn.Identity": "MXNet 2.0 has it. Write gluon.contrib.nn.Identity.",
    "mxnet.gluon.nn.SyncBatchNorm": "MXNet 2.0 has it. Write gluon.contrib.nn.SyncBatchNorm.",
    "mxnet.gluon.nn.SiLU": "MXNet 2.0 has it. Write gluon.nn.Swish.",
    "mxnet.npx.set_np_float64": "MXNet 2.0 has it. Write npx.set_np(dtype=True).",
    "mxnet.optimizer.AdamW": "MXNet 2.0 has it. Write nd.contrib.adamw_update in an optimizer of your own.",
    "mxnet.th": "MXNet's plugin for Lua Torch, gone since 1.0. `NDArray.as_torch()` gives a tensor of PyTorch.",
    "mxnet.caffe": "MXNet's plugin for Caffe, gone since 1.0. Write the layer with operators.",
    "mxnet.eia": "Amazon's builds of MXNet had it, for Elastic Inference, which has ended. Write mx.cpu or mx.gpu.",
    "mxnet.symbol_caffe": "MXNet's plugin for Caffe, gone since 1.0. Write the layer with operators.",
}


def instead_of(path: str) -> str:
    """What to write instead of a name of another version; nothing, for a name of none."""
    if path in _INSTEAD:
        return _INSTEAD[path]
    return next((text for name, text in _INSTEAD.items() if name.endswith(".") and path.startswith(name)), "")
