"""Gradients of matrix products."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..dot import batch_dot
from ..fully_connected import fully_connected
from ..fused import fully_connected_activated
from ..fused_training import head_mix, head_scores, in_heads
from ..products import dense, product
from .activation import DERIVATIVES, OVER
from .native_kernels import kernels_for
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of

_SMALL = 1 << 18  # multiplications of a layer whose gradients are one call: of more, each is worth a choice of its own
_LARGEST = 1 << 16  # numbers in a matrix that our kernel takes; torch's takes larger ones in pieces that fit a cache


def _gradients(
    rows: Tensor, data: Tensor, weight: Tensor, needs: Needs, sums: Tensor | None = None
) -> list[Tensor | None]:
    """Of data, weight and bias, from the gradient of the result as a matrix, and its sums if they are known."""
    found = [
        product(rows, weight).view(data.shape) if needs[0] else None,
        product(rows.t(), data.reshape(-1, weight.shape[1])) if needs[1] else None,
    ]
    if len(needs) < 3:
        return found
    return [*found, (rows.sum(0) if sums is None else sums) if needs[2] else None]


def _inner_gradient(kind: str, grad: Tensor, result: Tensor) -> tuple[Tensor, Tensor | None]:
    """The gradient in front of an activation, and its sums over rows if they cost nothing."""
    ours = kernels_for(grad, result) if kind == "relu" else None
    if ours is not None:
        inner, sums = ours.relu_backward(grad, result)
        return inner, sums
    return DERIVATIVES[kind](grad, result), None


@gradient_of("FullyConnected")
class FullyConnected(Rule):
    """rows @ weight.T + bias."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return fully_connected(*arguments, **params), arguments[:2]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, weight), grad = saved, grads[0]
        assert grad is not None
        return _gradients(grad.reshape(-1, grad.shape[-1]), data, weight, needs)

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick_dense(arguments, needs, None)


@gradient_of("_fully_connected_activated")
class FullyConnectedActivated(Rule):
    """A dense layer and the activation behind it."""

    worth = 2
    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = fully_connected_activated(*arguments, **params)
        return result, (*arguments[:2], result, params["act_type"])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, weight, result, kind = saved
        assert grads[0] is not None
        grad, sums = _inner_gradient(kind, grads[0], result)
        return _gradients(grad.reshape(-1, grad.shape[-1]), data, weight, needs, sums)

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick_dense(arguments, needs, params["act_type"])


def _quick_dense(arguments: Arguments, needs: Needs, kind: str | None) -> Quick | None:
    """For matrices, and lists of them; the activation, if there is one, is written over the product."""
    data, weight = arguments[:2]
    assert data is not None
    assert weight is not None
    if data.shape[-1] != weight.shape[1]:
        return None  # the layer joins axes
    is_matrix = data.dim() == 2
    if is_matrix and data.numel() * weight.shape[0] <= _SMALL and kind in (None, "relu") and all(needs[1:]):
        ours = kernels_for(*arguments)
        if ours is not None:
            return _quick_small_dense(ours, needs, kind == "relu")

    is_cut = kind == "relu"
    activate = OVER[kind] if kind is not None and not is_cut else None

    def forward(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Any]:
        result = dense(x, weight, bias, is_cut)
        result = result if activate is None else activate(result)
        return result, (x, weight, None if kind is None else result)

    def backward(saved: Any, grad: Tensor) -> Grads:
        x, weight, result = saved
        inner, sums = (grad, None) if kind is None else _inner_gradient(kind, grad, result)
        return _gradients(inner if is_matrix else inner.reshape(-1, inner.shape[-1]), x, weight, needs, sums)

    return forward, backward


def _quick_small_dense(ours: Any, needs: Needs, is_activated: bool) -> Quick:
    forward_of, backward_of = ours.dense.default, ours.dense_backward.default

    def forward(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Any]:
        result = forward_of(x, weight, bias, is_activated)
        return result, (x, weight, result if is_activated else None)

    def backward(saved: Any, grad: Tensor) -> Grads:
        x, weight, result = saved
        of_x, of_weight, of_bias = backward_of(grad.contiguous(), result, x, weight, needs[0])
        return (of_x if needs[0] else None, of_weight, of_bias)[: len(needs)]

    return forward, backward


@gradient_of("batch_dot")
class BatchDot(Rule):
    """Products of matrices, one for each element of a batch."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        lhs, rhs = arguments
        turned = params.get("transpose_a", False), params.get("transpose_b", False)
        return batch_dot(*arguments, **params), (lhs, rhs, turned)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (lhs, rhs, (turned_left, turned_right)), grad = saved, grads[0]
        assert grad is not None
        left = right = None
        if needs[0]:
            other = rhs if turned_right else rhs.mT
            left = torch.matmul(other.mT, grad.mT) if turned_left else torch.matmul(grad, other)
        if needs[1]:
            other = lhs if turned_left else lhs.mT
            right = torch.matmul(grad.mT, other.mT) if turned_right else torch.matmul(other, grad)
        return left, right


def _head_kernels(weight_shape: tuple[int, int], width: int, *tensors: Tensor) -> Any:
    """Our kernels, if they suit products of these matrices."""
    rows, columns = weight_shape
    is_small = max(rows, columns) * width <= _LARGEST and rows * columns <= _LARGEST
    return kernels_for(*tensors) if is_small and all(tensor.dim() == 3 for tensor in tensors) else None


def _to_rows(ours: Any, weight: Tensor, data: Tensor, like: Tensor) -> Tensor:
    """Products of (batch, heads, length, other) and (batch, heads, other, width) as (batch, length, heads * width)."""
    if ours is None:
        return torch.matmul(weight, data).transpose(1, 2).reshape(like.shape)
    result = torch.empty_like(like)
    ours.head_products(weight, data, in_heads(result, weight.shape[1]))
    return result


def _to_weights(ours: Any, left: Tensor, right: Tensor) -> Tensor:
    """Products of (batch, heads, length, width) and (batch, heads, other, width) as (batch * heads, length, other)."""
    if ours is None:
        return torch.matmul(left, right.mT).flatten(0, 1)
    batch, heads, length, _ = left.shape
    result = left.new_empty((batch, heads, length, right.shape[2]))
    ours.head_products(left, right.mT, result)
    return result.flatten(0, 1)


def _scores(query: Tensor, key: Tensor, heads: int) -> tuple[Tensor, Any]:
    ours = _head_kernels((query.shape[1], key.shape[1]), query.shape[-1] // heads, query, key)
    return _to_weights(ours, in_heads(query, heads), in_heads(key, heads)), (query, key, heads, ours)


def _scores_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    query, key, heads, ours = saved
    inner = grad.contiguous().view(-1, heads, *grad.shape[1:])
    left = _to_rows(ours, inner, in_heads(key, heads), query) if needs[0] else None
    return left, _to_rows(ours, inner.mT, in_heads(query, heads), key) if needs[1] else None


def _mixed(weight: Tensor, value: Tensor, heads: int) -> tuple[Tensor, Any]:
    ours = _head_kernels((weight.shape[1], weight.shape[2]), value.shape[-1] // heads, weight, value)
    inner = weight.view(-1, heads, *weight.shape[1:])
    rows = value if weight.shape[1] == value.shape[1] else value[:, :1].expand(-1, weight.shape[1], -1)
    return _to_rows(ours, inner, in_heads(value, heads), rows), (inner, value, heads, ours)


def _mixed_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    weight, value, heads, ours = saved
    given = in_heads(grad.contiguous(), heads)
    left = _to_weights(ours, given, in_heads(value, heads)) if needs[0] else None
    return left, _to_rows(ours, weight.mT, given, value) if needs[1] else None


@gradient_of("_head_scores")
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

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return partial(_scores, heads=params["heads"]), partial(_scores_gradients, needs=needs)


@gradient_of("_head_mix")
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

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return partial(_mixed, heads=params["heads"]), partial(_mixed_gradients, needs=needs)
