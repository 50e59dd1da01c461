"""Gradients of pooling."""

from collections.abc import Mapping
from typing import Any

import torch

from ...kernels.vjp import vjp
from ..common import expect_floating
from ..nn.pooling import has_kernel, pooling, torch_plan
from .rule import Arguments, Grads, Needs, Rule, gradient_of


@gradient_of("Pooling")
class Pooling(Rule):
    """Maxima over windows of images, and means over whole images.

    What is kept: the shape of the data for means; the height and width, a geometry of three parts and the places of
    the maxima by our own kernel; otherwise the data with a window of five parts, or with torch's own graph.
    """

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
        if has_kernel(data, plan.kernel):
            geometry = (plan.kernel, plan.stride, plan.pad)
            result, taps = torch.ops.regluon.max_pool.default(data, plan.outputs, *geometry)
            return result, (data.shape[2:], geometry, taps)
        result, places = torch.ops.aten.max_pool2d_with_indices(data, *window)
        return result, (data, window, places)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, window, places), grad = saved, grads[0]
        assert grad is not None
        if window is None and isinstance(data, torch.Size):
            count = data.numel() // max(grad.numel(), 1)
            return ((grad / count).expand(data),)
        if len(window or ()) == 3:
            return (torch.ops.regluon.max_pool_gradient.default(grad, places, data, *window),)
        if window is None:
            return vjp([places], [data], [grad], retain_graph=True)
        return (torch.ops.aten.max_pool2d_with_indices_backward(grad, data, *window, places),)
