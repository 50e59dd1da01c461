"""Losses in one step."""

from typing import Any

import torch
from torch import Tensor

from ...kernels.eligibility import kernels_for
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.softmax import log_softmax
from ...ops.registry import find
from ...ops.tensor.gather import classes_on, pick
from .table import fused

_CLASSES = (torch.float32, torch.int32, torch.int64)  # what our kernels know classes by


class CrossEntropy(Rule):
    """Softmax and the choice of a class together: the gradient is the probabilities, less one at the class."""

    worth = 3

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, index = arguments
        if data is None or index is None or index.shape not in (data.shape[:-1], (*data.shape[:-1], 1)):
            cross_entropy(*arguments)  # says what is wrong
        return _cross_entropy(data, index)  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _cross_entropy_gradient(saved, grads[0])  # type: ignore[arg-type]


def _cross_entropy(data: Tensor, index: Tensor) -> tuple[Tensor, Any]:
    ours = kernels_for(data) if index.dtype in _CLASSES and index.is_cpu and index.is_contiguous() else None
    if ours is not None:
        loss, probabilities = ours.cross_entropy(data, index)
        return loss, (probabilities, index, ours)
    places = classes_on(index, data.shape[-1]).view(*data.shape[:-1], 1)
    # The probabilities are what the gradient needs; the loss follows from the largest, whose logarithm is never far.
    probabilities = torch.softmax(data, -1)
    behind = data.amax(-1, keepdim=True).sub_(data.gather(-1, places))
    return behind.sub_(probabilities.amax(-1, keepdim=True).log_()), (probabilities, places, None)


def _cross_entropy_gradient(saved: Any, grad: Tensor) -> Grads:
    probabilities, places, ours = saved
    if ours is not None:
        return ours.cross_entropy_backward(grad.contiguous(), probabilities, places), None
    return (probabilities * grad).scatter_add_(-1, places, -grad), None


def _mean_square(lhs: Tensor, rhs: Tensor, scale: float) -> tuple[Tensor, Any]:
    ours = kernels_for(lhs, rhs)
    if ours is not None:
        return ours.mean_square(lhs, rhs, scale), (lhs, rhs, scale, ours)
    away = lhs - rhs
    length = away[0].numel() if len(away) else 0
    means = torch.linalg.vector_norm(away.reshape(len(away), -1), dim=1).square_().mul_(scale / max(length, 1))
    return means, (away, length, scale, None)


def _mean_square_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    lhs, rhs, scale, ours = saved
    if ours is not None:
        given = grad.contiguous()
        left = ours.mean_square_backward(given, lhs, rhs, scale) if needs[0] else None
        return left, ours.mean_square_backward(given, lhs, rhs, -scale) if needs[1] else None
    away, length = lhs, rhs
    factor = (grad * (2 * scale / max(length, 1))).view(-1, *(1,) * (away.dim() - 1))
    return away * factor if needs[0] else None, away * -factor if needs[1] else None


class MeanSquare(Rule):
    """Of a difference, for each position along the first axis."""

    worth = 4

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        lhs, rhs = arguments
        assert lhs is not None
        assert rhs is not None
        is_ordinary = lhs.shape == rhs.shape and lhs.dtype is rhs.dtype and lhs.dim() > 0
        if not is_ordinary or not lhs.is_floating_point():
            mean_square(lhs, rhs, **params)  # says what is wrong
        return _mean_square(lhs, rhs, params.get("scale", 1.0))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _mean_square_gradients(saved, grads[0], needs)  # type: ignore[arg-type]


@fused("_cross_entropy", gradient=CrossEntropy)
def cross_entropy(data: Tensor, index: Tensor) -> Tensor:
    """The negated logarithm of the softmax of one class per row, as `-pick(log_softmax(data), index, keepdims=True)`.

    Args:
        data: scores, the classes on the last axis.
        index: a class for each row; one out of range counts as the nearest.
    """
    if data.dim() == 2 and data.is_floating_point() and index.shape in (data.shape[:1], (data.shape[0], 1)):
        classes = classes_on(index, data.shape[1]).reshape(-1)
        return torch.nn.functional.cross_entropy(data, classes, reduction="none").unsqueeze(-1)
    return -pick(log_softmax(data, axis=-1), index, axis=-1, keepdims=True)


@fused("_mean_square", gradient=MeanSquare)
def mean_square(lhs: Tensor, rhs: Tensor, *, scale: float = 1.0) -> Tensor:
    """For each position along the first axis, the mean of `scale * (lhs - rhs) ** 2`."""
    away = find("elemwise_sub").function(lhs, rhs)
    axes = tuple(range(1, away.dim()))
    squares = torch.square(away) * scale
    return squares.mean(axes) if axes else squares
