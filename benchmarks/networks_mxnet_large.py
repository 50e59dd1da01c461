"""Build BERT and a single-shot detector with Gluon; this project and the real MXNet execute the same lines.

BERT's layers are composed as those of GluonNLP: query, key and value are layers of their own.
"""

import constants
import numpy as np

from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.model_zoo import vision

# -- BERT --------------------------------------------------------------------------------------------------------------


class _SelfAttention(gluon.HybridBlock):
    """Multi-head attention as batched products with one matrix per sentence and head."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.query = nn.Dense(constants.BERT_UNITS, flatten=False)
            self.key = nn.Dense(constants.BERT_UNITS, flatten=False)
            self.value = nn.Dense(constants.BERT_UNITS, flatten=False)

    def hybrid_forward(self, F, x):
        def heads(y):
            split = F.transpose(F.reshape(y, shape=(0, 0, constants.BERT_HEADS, -1)), axes=(0, 2, 1, 3))
            return F.reshape(split, shape=(-1, 0, 0), reverse=True)

        query = heads(self.query(x)) * (constants.BERT_UNITS // constants.BERT_HEADS) ** -0.5
        weights = F.softmax(F.batch_dot(query, heads(self.key(x)), transpose_b=True), axis=-1)
        mixed = F.reshape(
            F.batch_dot(weights, heads(self.value(x))), shape=(-1, constants.BERT_HEADS, 0, 0), reverse=True
        )
        return F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -1))


class _FeedForward(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.wide = nn.Dense(constants.BERT_WIDE, flatten=False)
            self.activation = nn.GELU()
            self.narrow = nn.Dense(constants.BERT_UNITS, flatten=False)
            self.norm = nn.LayerNorm(epsilon=1e-12)

    def hybrid_forward(self, F, x):
        return self.norm(self.narrow(self.activation(self.wide(x))) + x)


class _Layer(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.attention = _SelfAttention()
            self.projection = nn.Dense(constants.BERT_UNITS, flatten=False)
            self.norm = nn.LayerNorm(epsilon=1e-12)
            self.feed_forward = _FeedForward()

    def hybrid_forward(self, F, x):
        return self.feed_forward(self.norm(self.projection(self.attention(x)) + x))


class _Encoder(gluon.HybridBlock):
    """Add position embeddings to the word embeddings and apply the layers."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.position_weight = self.params.get(
                "position_weight", shape=(constants.BERT_POSITIONS, constants.BERT_UNITS)
            )
            self.norm = nn.LayerNorm(epsilon=1e-12)
            self.layers = nn.HybridSequential()
            with self.layers.name_scope():
                self.layers.add(*(_Layer() for _ in range(constants.BERT_LAYERS)))

    def hybrid_forward(self, F, x, position_weight):
        steps = F.contrib.arange_like(x, axis=1)
        places = F.Embedding(
            steps, position_weight, input_dim=constants.BERT_POSITIONS, output_dim=constants.BERT_UNITS
        )
        return self.layers(self.norm(F.broadcast_add(x, F.expand_dims(places, axis=0))))


class _Classifier(gluon.HybridBlock):
    """Classify a sentence from the output at its first word."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.words = nn.Embedding(constants.BERT_WORDS, constants.BERT_UNITS)
            self.encoder = _Encoder()
            self.pooler = nn.Dense(constants.BERT_UNITS, activation="tanh", flatten=False)
            self.output = nn.Dense(constants.BERT_CLASSES)

    def hybrid_forward(self, F, tokens):
        found = self.encoder(self.words(tokens))
        first = F.reshape(F.slice_axis(found, axis=1, begin=0, end=1), shape=(0, -1))
        return self.output(self.pooler(first))


# -- SSD ---------------------------------------------------------------------------------------------------------------


def _halving(narrow: int, wide: int) -> nn.HybridSequential:
    block = nn.HybridSequential()
    for channels, *where in ((narrow, 1), (wide, 3, 2, 1)):
        block.add(nn.Conv2D(channels, *where, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    return block


class _Detector(gluon.HybridBlock):
    """Return the anchors of feature maps of five sizes, and for each one scores of classes and offsets of its box."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.stages, self.classes, self.boxes = (nn.HybridSequential() for _ in range(3))
            features = vision.mobilenet1_0().features
            begin = 0
            for pairs in constants.TAPS:
                end = 3 + 6 * pairs  # three layers at the beginning, six per pair of convolutions
                self.stages.add(features[begin:end])
                begin = end
            self.stages.add(*(_halving(*channels) for channels in constants.EXTRA))
            for _ in constants.SSD_SIZES:
                self.classes.add(nn.Conv2D(constants.SSD_ANCHORS * (constants.SSD_CLASSES + 1), 3, padding=1))
                self.boxes.add(nn.Conv2D(constants.SSD_ANCHORS * 4, 3, padding=1))

    def hybrid_forward(self, F, x):
        anchors, scores, offsets = [], [], []
        for stage, classes, boxes, sizes in zip(
            self.stages, self.classes, self.boxes, constants.SSD_SIZES, strict=True
        ):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=sizes, ratios=constants.SSD_RATIOS))
            for parts, layer in ((scores, classes), (offsets, boxes)):
                parts.append(F.flatten(F.transpose(layer(x), axes=(0, 2, 3, 1))))
        scored = F.reshape(F.concat(*scores, dim=1), shape=(0, -1, constants.SSD_CLASSES + 1))
        return F.concat(*anchors, dim=1), scored, F.concat(*offsets, dim=1)


class _Detections(gluon.HybridBlock):
    """Return class, score and corners of each detection; class -1 marks unused rows."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.detector = _Detector()

    def hybrid_forward(self, F, x):
        anchors, scores, offsets = self.detector(x)
        probabilities = F.transpose(F.softmax(scores, axis=-1), axes=(0, 2, 1))
        return F.contrib.MultiBoxDetection(
            probabilities,
            offsets,
            anchors,
            threshold=constants.SCORE,
            nms_threshold=constants.SUPPRESSION,
            nms_topk=constants.NMS_TOP,
            variances=constants.VARIANCES,
        )


class MultiBoxLoss(gluon.HybridBlock):
    """Match anchors with objects and return the loss of classes and boxes."""

    def __init__(self):
        super().__init__()
        self.classes, self.boxes = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()

    def hybrid_forward(self, F, anchors, scores, offsets, objects):
        wanted, mask, label = F.contrib.MultiBoxTarget(
            anchors,
            objects,
            F.transpose(scores, axes=(0, 2, 1)),
            overlap_threshold=constants.OVERLAP,
            negative_mining_ratio=constants.MINING_RATIO,
            negative_mining_thresh=constants.MINING_OVERLAP,
            variances=constants.VARIANCES,
        )
        counted = F.expand_dims(label >= 0, axis=2)  # anchors that are neither matched nor mined have no loss
        return self.classes(scores, label, counted) + self.boxes(offsets * mask, wanted)


bert = _Classifier
ssd = _Detector
ssd_detections = _Detections


def detected(found: list[nd.NDArray]) -> list[np.ndarray]:
    """Return the rows of detections, as torch's side returns them."""
    rows = found[0].asnumpy()[0]
    return [rows[rows[:, 0] >= 0]]
