"""From Python to two files and back: a hybridized network is exported, and runs without the code that made it.

The files are those of MXNet 1.9.1: everything that runs MXNet's models runs them.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from samples import clothes

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn


class Residual(gluon.HybridBlock):
    """Two convolutions around which the data may also go directly."""

    def __init__(self, channels: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.first = nn.Conv2D(channels, 3, padding=1, in_channels=channels)
            self.norm = nn.BatchNorm(in_channels=channels)
            self.second = nn.Conv2D(channels, 3, padding=1, in_channels=channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(x + self.second(F.relu(self.norm(self.first(x)))))


def main(folder: str | None = None, count: int = 100) -> float:
    mx.random.seed(7)
    images, _ = clothes(train=False)
    images = images[:count]
    net = nn.HybridSequential(prefix="clothes_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, activation="relu"), Residual(8), nn.GlobalAvgPool2D(), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    written = net(images)  # as written
    net.hybridize()
    compiled = net(images)  # traced at this call; what follows needs the graph

    prefix = Path(folder or tempfile.mkdtemp()) / "clothes"
    net.export(prefix)
    symbol_file, param_file = f"{prefix}-symbol.json", f"{prefix}-0000.params"
    again = gluon.SymbolBlock.imports(symbol_file, ["data"], param_file)
    imported = again(images)
    for name, result in (("compiled", compiled), ("exported and imported", imported)):
        print(f"{name}: differs from what was written by at most {nd.max(nd.abs(result - written)).asscalar():.1e}")

    # The graph is data: here it is cut where the features are, for another network to stand on.
    inside = mx.sym.load(symbol_file).get_internals()
    pooled = next(name for name in inside.list_outputs() if "pool" in name)
    features = gluon.SymbolBlock(inside[pooled], mx.sym.var("data"))
    features.load_parameters(param_file, ignore_extra=True)
    print(f"{pooled} of {len(inside.list_outputs())} outputs inside gives", features(images).shape)

    print(f"\n$ python -m mxnet inspect {symbol_file}", flush=True)
    subprocess.run([sys.executable, "-m", "mxnet", "inspect", symbol_file], check=True)
    return nd.max(nd.abs(imported - written)).asscalar()


if __name__ == "__main__":
    main()
