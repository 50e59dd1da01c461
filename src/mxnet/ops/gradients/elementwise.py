"""Gradients of sums, products and dropout."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ..nn.dropout import mask_of
from ..registry import find
from ..scalars import fitted
from .rule import Arguments, Grads, Needs, Rule, gradient_of

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
