"""The gradient of convolutions whose results are max-pooled: most of the elements have none."""

from typing import Any

import torch
from torch import Tensor

from ..convolution_kernels import Window, bias_gradient
from ..tuning import Candidates, run_best
from .convolution import Convolution
from .pooling import Pooling
from .rule import Arguments, Grads, Needs, Rule, gradient_of

_LAST = torch.channels_last
_LARGEST = 1 << 19  # numbers in all filters: each thread collects their gradients in memory of its own


@gradient_of("_convolution_pooled")
class ConvolutionPooled(Rule):
    """Of two spatial axes, channels first; the result of the convolution itself is not kept."""

    worth = 4

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        pooling = {"kernel": params["pool_kernel"], "pooling_convention": params.get("pooling_convention", "valid")}
        pooling |= {name: params[f"pool_{name}"] for name in ("stride", "pad") if f"pool_{name}" in params}
        known = ("kernel", "stride", "pad", "num_filter", "no_bias")
        own = {name: params[name] for name in known if name in params}
        result, of_convolution = Convolution.forward(arguments, own, needs)
        pooled, of_pooling = Pooling.forward((result,), pooling, (True,))
        return pooled, (of_convolution, of_pooling)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        ((data, weight, window), (_, geometry, _)), grad = saved, grads[0]
        assert grad is not None
        if len(geometry or ()) != 3 or weight.numel() > _LARGEST:
            return _through_the_result(grad, saved, needs)
        work = ("pooled", tuple(data.shape), tuple(weight.shape), window, geometry, needs[:2])
        found: Grads = run_best(work, _WAYS, grad.contiguous(memory_format=_LAST), saved, needs)
        return found


def _through_the_result(grad: Tensor, saved: Any, needs: Needs) -> Grads:
    """By the gradient of the convolution's result, which is mostly zeros."""
    of_convolution, of_pooling = saved
    return Convolution.backward(of_convolution, Pooling.backward(of_pooling, (grad,), (True,)), needs)


def _past_the_result(grad: Tensor, saved: Any, needs: Needs) -> Grads:
    """From what was chosen to where it came from."""
    (data, weight, window), (_, geometry, taps) = saved
    assert isinstance(window, Window)
    ours, moves = torch.ops.regluon, (window.stride, window.pad, *geometry)
    of_data = ours.pooled_data_gradient.default(grad, taps, weight, data.shape[2:], *moves) if needs[0] else None
    of_weight = ours.pooled_weight_gradient.default(grad, taps, data, window.kernel, *moves) if needs[1] else None
    return (of_data, of_weight, bias_gradient(grad) if len(needs) > 2 and needs[2] else None)[: len(needs)]


_WAYS: Candidates = (("dense", _through_the_result), ("sparse", _past_the_result))
