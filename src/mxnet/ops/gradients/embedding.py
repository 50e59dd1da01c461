"""Gradients of what looks rows up."""

from collections.abc import Mapping
from typing import Any

import torch

from ..tensor.gather import embedding, places_on
from .rule import Arguments, Grads, Needs, Rule, gradient_of


@gradient_of("Embedding")
class Embedding(Rule):
    """A row of the weight for each index; its gradient has all rows."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return not params["sparse_grad"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, weight = arguments
        assert data is not None
        assert weight is not None
        places = places_on(data, weight.shape[0]) if weight.dim() == 2 else data
        return embedding(places, weight, **params), (places, weight.shape[0])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (places, length), grad = saved, grads[0]
        return None, torch.ops.aten.embedding_dense_backward(grad, places, length, -1, False) if needs[1] else None
