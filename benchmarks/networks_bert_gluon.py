"""BERT with a classifier, its layers put together as those of GluonNLP; for this library and the real MXNet alike."""

import inputs_large
from networks_gluon import Network
from networks_large import (
    BERT_BATCH,
    BERT_CLASSES,
    BERT_HEADS,
    BERT_LAYERS,
    BERT_LENGTH,
    BERT_POSITIONS,
    BERT_UNITS,
    BERT_WIDE,
    BERT_WORDS,
)

from mxnet import gluon, nd
from mxnet.gluon import nn


class _SelfAttention(gluon.HybridBlock):
    """Attention of several heads, computed as products of batches with a matrix for every sentence and head."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.query = nn.Dense(BERT_UNITS, flatten=False)
            self.key = nn.Dense(BERT_UNITS, flatten=False)
            self.value = nn.Dense(BERT_UNITS, flatten=False)

    def hybrid_forward(self, F, x):
        def heads(y):
            split = F.transpose(F.reshape(y, shape=(0, 0, BERT_HEADS, -1)), axes=(0, 2, 1, 3))
            return F.reshape(split, shape=(-1, 0, 0), reverse=True)

        query = heads(self.query(x)) * (BERT_UNITS // BERT_HEADS) ** -0.5
        weights = F.softmax(F.batch_dot(query, heads(self.key(x)), transpose_b=True), axis=-1)
        mixed = F.reshape(F.batch_dot(weights, heads(self.value(x))), shape=(-1, BERT_HEADS, 0, 0), reverse=True)
        return F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -1))


class _FeedForward(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.wide = nn.Dense(BERT_WIDE, flatten=False)
            self.activation = nn.GELU()
            self.narrow = nn.Dense(BERT_UNITS, flatten=False)
            self.norm = nn.LayerNorm(epsilon=1e-12)

    def hybrid_forward(self, F, x):
        return self.norm(self.narrow(self.activation(self.wide(x))) + x)


class _Layer(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.attention = _SelfAttention()
            self.joined = nn.Dense(BERT_UNITS, flatten=False)
            self.norm = nn.LayerNorm(epsilon=1e-12)
            self.feed_forward = _FeedForward()

    def hybrid_forward(self, F, x):
        return self.feed_forward(self.norm(self.joined(self.attention(x)) + x))


class _Encoder(gluon.HybridBlock):
    """Adds what is known of a position to its word, and passes both through the layers."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.position_weight = self.params.get("position_weight", shape=(BERT_POSITIONS, BERT_UNITS))
            self.norm = nn.LayerNorm(epsilon=1e-12)
            self.layers = nn.HybridSequential()
            with self.layers.name_scope():
                self.layers.add(*(_Layer() for _ in range(BERT_LAYERS)))

    def hybrid_forward(self, F, x, position_weight):
        steps = F.contrib.arange_like(x, axis=1)
        places = F.Embedding(steps, position_weight, input_dim=BERT_POSITIONS, output_dim=BERT_UNITS)
        return self.layers(self.norm(F.broadcast_add(x, F.expand_dims(places, axis=0))))


class _Classifier(gluon.HybridBlock):
    """Tells the class of a sentence from its first word."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.words = nn.Embedding(BERT_WORDS, BERT_UNITS)
            self.encoder = _Encoder()
            self.pooler = nn.Dense(BERT_UNITS, activation="tanh", flatten=False)
            self.output = nn.Dense(BERT_CLASSES)

    def hybrid_forward(self, F, tokens):
        found = self.encoder(self.words(tokens))
        first = F.reshape(F.slice_axis(found, axis=1, begin=0, end=1), shape=(0, -1))
        return self.output(self.pooler(first))


def bert() -> Network:
    tokens = inputs_large.tokens(BERT_BATCH, BERT_LENGTH, BERT_WORDS)
    label = inputs_large.kinds(BERT_BATCH, BERT_CLASSES)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    return Network(_Classifier(), [nd.array(tokens)], [nd.array(label)], loss)
