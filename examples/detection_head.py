"""Finds rectangles in pictures as SSD does: anchors, targets for them, two heads, and suppressing what overlaps."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from samples import draw_boxes, rectangles

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

KINDS, SIZES, RATIOS = ("dark", "bright"), (0.3, 0.45), (1, 2, 0.5)
ANCHORS = len(SIZES) + len(RATIOS) - 1  # at each place


class Detector(gluon.HybridBlock):
    """Anchors on a grid of 8 x 8 places, and for each of them the scores of the kinds and the offsets of the box."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            for channels in (16, 32, 32):
                self.body.add(nn.Conv2D(channels, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
            self.kinds = nn.Conv2D(ANCHORS * (1 + len(KINDS)), 3, padding=1)  # 0 is the background
            self.boxes = nn.Conv2D(ANCHORS * 4, 3, padding=1)

    def hybrid_forward(self, F: Any, pictures: Any) -> Any:
        features = self.body(pictures)
        anchors = F.contrib.MultiBoxPrior(features, sizes=SIZES, ratios=RATIOS)
        scores = self.kinds(features).transpose((0, 2, 3, 1)).reshape((0, -1, 1 + len(KINDS)))
        offsets = self.boxes(features).transpose((0, 2, 3, 1)).flatten()
        return anchors, scores, offsets


def detect(net: gluon.Block, pictures: nd.NDArray) -> nd.NDArray:
    """Rows of kind, score and corners, the best first; what overlaps a better one has the kind -1."""
    anchors, scores, offsets = net(pictures)
    boxes = nd.contrib.box_decode(offsets.reshape((0, -1, 4)), anchors, 0.1, 0.1, 0.2, 0.2, format="corner")
    chances = nd.softmax(scores)[:, :, 1:]
    rows = nd.concat(chances.argmax(2, keepdims=True), chances.max(2, keepdims=True), boxes, dim=2)
    return nd.contrib.box_nms(rows, overlap_thresh=0.3, valid_thresh=0.5, id_index=0, force_suppress=True)


def main(steps: int = 150, batch_size: int = 32, folder: str | None = None) -> float:
    mx.random.seed(8)
    numbers = np.random.default_rng(8)
    net = Detector()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    kind_loss, box_loss = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    for step in range(1, steps + 1):
        pictures, truth = rectangles(batch_size, numbers)
        with autograd.record():
            anchors, scores, offsets = net(pictures)
            with autograd.pause():  # which anchors should answer for which rectangle, and which for the background
                targets, mask, kinds = nd.contrib.MultiBoxTarget(
                    anchors, truth, scores.transpose((0, 2, 1)), negative_mining_ratio=3
                )
            loss = kind_loss(scores, nd.relu(kinds), (kinds >= 0).expand_dims(2)) + 5 * box_loss(
                offsets * mask, targets
            )
        loss.backward()
        trainer.step(batch_size)
        if step % 50 == 0:
            print(f"step {step}: loss {loss.mean().asscalar():.4f}")
    pictures, truth = rectangles(100, numbers)
    found, hits = detect(net, pictures), 0
    for wanted, rows in zip(truth, found, strict=True):
        fits = nd.contrib.box_iou(wanted[:, 1:], rows[:, 2:]) > 0.5
        hits += (fits * (wanted[:, :1] == rows[:, 0].expand_dims(0))).max(axis=1).sum().asscalar()
    path = Path(folder or tempfile.mkdtemp()) / "rectangles.png"
    draw_boxes(pictures[:6], found[:6], KINDS, path)
    print(f"{hits / 200:.1%} of the rectangles in new pictures found; some are drawn in {path}")
    return hits / 200


if __name__ == "__main__":
    main()
