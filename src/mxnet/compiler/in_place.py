"""Writing results over inputs that nobody reads again: less memory to fetch and to give back."""

from collections.abc import Callable
from typing import Any

import torch

from ..graph.node import Node
from ..ops.nn.activation import IN_PLACE

Function = Callable[..., Any]


def in_place_form(node: Node) -> Function | None:
    """A function that computes what the node computes, into the memory of its first input; None if there is none."""
    assert node.operator is not None
    ordinary = node.operator.function
    if node.op_name == "Activation":
        return _unary(IN_PLACE.get(node.params["act_type"]), ordinary)
    if node.op_name == "elemwise_add":
        return _added(ordinary)
    return _unary(IN_PLACE.get(node.op_name), ordinary)


def _unary(in_place: Function | None, ordinary: Function) -> Function | None:
    if in_place is None:
        return None
    chosen = in_place

    def function(data: torch.Tensor, **params: Any) -> torch.Tensor:
        return chosen(data) if data.is_floating_point() else ordinary(data, **params)

    return function


def _added(ordinary: Function) -> Function:
    def function(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
        if lhs.shape != rhs.shape or lhs.dtype is not rhs.dtype:
            return ordinary(lhs, rhs)  # which refuses, and says why
        return lhs.add_(rhs)

    return function
