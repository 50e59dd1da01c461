"""Attention over interleaved projections: queries, keys and values of all heads stand in one array.

The last axis of such an array holds, head by head, the query, the key and the value of one position, or only the key
and the value where queries come from another sequence.
"""

import math

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, in_float, same_dtype
from ..precision import fitted
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Rule, Specs, one_float_dtype


def _per_head(name: str, projections: Tensor, heads: int, parts: int) -> tuple[Tensor, ...]:
    """The interleaved parts, each as (batch * heads, length, width of a head)."""
    expect_floating(projections, name)
    if heads < 1:
        raise OpParamError(f"heads={heads}; expected at least 1")
    if projections.dim() != 3 or projections.shape[2] % (heads * parts):
        raise OpShapeError(
            f"expected {name} of shape (length, batch, {parts} * heads * width) with heads={heads}, "
            f"got {tuple(projections.shape)}"
        )
    length, batch, total = projections.shape
    apart = projections.reshape(length, batch * heads, parts, total // (heads * parts))
    return tuple(part.transpose(0, 1) for part in apart.unbind(2))


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.bmm(queries / math.sqrt(queries.shape[-1]), keys.transpose(1, 2))


def _weighted(attention: Tensor, values: Tensor, heads: int) -> Tensor:
    """Sums of values by their attention, with the heads side by side again: (length, batch, heads * width)."""
    sums = torch.bmm(attention, values)
    return sums.transpose(0, 1).reshape(sums.shape[1], sums.shape[0] // heads, -1)


@operator("_contrib_interleaved_matmul_selfatt_qk")
def selfatt_qk(queries_keys_values: Tensor, *, heads: int) -> Tensor:
    """The scores of attention within one sequence: products of queries and keys over the root of their width.

    Args:
        queries_keys_values: (length, batch, heads * 3 * width).
        heads: number of heads.

    Returns:
        (batch * heads, length, length).
    """
    queries, keys, _ = _per_head("queries_keys_values", queries_keys_values, heads, 3)
    return _scores(queries, keys)


@operator("_contrib_interleaved_matmul_selfatt_valatt")
def selfatt_valatt(queries_keys_values: Tensor, attention: Tensor, *, heads: int) -> Tensor:
    """What attention within one sequence finds: the sum of the values, by their attention.

    Args:
        queries_keys_values: (length, batch, heads * 3 * width).
        attention: (batch * heads, length, length).
        heads: number of heads.

    Returns:
        (length, batch, heads * width).
    """
    same_dtype(queries_keys_values=queries_keys_values, attention=attention)
    values = _per_head("queries_keys_values", queries_keys_values, heads, 3)[2]
    expect_shape("attention", attention, (values.shape[0], values.shape[1], values.shape[1]))
    return _weighted(attention, values, heads)


@operator("_contrib_interleaved_matmul_encdec_qk")
def encdec_qk(queries: Tensor, keys_values: Tensor, *, heads: int) -> Tensor:
    """The scores of attention from one sequence to another: products of queries and keys over the root of their width.

    Args:
        queries: (length of the queries, batch, heads * width).
        keys_values: (length, batch, heads * 2 * width).
        heads: number of heads.

    Returns:
        (batch * heads, length of the queries, length).
    """
    same_dtype(queries=queries, keys_values=keys_values)
    (asked,) = _per_head("queries", queries, heads, 1)
    keys, _ = _per_head("keys_values", keys_values, heads, 2)
    expect_shape("keys_values", keys_values, (keys.shape[1], queries.shape[1], 2 * queries.shape[2]))
    return _scores(asked, keys)


@operator("_contrib_interleaved_matmul_encdec_valatt")
def encdec_valatt(keys_values: Tensor, attention: Tensor, *, heads: int) -> Tensor:
    """What attention from one sequence to another finds: the sum of the values, by their attention.

    Args:
        keys_values: (length, batch, heads * 2 * width).
        attention: (batch * heads, length of the queries, length).
        heads: number of heads.

    Returns:
        (length of the queries, batch, heads * width).
    """
    same_dtype(keys_values=keys_values, attention=attention)
    values = _per_head("keys_values", keys_values, heads, 2)[1]
    if attention.dim() != 3:
        raise OpShapeError(f"expected attention of 3 dimensions, got shape {tuple(attention.shape)}")
    expect_shape("attention", attention, (values.shape[0], attention.shape[1], values.shape[1]))
    return _weighted(attention, values, heads)


@operator("_contrib_div_sqrt_dim", alike=True)
def div_sqrt_dim(data: Tensor) -> Tensor:
    """Divides by the square root of the length of the last axis."""
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    root = fitted(math.sqrt(data.shape[-1]), data.dtype)  # among integers it is a whole number
    return in_float(lambda values: values / root, data)


@shape_of("_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_encdec_qk")
def _scores_shape(specs: Specs, params: Params) -> Result:
    """Within one sequence, or from one to another."""
    data, heads = specs[0], params["heads"]
    if data is None or not one_float_dtype(specs) or any(spec is None or len(spec[0]) != 3 for spec in specs):
        return None
    (length, batch, width), dtype = data
    if heads < 1 or width % (heads * (3 if len(specs) == 1 else 1)):
        return None
    if len(specs) == 1:
        return [((batch * heads, length, length), dtype)]
    keys = specs[1][0]  # type: ignore[index]
    return [((batch * heads, length, keys[0]), dtype)] if keys[1:] == (batch, 2 * width) else None


def _attended(parts: int) -> Rule:
    """What attention finds; keys and values come with the queries (3 parts) or without (2)."""

    def rule(specs: Specs, params: Params) -> Result:
        data, attention = specs
        if data is None or attention is None or not one_float_dtype(specs) or len(data[0]) != 3:
            return None
        (length, batch, width), heads = data[0], params["heads"]
        if heads < 1 or width % (heads * parts) or len(attention[0]) != 3:
            return None
        asked = attention[0][1]
        if attention[0] != (batch * heads, asked, length) or (parts == 3 and asked != length):
            return None
        return [((asked, batch, width // parts), data[1])]

    return rule


shape_of("_contrib_interleaved_matmul_selfatt_valatt")(_attended(3))
shape_of("_contrib_interleaved_matmul_encdec_valatt")(_attended(2))
