"""Attention."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize("heads", [(), (3,)], ids=["one", "several"])
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}], ids=str)
def test_attention(heads, options):
    q, k, v = (randn(2, *heads, 5, 4, seed=seed) for seed in range(3))
    check(lambda q, k, v: scaled_dot_product_attention(q, k, v, **options), q, k, v)


def test_masks():
    q, k, v = randn(2, 3, 5, 4), randn(2, 3, 6, 4, seed=1), randn(2, 3, 6, 4, seed=2)
    added = randn(5, 6)
    check(lambda q, k, v: scaled_dot_product_attention(q, k, v, attn_mask=added), q, k, v)
    allowed = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])[:, None, None]
    check(lambda q, k, v, m: scaled_dot_product_attention(q, k, v, attn_mask=m), q, k, v, allowed)


def test_heads_that_share_keys():
    q, k, v = randn(2, 4, 5, 4), randn(2, 2, 5, 4, seed=1), randn(2, 2, 5, 4, seed=2)
    check(lambda q, k, v: scaled_dot_product_attention(q, k, v, enable_gqa=True), q, k, v)


@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention(batch_first: bool):
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=batch_first)
    x = randn(3, 5, 8)
    check(lambda x: layer(x, x, x)[0], x, other_batch=batch_first)
    check(lambda x: layer(x, x, x, need_weights=False)[0], x, other_batch=batch_first)


def test_dropout_is_refused():
    x = randn(2, 5, 4)
    with pytest.raises(UnsupportedProgram, match=r"drops elements, as in training; export after module.eval\(\)"):
        from_exported_program(exported(lambda x: scaled_dot_product_attention(x, x, x, dropout_p=0.5), x))
