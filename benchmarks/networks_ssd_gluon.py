"""A single-shot detector on MobileNet, trained and used, for this library and the real MXNet alike."""

import inputs_large
from networks_gluon import Network
from networks_large import (
    EXTRA,
    MINING_OVERLAP,
    MINING_RATIO,
    NMS_TOP,
    OVERLAP,
    SCORE,
    SSD_ANCHORS,
    SSD_CLASSES,
    SSD_OBJECTS,
    SSD_RATIOS,
    SSD_SIDE,
    SSD_SIZES,
    SUPPRESSION,
    TAPS,
    VARIANCES,
)

from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.model_zoo import vision


def _halving(narrow: int, wide: int) -> nn.HybridSequential:
    block = nn.HybridSequential()
    for channels, *where in ((narrow, 1), (wide, 3, 2, 1)):
        block.add(nn.Conv2D(channels, *where, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    return block


class _Detector(gluon.HybridBlock):
    """Anchors at every place of maps of five sizes, and what is seen at each: scores of classes and shifts of boxes."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.stages, self.classes, self.boxes = (nn.HybridSequential() for _ in range(3))
            features = vision.mobilenet1_0().features
            begin = 0
            for pairs in TAPS:
                end = 3 + 6 * pairs  # layers: three at the beginning, six of each pair of convolutions
                self.stages.add(features[begin:end])
                begin = end
            self.stages.add(*(_halving(*channels) for channels in EXTRA))
            for _ in SSD_SIZES:
                self.classes.add(nn.Conv2D(SSD_ANCHORS * (SSD_CLASSES + 1), 3, padding=1))
                self.boxes.add(nn.Conv2D(SSD_ANCHORS * 4, 3, padding=1))

    def hybrid_forward(self, F, x):
        anchors, scores, shifts = [], [], []
        for stage, classes, boxes, sizes in zip(self.stages, self.classes, self.boxes, SSD_SIZES, strict=True):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=sizes, ratios=SSD_RATIOS))
            for parts, layer in ((scores, classes), (shifts, boxes)):
                parts.append(F.flatten(F.transpose(layer(x), axes=(0, 2, 3, 1))))
        rated = F.reshape(F.concat(*scores, dim=1), shape=(0, -1, SSD_CLASSES + 1))
        return F.concat(*anchors, dim=1), rated, F.concat(*shifts, dim=1)


class _Detections(gluon.HybridBlock):
    """Class, score and corners of what is detected; class -1 for what is not."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.detector = _Detector()

    def hybrid_forward(self, F, x):
        anchors, scores, shifts = self.detector(x)
        chances = F.transpose(F.softmax(scores, axis=-1), axes=(0, 2, 1))
        return F.contrib.MultiBoxDetection(
            chances,
            shifts,
            anchors,
            threshold=SCORE,
            nms_threshold=SUPPRESSION,
            nms_topk=NMS_TOP,
            variances=VARIANCES,
        )


class _DetectionLoss(gluon.HybridBlock):
    """Matches anchors with objects, and says how far what is seen is from them."""

    def __init__(self):
        super().__init__()
        self.classes, self.boxes = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()

    def hybrid_forward(self, F, anchors, scores, shifts, objects):
        wanted, mask, label = F.contrib.MultiBoxTarget(
            anchors,
            objects,
            F.transpose(scores, axes=(0, 2, 1)),
            overlap_threshold=OVERLAP,
            negative_mining_ratio=MINING_RATIO,
            negative_mining_thresh=MINING_OVERLAP,
            variances=VARIANCES,
        )
        counted = F.expand_dims(label >= 0, axis=2)  # anchors that are neither matched nor mined are left out
        return self.classes(scores, label, counted) + self.boxes(shifts * mask, wanted)


def ssd_training() -> Network:
    batch = 4
    objects = inputs_large.objects(batch, SSD_OBJECTS, SSD_CLASSES)
    data = inputs_large.pictures(batch, SSD_SIDE)
    return Network(_Detector(), [nd.array(data)], [nd.array(objects)], _DetectionLoss())


def ssd_detection() -> Network:
    return Network(_Detections(), [nd.array(inputs_large.pictures(1, SSD_SIDE))], loss=_DetectionLoss())


def detected(found: list) -> list:
    """The rows of what was detected, as torch's side returns them."""
    rows = found[0].asnumpy()[0]
    return [rows[rows[:, 0] >= 0]]
