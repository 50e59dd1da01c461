"""Gradients of what only moves elements."""

from typing import Any

import torch

from ..common import normal_axis
from ..registry import find
from ..tensor.joining import concat
from ..tensor.reduction import reduced_axes
from ..tensor.shape import transpose
from .rule import Arguments, Grads, Needs, Rule, gradient_of


def _reshaped(name: str) -> None:
    function = find(name).function

    class Reshaped(Rule):
        """The same elements in another shape; of an array that lends it, nothing else counts."""

        sources = (0,)

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            return function(*arguments, **params), data.shape

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            grad = grads[0]
            assert grad is not None
            return grad.reshape(saved), *(None,) * (len(needs) - 1)

    gradient_of(name)(Reshaped)


for _name in ("Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like"):
    _reshaped(_name)


@gradient_of("transpose")
class Transpose(Rule):
    """Another order of the axes."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        axes = params.get("axes") or tuple(reversed(range(data.dim())))
        back = [0] * len(axes)
        for place, axis in enumerate(axes):
            back[axis % len(axes)] = place
        return transpose(data, **params), back

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return (grad.permute(saved),)


@gradient_of("Concat")
class Concat(Rule):
    """Parts joined along an axis."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = concat(*arguments, **params)
        axis = normal_axis(params.get("dim", 1), result.dim())
        return result, (axis, [part.shape[axis] for part in arguments if part is not None])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (axis, lengths), grad = saved, grads[0]
        assert grad is not None
        return torch.split(grad, lengths, axis)


def _reduced(name: str) -> None:
    function = find(name).function

    class Reduced(Rule):
        """Sums and means over axes."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            result = function(data, **params)
            axes = reduced_axes(data.dim(), params.get("axis"), bool(params.get("exclude")))
            kept = [1 if axis in axes else length for axis, length in enumerate(data.shape)]
            count = data.numel() // max(result.numel(), 1) if name == "mean" else 1
            return result, (kept, data.shape, count)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            (kept, shape, count), grad = saved, grads[0]
            assert grad is not None
            spread = grad.reshape(kept)
            return ((spread if count == 1 else spread / count).expand(shape),)

    gradient_of(name)(Reduced)


for _name in ("mean", "sum"):
    _reduced(_name)
