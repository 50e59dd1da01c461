"""Gradients of matrix products."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from ..dot import batch_dot
from ..fully_connected import fully_connected
from ..fused import fully_connected_activated
from .activation import DERIVATIVES, OVER
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of


def _gradients(rows: Tensor, data: Tensor, weight: Tensor, needs: Needs) -> list[Tensor | None]:
    """Of data, weight and bias, from the gradient of the result as a matrix."""
    found = [
        rows.mm(weight).view(data.shape) if needs[0] else None,
        rows.t().mm(data.reshape(-1, weight.shape[1])) if needs[1] else None,
    ]
    return [*found, rows.sum(0) if needs[2] else None] if len(needs) > 2 else found


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

    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = fully_connected_activated(*arguments, **params)
        return result, (*arguments[:2], result, params["act_type"])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, weight, result, kind = saved
        assert grads[0] is not None
        grad = DERIVATIVES[kind](grads[0], result)
        return _gradients(grad.reshape(-1, grad.shape[-1]), data, weight, needs)

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick_dense(arguments, needs, params["act_type"])


def _quick_dense(arguments: Arguments, needs: Needs, kind: str | None) -> Quick | None:
    """For matrices; the activation, if there is one, is written over the product."""
    data = arguments[0]
    assert data is not None
    if data.dim() != 2:
        return None
    of_data, of_weight, of_bias = (*needs, False)[:3]
    has_bias = len(needs) > 2

    def forward(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Any]:
        return linear(x, weight, bias), (x, weight)

    def backward(saved: Any, grad: Tensor) -> Grads:
        x, weight = saved
        left = grad.mm(weight) if of_data else None
        right = grad.t().mm(x) if of_weight else None
        return (left, right, grad.sum(0) if of_bias else None) if has_bias else (left, right)

    if kind is None:
        return forward, backward
    activate, derive = OVER[kind], DERIVATIVES[kind]

    def forward_activated(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> tuple[Tensor, Any]:
        result = activate(linear(x, weight, bias))
        return result, (x, weight, result)

    def backward_activated(saved: Any, grad: Tensor) -> Grads:
        x, weight, result = saved
        return backward((x, weight), derive(grad, result))

    return forward_activated, backward_activated


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
