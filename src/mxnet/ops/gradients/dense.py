"""Gradients of matrix products."""

from typing import Any

import torch

from ..common import prod
from ..dot import batch_dot
from ..fully_connected import fully_connected
from .rule import Arguments, Grads, Needs, Rule, gradient_of


@gradient_of("FullyConnected")
class FullyConnected(Rule):
    """rows @ weight.T + bias."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, weight = arguments[0], arguments[1]
        assert data is not None
        return fully_connected(*arguments, **params), (data, weight, params.get("flatten", True))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, weight, flatten), grad = saved, grads[0]
        assert grad is not None
        width = prod(data.shape[1:]) if flatten else data.shape[-1]
        rows = grad.reshape(-1, grad.shape[-1])
        found = [
            rows.mm(weight).view(data.shape) if needs[0] else None,
            rows.t().mm(data.reshape(-1, width)) if needs[1] else None,
        ]
        return [*found, rows.sum(0) if needs[2] else None] if len(needs) > 2 else found


@gradient_of("batch_dot")
class BatchDot(Rule):
    """Products of matrices, one for each element of a batch."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        lhs, rhs = arguments
        turned = params.get("transpose_a", False), params.get("transpose_b", False)
        return batch_dot(*arguments, **params), (lhs, rhs, turned)  # type: ignore[arg-type]

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
