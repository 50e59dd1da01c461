"""Dense layers with what follows them."""

from typing import Any, Literal

from torch import Tensor

from ...kernels.eligibility import kernels_for
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.activation import activation, gelu
from ...ops.nn.checks import weighted
from ...ops.nn.dense import dense_backward, dense_forward, fully_connected
from ...torch_private import gelu_backward
from .table import fused


class FullyConnectedActivated(Rule):
    """A dense layer and the activation behind it."""

    worth = 2
    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        own = {name: value for name, value in params.items() if name != "act_type"}
        result, saved = dense_forward(arguments, own, needs, params["act_type"])
        return result, (saved, params["act_type"])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return dense_backward(saved[0], grads[0], needs, saved[1])


class BiasGELU(Rule):
    """GELU behind a dense layer: its derivative is computed with it, and is all that is kept."""

    worth = 2

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return _bias_gelu(*arguments, in_place=False)  # type: ignore[misc, arg-type]

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return _bias_gelu(*arguments, in_place=True)  # type: ignore[misc, arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (kept, ours), grad = saved, grads[0]
        assert grad is not None
        if ours is not None:
            found, sums = ours.sloped_backward(grad.contiguous(), kept)
        else:
            found = gelu_backward(grad, kept)
            sums = found.reshape(-1, found.shape[-1]).sum(0) if needs[1] else None
        return found if needs[0] else None, sums if needs[1] else None


def _bias_gelu(data: Tensor, bias: Tensor, in_place: bool) -> tuple[Tensor, Any]:
    ours = kernels_for(data, bias)
    if ours is None:
        total = data.add_(bias) if in_place else data + bias
        return gelu(total), (total, None)
    if in_place:
        return ours.bias_gelu_(data, bias), (data, ours)
    result, slope = ours.bias_gelu(data, bias)
    return result, (slope, ours)


@fused("_fully_connected_activated", takes=weighted("data"), gradient=FullyConnectedActivated)
def fully_connected_activated(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
    act_type: Literal["relu", "sigmoid", "tanh"],
) -> Tensor:
    """A dense layer and the activation behind it: the parameters are those of FullyConnected and Activation."""
    result = fully_connected(data, weight, bias, num_hidden=num_hidden, no_bias=no_bias, flatten=flatten)
    return activation(result, act_type=act_type)


@fused("_bias_gelu", gradient=BiasGELU)
def bias_gelu(data: Tensor, bias: Tensor) -> Tensor:
    """GELU of a dense layer's products and its bias."""
    return gelu(data + bias)
