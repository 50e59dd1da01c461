"""Small files for tests of commands."""

from pathlib import Path

import mxnet as mx
from mxnet.recordio import MXIndexedRecordIO

SHAPE = (2, 3, 8, 8)


def save_model(prefix: Path, channels: int = 3) -> None:
    """Save PREFIX-symbol.json and PREFIX-0000.params of a network that takes images of any size."""
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    net = mx.sym.Activation(mx.sym.BatchNorm(net, name="bn"), act_type="relu")
    net = mx.sym.FullyConnected(mx.sym.Pooling(net, global_pool=True, pool_type="avg"), num_hidden=3, name="fc")
    shapes, _, states = net.infer_shape(data=(1, channels, 8, 8))
    arguments = {name: mx.nd.ones(shape) * 0.1 for name, shape in zip(net.list_arguments(), shapes) if name != "data"}
    auxiliary = {name: mx.nd.ones(shape) for name, shape in zip(net.list_auxiliary_states(), states)}
    mx.model.save_checkpoint(str(prefix), 0, net, arguments, auxiliary)


def save_records(prefix: Path) -> None:
    """Save PREFIX.rec and PREFIX.idx of three records."""
    with MXIndexedRecordIO(f"{prefix}.idx", f"{prefix}.rec", "w") as file:
        for key in range(3):
            file.write_idx(key, b"record" * key)
