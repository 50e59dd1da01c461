"""Gradients of sums, products and dropout."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..dropout import mask_of
from ..fused_training import mean_square
from ..registry import find
from ..scalars import fitted
from .native_kernels import kernels_for
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of

_square = find("square").function


def _summed(grad: Tensor, shape: torch.Size) -> Tensor:
    """The gradient of an operand that was stretched to the shape of the result."""
    return grad if grad.shape == shape else grad.sum_to_size(shape)


def _sum(name: str, sign: int) -> None:
    function = find(name).function

    class Sum(Rule):
        """A sum or difference."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            lhs, rhs = arguments
            assert lhs is not None
            assert rhs is not None
            return function(lhs, rhs), (lhs.shape, rhs.shape)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (left, right), grad = saved, grads[0]
            assert grad is not None
            rhs = grad if sign > 0 else -grad
            return _summed(grad, left) if needs[0] else None, _summed(rhs, right) if needs[1] else None

    gradient_of(name)(Sum)


for _name, _sign in (("elemwise_add", 1), ("broadcast_add", 1), ("elemwise_sub", -1), ("broadcast_sub", -1)):
    _sum(_name, _sign)


def _product(name: str) -> None:
    function = find(name).function

    class Product(Rule):
        """A product of two arrays."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            return function(*arguments), arguments

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (lhs, rhs), grad = saved, grads[0]
            assert grad is not None
            left = _summed(grad * rhs, lhs.shape) if needs[0] else None
            return left, _summed(grad * lhs, rhs.shape) if needs[1] else None

    gradient_of(name)(Product)


for _name in ("elemwise_mul", "broadcast_mul"):
    _product(_name)


def _with_number(name: str, derive: Callable[[Tensor, float], Tensor]) -> None:
    function = find(name).function

    class WithNumber(Rule):
        """An array and a number."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            return function(data, **params), fitted(params.get("scalar", 1.0), data.dtype)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            grad = grads[0]
            assert grad is not None
            return (derive(grad, saved),)

    gradient_of(name)(WithNumber)


_with_number("_mul_scalar", lambda grad, scalar: grad * scalar)
_with_number("_div_scalar", lambda grad, scalar: grad / scalar)
_with_number("_plus_scalar", lambda grad, scalar: grad)
_with_number("_minus_scalar", lambda grad, scalar: grad)
_with_number("_rminus_scalar", lambda grad, scalar: -grad)


@gradient_of("square")
class Square(Rule):
    """A number times itself."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return _square(*arguments), arguments[0]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return (grads[0] * saved * 2,)


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


@gradient_of("_mean_square")
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

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return partial(_mean_square, scale=params.get("scale", 1.0)), partial(_mean_square_gradients, needs=needs)


@gradient_of("Dropout")
class Dropout(Rule):
    """What was dropped gets no gradient."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["p"] < 1

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        mask = mask_of(data, **params)
        return (data, None) if mask is None else (data * mask, mask)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return (grad if saved is None else grad * saved,)
