"""Gradients of pooling."""

from collections.abc import Mapping
from typing import Any

import torch

from ..common import expect_floating
from ..pooling import pooling, torch_plan
from .rule import Arguments, Grads, Needs, Rule, gradient_of


@gradient_of("Pooling")
class Pooling(Rule):
    """Maxima over windows of images, and means over whole images."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        if params["layout"] not in (None, "NCHW") or params["p_value"] is not None:
            return False
        if params["global_pool"]:
            return params["pool_type"] == "avg"
        return params["pool_type"] == "max" and len(params["kernel"]) == 2 and params["pooling_convention"] != "same"

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        if params.get("global_pool"):
            return pooling(data, **params), (data.shape, None, None)
        expect_floating(data)
        plan = torch_plan(data, params)
        if plan is None:  # torch needs the border written out: it finds the gradient as well
            with torch.enable_grad():
                leaf = data.detach().requires_grad_()
                result = pooling(leaf, **params)
            return result.detach(), (leaf, None, result)
        window = (plan.kernel, plan.stride, plan.pad, (1, 1), plan.rounds_up)
        result, places = torch.ops.aten.max_pool2d_with_indices(data, *window)
        return result, (data, window, places)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, window, places), grad = saved, grads[0]
        assert grad is not None
        if isinstance(data, torch.Size):
            count = data.numel() // max(grad.numel(), 1)
            return ((grad / count).expand(data),)
        if window is None:
            return torch.autograd.grad(places, data, grad, retain_graph=True)
        return (torch.ops.aten.max_pool2d_with_indices_backward(grad, data, *window, places),)
