"""Networks in 8 bits against float32: how often predictions agree, and how long they take.

python benchmarks/quantization.py --seconds 60                # trains each network for a minute first
python benchmarks/quantization.py --calib-mode entropy
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.contrib.quantization import quantize_net_v2
from mxnet.gluon.model_zoo import vision

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from samples import clothes

NETWORKS = ("resnet18_v1", "mobilenetv2_1.0")
SIZES = ((1, 224), (8, 224), (100, 28))
BATCH = 64


def pictures(train: bool) -> tuple[nd.NDArray, nd.NDArray]:
    """The shipped pictures of clothing with three channels, between -1 and 1, and their kinds."""
    images, labels = clothes(train)
    return nd.concat(images, images, images, dim=1) * 2 - 1, labels


def train(net: gluon.HybridBlock, seconds: float) -> None:
    """Trains for so long, the last third with a fifth of the step."""
    images, labels = pictures(True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    numbers, start = np.random.default_rng(0), time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        trainer.set_learning_rate(1e-3 if passed < 0.67 * seconds else 2e-4)
        chosen = nd.array(numbers.integers(0, len(images), BATCH))
        with autograd.record():
            error = loss(net(nd.take(images, chosen)), nd.take(labels, chosen))
        error.backward()
        trainer.step(BATCH)


def scores(net: Any, images: nd.NDArray) -> np.ndarray[Any, Any]:
    """Predictions for all images."""
    return np.concatenate([net(images[i : i + 100]).asnumpy() for i in range(0, len(images), 100)]).argmax(1)


def milliseconds(call: Callable[[], Any], count: int = 12) -> float:
    """The shortest of some runs."""
    taken = []
    for _ in range(count + 4):
        start = time.perf_counter()
        call().wait_to_read()
        taken.append(time.perf_counter() - start)
    return min(taken[4:]) * 1000


def main() -> None:
    """Prints agreement and times of each network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long to train each network")
    parser.add_argument("--calib-mode", default="naive", choices=("naive", "entropy"))
    options = parser.parse_args()
    (calibration, _), (images, labels) = pictures(True), pictures(False)
    for name in NETWORKS:
        mx.random.seed(0)
        net = vision.get_model(name, classes=10)
        net.initialize(mx.init.Xavier())
        net.hybridize()
        train(net, options.seconds)
        data = [calibration[i : i + 50] for i in range(0, 250, 50)]
        made = quantize_net_v2(net, calib_data=data, calib_mode=options.calib_mode)
        made.hybridize()
        expected, found = scores(net, images), scores(made, images)
        truth = labels.asnumpy()
        print(
            f"{name}: {np.mean(expected == found):.1%} of predictions agree; right: {np.mean(expected == truth):.1%} "
            f"in float32, {np.mean(found == truth):.1%} in 8 bits"
        )
        for count, size in SIZES:
            batch = nd.random.uniform(-1, 1, (count, 3, size, size))
            single, eight = milliseconds(lambda: net(batch)), milliseconds(lambda: made(batch))  # noqa: B023
            print(
                f"  {count} of {size}x{size}: {single:.1f} ms in float32, {eight:.1f} in 8 bits, {single / eight:.1f}x"
            )


if __name__ == "__main__":
    main()
