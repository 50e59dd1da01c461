"""Attention: the four products together are attention, in every floating type."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input


def _attend(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and sums for (batch, heads, length, width)."""
    scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[-1])
    return scores, scores @ values


def _interleaved(*parts: np.ndarray) -> Any:
    batch, heads, length, width = parts[0].shape
    joined = np.stack(parts, 3).transpose(2, 0, 1, 3, 4)
    return mx.nd.array(joined.reshape(length, batch, heads * len(parts) * width), dtype="float64")


@pytest.mark.parametrize("is_self", [True, False])
def test_is_attention(is_self: bool) -> None:
    state = np.random.RandomState(2)
    keys, values = state.randn(2, 3, 5, 4), state.randn(2, 3, 5, 4)
    queries = state.randn(2, 3, 5 if is_self else 7, 4)
    scores, sums = _attend(queries, keys, values)
    contrib = mx.nd.contrib
    if is_self:
        joined = _interleaved(queries, keys, values)
        attention = contrib.interleaved_matmul_selfatt_qk(joined, heads=3)
        result = contrib.interleaved_matmul_selfatt_valatt(joined, attention, heads=3)
    else:
        joined = _interleaved(keys, values)
        attention = contrib.interleaved_matmul_encdec_qk(_interleaved(queries), joined, heads=3)
        result = contrib.interleaved_matmul_encdec_valatt(joined, attention, heads=3)
    np.testing.assert_allclose(attention.asnumpy(), scores.reshape(6, *scores.shape[2:]))
    expected = sums.transpose(2, 0, 1, 3).reshape(queries.shape[2], 2, 12)
    np.testing.assert_allclose(result.asnumpy(), expected)


def test_texts_of_errors() -> None:
    data = mx.nd.ones((3, 2, 12))
    check_bad_input(
        lambda: mx.nd.contrib.interleaved_matmul_selfatt_qk(data, heads=5),
        r"expected queries_keys_values of shape \(length, batch, 3 \* heads \* width\) with heads=5, got \(3, 2, 12\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.contrib.interleaved_matmul_selfatt_qk(data, heads=0), "heads=0; expected at least 1", OpParamError
    )
    check_bad_input(
        lambda: mx.nd.contrib.interleaved_matmul_selfatt_valatt(data, mx.nd.ones((4, 3, 2)), heads=2),
        r"expected attention of shape \(4, 3, 3\), got \(4, 3, 2\)",
        OpShapeError,
    )
