"""BERT with a classifier for plain PyTorch: query, key and value in one product, attention in one call."""

import inputs
import inputs_large
import numpy as np
import torch
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
from networks_torch import Network
from torch import nn
from torch.nn import functional as F


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries_keys_values = nn.Linear(BERT_UNITS, 3 * BERT_UNITS)
        self.joined = nn.Linear(BERT_UNITS, BERT_UNITS)
        self.first_norm = nn.LayerNorm(BERT_UNITS, eps=1e-12)
        self.wide, self.narrow = nn.Linear(BERT_UNITS, BERT_WIDE), nn.Linear(BERT_WIDE, BERT_UNITS)
        self.second_norm = nn.LayerNorm(BERT_UNITS, eps=1e-12)

    def forward(self, x):
        heads = self.queries_keys_values(x).unflatten(-1, (3, BERT_HEADS, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*heads.unbind())
        x = self.first_norm(self.joined(mixed.transpose(1, 2).flatten(2)) + x)
        return self.second_norm(self.narrow(F.gelu(self.wide(x))) + x)


class _Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(BERT_WORDS, BERT_UNITS)
        self.positions = nn.Embedding(BERT_POSITIONS, BERT_UNITS)
        self.norm = nn.LayerNorm(BERT_UNITS, eps=1e-12)
        self.layers = nn.Sequential(*(_Layer() for _ in range(BERT_LAYERS)))
        self.pooler = nn.Linear(BERT_UNITS, BERT_UNITS)
        self.output = nn.Linear(BERT_UNITS, BERT_CLASSES)

    def forward(self, tokens):
        x = self.norm(self.words(tokens) + self.positions.weight[: tokens.shape[1]])
        return self.output(torch.tanh(self.pooler(self.layers(x)[:, 0])))


class _JoinedFill:
    """Values for layers that join three of Gluon's: theirs one after the other, and the numbers after them shifted."""

    def __init__(self):
        self._shift = 0

    def __call__(self, number: int, shape, kind: str) -> np.ndarray:
        place = number + self._shift
        if shape[0] != 3 * BERT_UNITS:
            return inputs.parameter(place, shape, kind)
        if kind == "bias":
            self._shift += 4  # a weight and a bias stand for three of each
        # In Gluon the bias of a layer stands between its weight and the weight of the next one.
        return np.concatenate([inputs.parameter(place + i, (BERT_UNITS, *shape[1:]), kind) for i in (0, 2, 4)])


def bert() -> Network:
    tokens = torch.tensor(inputs_large.tokens(BERT_BATCH, BERT_LENGTH, BERT_WORDS))
    label = torch.tensor(inputs_large.kinds(BERT_BATCH, BERT_CLASSES))
    return Network(_Classifier(), [tokens], [label], F.cross_entropy, _JoinedFill())
