"""Compare networks in int8 with float32: share of equal predictions, and times.

python benchmarks/quantization.py                    # trains each network for 20 epochs first: some minutes
python benchmarks/quantization.py --epochs 2         # quicker; an undertrained network changes its mind more often
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
SIZES = ((1, 224), (8, 224), (100, 56))
BATCH = 64
SHIFT = 4  # the most pixels that an image is shifted by


def pictures(train: bool) -> tuple[nd.NDArray, nd.NDArray]:
    """Return the sample images of clothing, twice as large, with three channels in -1..1, and their classes.

    The networks reduce images 32 times, which leaves too little of 28 pixels.
    """
    images, labels = clothes(train)
    images = images.repeat(2, axis=2).repeat(2, axis=3)
    return nd.concat(images, images, images, dim=1) * 2 - 1, labels


def varied(batch: nd.NDArray, numbers: np.random.Generator) -> nd.NDArray:
    """Flip a batch at random and shift it by some pixels."""
    if numbers.random() < 0.5:
        batch = nd.flip(batch, axis=3)
    size, (top, left) = batch.shape[2], numbers.integers(0, 2 * SHIFT + 1, 2)
    framed = nd.pad(batch, mode="constant", pad_width=(0,) * 4 + (SHIFT,) * 4, constant_value=-1)
    return framed[:, :, top : top + size, left : left + size]


def train(net: gluon.HybridBlock, epochs: int) -> None:
    """Train with a cosine schedule on augmented images.

    Without augmentation a network memorizes its 6,000 images, and noise changes its predictions for others.
    """
    images, labels = pictures(True)
    steps = epochs * (len(images) // BATCH)
    schedule = mx.lr_scheduler.CosineScheduler(steps, base_lr=1e-3, warmup_steps=steps // 10)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule, "wd": 1e-4})
    loss, numbers = gluon.loss.SoftmaxCrossEntropyLoss(), np.random.default_rng(0)
    for _ in range(steps):
        chosen = nd.array(numbers.integers(0, len(images), BATCH))
        batch = varied(nd.take(images, chosen), numbers)
        with autograd.record():
            error = loss(net(batch), nd.take(labels, chosen))
        error.backward()
        trainer.step(BATCH)


def scores(net: Any, images: nd.NDArray) -> np.ndarray[Any, Any]:
    """Return the predicted classes of all images."""
    return np.concatenate([net(images[i : i + 100]).asnumpy() for i in range(0, len(images), 100)]).argmax(1)


def milliseconds(call: Callable[[], Any], count: int = 12) -> float:
    """Return the least time of several calls."""
    taken = []
    for _ in range(count + 4):
        start = time.perf_counter()
        call().wait_to_read()
        taken.append(time.perf_counter() - start)
    return min(taken[4:]) * 1000


def compare(name: str, net: gluon.HybridBlock, made: Any, calib_mode: str) -> None:
    """Print the share of equal predictions for the test images, and both times."""
    images, labels = pictures(False)
    expected, found, truth = scores(net, images), scores(made, images), labels.asnumpy()
    print(
        f"{name}, {calib_mode}: {np.mean(expected == found):.1%} of predictions agree; "
        f"right: {np.mean(expected == truth):.1%} in float32, {np.mean(found == truth):.1%} in 8 bits"
    )
    for count, size in SIZES:
        batch = nd.random.uniform(-1, 1, (count, 3, size, size))
        single, eight = milliseconds(lambda: net(batch)), milliseconds(lambda: made(batch))  # noqa: B023
        print(f"  {count} of {size}x{size}: {single:.1f} ms in float32, {eight:.1f} in 8 bits, {single / eight:.1f}x")


def main() -> None:
    """Train each network and compare it with itself in int8."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=20, help="how long to train each network")
    parser.add_argument("--network", action="append", choices=NETWORKS, help="only this one")
    options = parser.parse_args()
    calibration, _ = pictures(True)
    data = [calibration[i : i + 50] for i in range(0, 500, 50)]
    for name in options.network or NETWORKS:
        mx.random.seed(0)
        net = vision.get_model(name, classes=10)
        net.initialize(mx.init.Xavier())
        net.hybridize()
        train(net, options.epochs)
        for calib_mode in ("naive", "entropy"):
            made = quantize_net_v2(net, calib_data=data, calib_mode=calib_mode)
            made.hybridize()
            compare(name, net, made, calib_mode)


if __name__ == "__main__":
    main()
