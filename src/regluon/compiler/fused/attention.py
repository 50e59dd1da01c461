"""The products and weights of attention, head by head."""

from typing import Any

from torch import Tensor

from ...kernels.dense import head_products
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.softmax import floating_data, scaled_softmax_gradient, softmax
from ...ops.nn.softmax import scaled_softmax as softmax_forward
from ...ops.tensor.dot import batch_dot
from .table import fused


def in_heads(data: Tensor, heads: int) -> Tensor:
    """A view of (batch, length, heads * width) as (batch, heads, length, width)."""
    return data.reshape(data.shape[0], data.shape[1], heads, -1).transpose(1, 2)


def _to_rows(weight: Tensor, data: Tensor) -> Tensor:
    """Products of (batch, heads, length, other) and (batch, heads, other, width) as (batch, length, heads * width)."""
    return head_products(weight, data, in_rows=True).transpose(1, 2).flatten(2)


def _to_weights(left: Tensor, right: Tensor) -> Tensor:
    """Products of (batch, heads, length, width) and (batch, heads, other, width) as (batch * heads, length, other)."""
    return head_products(left, right.mT, in_rows=False).flatten(0, 1)


def _scores(query: Tensor, key: Tensor, heads: int) -> tuple[Tensor, Any]:
    return _to_weights(in_heads(query, heads), in_heads(key, heads)), (query, key, heads)


def _scores_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    query, key, heads = saved
    inner = grad.contiguous().view(-1, heads, *grad.shape[1:])
    left = _to_rows(inner, in_heads(key, heads)) if needs[0] else None
    return left, _to_rows(inner.mT, in_heads(query, heads)) if needs[1] else None


def _mixed(weight: Tensor, value: Tensor, heads: int) -> tuple[Tensor, Any]:
    inner = weight.view(-1, heads, *weight.shape[1:])
    return _to_rows(inner, in_heads(value, heads)), (inner, value, heads)


def _mixed_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    weight, value, heads = saved
    given = in_heads(grad.contiguous(), heads)
    left = _to_weights(given, in_heads(value, heads)) if needs[0] else None
    return left, _to_rows(weight.mT, given) if needs[1] else None


class HeadScores(Rule):
    """Queries times keys."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        query, key = arguments
        assert query is not None
        assert key is not None
        heads = params["heads"]
        fits = query.dim() == key.dim() == 3 and query.shape[::2] == key.shape[::2] and query.shape[-1] % heads == 0
        if not fits or query.dtype is not key.dtype or not query.is_floating_point():
            head_scores(query, key, heads=heads)  # says what is wrong
        return _scores(query, key, heads)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _scores_gradients(saved, grads[0], needs)  # type: ignore[arg-type]


class HeadMix(Rule):
    """Weights times values."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        weight, value = arguments
        assert weight is not None
        assert value is not None
        heads = params["heads"]
        fits = weight.dim() == value.dim() == 3 and value.shape[-1] % heads == 0
        fits = fits and (weight.shape[0], weight.shape[2]) == (value.shape[0] * heads, value.shape[1])
        if not fits or weight.dtype is not value.dtype or not weight.is_floating_point():
            head_mix(weight, value, heads=heads)  # says what is wrong
        return _mixed(weight, value, heads)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _mixed_gradients(saved, grads[0], needs)  # type: ignore[arg-type]


class ScaledSoftmax(Rule):
    """Of the data times a number, along the last axis."""

    worth = 2

    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = floating_data(arguments)
        return softmax_forward(data, data.dim() - 1, params["scale"], False)

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        data = floating_data(arguments)
        return softmax_forward(data, data.dim() - 1, params["scale"], True)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return (scaled_softmax_gradient(saved, grads[0]),)


@fused("_head_scores", gradient=HeadScores)
def head_scores(query: Tensor, key: Tensor, *, heads: int) -> Tensor:
    """The products of queries and keys, head by head.

    Args:
        query: (batch, length, heads * width).
        key: (batch, other length, heads * width).
        heads: how many.

    Returns:
        (batch * heads, length, other length).
    """
    left, right = (in_heads(each, heads).flatten(0, 1) for each in (query, key))
    return batch_dot(left, right, transpose_b=True)


@fused("_head_mix", gradient=HeadMix)
def head_mix(weight: Tensor, value: Tensor, *, heads: int) -> Tensor:
    """Sums of values with weights, head by head.

    Args:
        weight: (batch * heads, length, other length).
        value: (batch, other length, heads * width).
        heads: how many.

    Returns:
        (batch, length, heads * width).
    """
    mixed = batch_dot(weight, in_heads(value, heads).flatten(0, 1))
    return mixed.reshape(-1, heads, *mixed.shape[1:]).transpose(1, 2).flatten(2)


@fused("_scaled_softmax", gradient=ScaledSoftmax)
def scaled_softmax(data: Tensor, *, scale: float) -> Tensor:
    """Softmax along the last axis of the data times a number."""
    return softmax(data * scale, axis=-1)
