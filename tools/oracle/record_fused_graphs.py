"""Records networks that a real MXNet 1.9.1 has fused and quantized for oneDNN, with what they compute.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_fused_graphs            # writes tests/fixtures/fused_graphs/
"""

from __future__ import annotations

import json
from pathlib import Path

import mxnet as mx
from mxnet.contrib import quantization
from mxnet.gluon import nn

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "fused_graphs"


class Residual(nn.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.left = nn.HybridSequential()
        self.left.add(
            nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(8, 1), nn.BatchNorm()
        )
        self.right = nn.Conv2D(8, 1, use_bias=False)

    def hybrid_forward(self, F, x):
        return F.Activation(self.left(x) + self.right(x), act_type="relu")


def network() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(), nn.Activation("relu"), Residual())
        net.add(nn.MaxPool2D(2), nn.Flatten(), nn.Dense(5, activation="relu"), nn.Dense(3))
    return net


def main() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    quantization.stats = quantization.stats or quantization  # MXNet asks for SciPy here, but has no use for it
    mx.random.seed(1)
    net = network()
    net.initialize(mx.init.Xavier(magnitude=3))
    data = mx.nd.random.uniform(-1, 1, (8, 2, 10, 10))
    for _ in range(20):
        with mx.autograd.record():
            net(data)
    net.hybridize()
    expected = net(data[:2])
    loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(data, mx.nd.zeros(8)), 4)
    for granularity in ("tensor-wise", "channel-wise"):
        made = quantization.quantize_net_v2(
            net, quantized_dtype="auto", quantize_granularity=granularity, calib_data=loader, calib_mode="naive"
        )
        found = made(data[:2])
        made.export(str(FIXTURES / granularity))
        numbers = {"data": data[:2], "float32": expected, "int8": found}
        (FIXTURES / f"{granularity}.json").write_text(
            json.dumps({key: value.asnumpy().round(6).tolist() for key, value in numbers.items()}) + "\n"
        )


if __name__ == "__main__":
    main()
