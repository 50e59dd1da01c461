"""Attention, written out."""

from math import sqrt
from typing import Any

import torch

import regluon.symbol

from ..lengths import Lengths
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates
from .products import product_of

S: Any = regluon.symbol


@translates("scaled_dot_product_attention")
def attention(node: AtenNode) -> Any:
    """Softmax of products, times values."""
    if node["dropout_p"]:
        raise NotConvertible("it drops elements, as in training; export after module.eval()")
    query, key, value = (node.symbol(each) for each in ("query", "key", "value"))
    of_query, of_key, of_value = (node.lengths(each) for each in ("query", "key", "value"))
    if node["enable_gqa"]:
        heads = node.fixed(of_query[-3], "the number of heads")
        key, of_key = _for_all_heads(key, of_key, heads)
        value, of_value = _for_all_heads(value, of_value, heads)
    scale = node["scale"] if node.has("scale") else 1 / sqrt(of_query[-1][0])
    of_scores = (*node.result[:-2], of_query[-2], of_key[-2])
    scores = product_of(node, query * scale, key, (of_query, of_key), of_scores, transpose_b=True)
    if node["is_causal"]:
        count = (node.fixed(length, "the length of a sequence with a causal mask") for length in of_scores[-2:])
        allowed = torch.ones(tuple(count), dtype=torch.bool).tril()
        scores = S.broadcast_add(scores, node.parameter("mask", _forbidding(allowed.to(node.result_dtype))))
    elif node.has("attn_mask"):
        mask = node.symbol("attn_mask")
        if node.dtype("attn_mask") is torch.bool:
            mask = _forbidding(node.cast(mask, torch.float32, node.result_dtype), node.result_dtype)
        scores = S.broadcast_add(scores, mask)
    weights = S.softmax(scores, axis=-1)
    return product_of(node, weights, value, (of_scores, of_value), node.result)


def _forbidding(allowed: Any, dtype: torch.dtype | None = None) -> Any:
    """What to add to scores: 0 where the mask is 1, and where it is 0 so little that nothing is left of them."""
    least = torch.finfo(dtype or allowed.dtype).min / 2
    return (1 - allowed) * least


def _for_all_heads(data: Any, lengths: Lengths, heads: int) -> tuple[Any, Lengths]:
    """Keys or values repeated for the heads that share them."""
    repeats = heads // lengths[-3][0]
    return S.repeat(data, repeats=repeats, axis=len(lengths) - 3), (*lengths[:-3], (heads, heads), *lengths[-2:])
