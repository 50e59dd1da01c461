"""Gradients of matrix products."""

from typing import Any

import torch
from torch import Tensor

from ...kernels.dense import dense, product
from ...kernels.eligibility import kernels_for
from ..nn.fully_connected import fully_connected
from ..tensor.dot import batch_dot
from .activation import DERIVATIVES, IN_PLACE
from .rule import Arguments, Grads, Needs, Rule, gradient_of

_SMALL = 1 << 18  # multiplications of a layer whose gradients are one call: of more, each is worth a choice of its own


def dense_forward(arguments: Arguments, params: dict[str, Any], needs: Needs, act_type: str | None) -> tuple[Any, Any]:
    """A dense layer and perhaps an activation behind it, and what `dense_backward` needs."""
    data, weight, bias = (*arguments, None)[:3]
    assert data is not None
    assert weight is not None
    units = params["num_hidden"]
    fits = data.dim() > 1 and weight.shape == (units, data.shape[-1]) and data.dtype is weight.dtype
    fits = fits and (bias is None) == params.get("no_bias", False) and (bias is None or bias.shape == (units,))
    if not fits or (data.dim() > 2 and params.get("flatten", True)) or not data.is_floating_point():
        result = fully_connected(data, weight, bias, **params)  # or says what is wrong
        result = result if act_type is None else IN_PLACE[act_type](result)
        return result, (data, weight, None if act_type is None else result, None)
    ours = None
    if data.dim() == 2 and data.numel() * units <= _SMALL and act_type in (None, "relu") and all(needs[1:]):
        ours = kernels_for(*arguments)
    is_cut = act_type == "relu"
    result = dense(data, weight, bias, is_cut) if ours is None else ours.dense.default(data, weight, bias, is_cut)
    if act_type is not None and not is_cut:
        result = IN_PLACE[act_type](result)
    return result, (data, weight, None if act_type is None else result, ours)


def dense_backward(saved: Any, grad: Tensor, needs: Needs, act_type: str | None) -> Grads:
    """Gradients of data, weight and bias."""
    data, weight, result, ours = saved
    if ours is not None:
        found = ours.dense_backward.default(grad.contiguous(), result, data, weight, needs[0])
        return (found[0] if needs[0] else None, *found[1:])[: len(needs)]
    sums = None
    if act_type == "relu" and (kernels := kernels_for(grad, result)) is not None:
        grad, sums = kernels.relu_backward(grad, result)
    elif act_type is not None:
        grad = DERIVATIVES[act_type](grad, result)
    rows = grad.reshape(-1, grad.shape[-1])
    of_data = product(rows, weight).view(data.shape) if needs[0] else None
    of_weight = product(rows.t(), data.reshape(-1, weight.shape[1])) if needs[1] else None
    if len(needs) < 3:
        return of_data, of_weight
    return of_data, of_weight, (rows.sum(0) if sums is None else sums) if needs[2] else None


@gradient_of("FullyConnected")
class FullyConnected(Rule):
    """rows @ weight.T + bias."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return dense_forward(arguments, params, needs, None)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return dense_backward(saved, grads[0], needs, None)


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
