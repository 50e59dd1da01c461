"""Callbacks of monitors: on the results of every operator, and on the gradients that arrive at its inputs."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import register_multi_grad_hook

from ..graph.node import Node


class Watcher(NamedTuple):
    """A callback on every result: its name, its operator's, and its value.

    Attributes:
        report: the function to call.
        sees_inputs: whether the inputs of each operator are reported too.
        leaves: where to put what gradients must be asked of besides the variables, so that those of all inputs are
            reported as well; None if gradients are not watched.
    """

    report: Callable[[str, str, torch.Tensor], None]
    sees_inputs: bool = False
    leaves: list[torch.Tensor] | None = None


def report_results(node: Node, arguments: Sequence[Any], results: Sequence[torch.Tensor], watch: Watcher) -> None:
    """Reports the results of a node, and its inputs if they are watched."""
    if watch.sees_inputs:
        given = [value for value in arguments if value is not None]
        for label, source, value in zip(node.input_labels(), node.inputs, given, strict=False):
            if source.node.is_variable:
                watch.report(source.node.name, source.node.op_name, value)
            watch.report(label, node.op_name, value)
    for index, value in zip(range(node.num_outputs), results, strict=False):
        watch.report(node.output_name(index), node.op_name, value)


def watch_gradients(node: Node, arguments: list[Any], watch: Watcher) -> list[Any]:
    """The arguments of a node, such that their gradients are reported when they are computed."""
    operator = node.operator
    assert operator is not None
    if watch.leaves is None or operator.zero_gradient or operator.forwards_gradient:
        return arguments
    states = {id(arguments[place]) for place in node.auxiliary}
    watched: list[torch.Tensor] = []
    changed = []
    for value in arguments:
        if value is not None and id(value) not in states and value.is_floating_point():
            if not value.requires_grad:
                value = value.detach().requires_grad_(True)
                watch.leaves.append(value)
            value = value.view_as(value)
            watched.append(value)
        changed.append(value)

    def report(gradients: Sequence[torch.Tensor | None]) -> None:
        for index, (value, gradient) in enumerate(zip(watched, gradients, strict=True)):
            name = f"{node.name}_backward_output{index if len(watched) > 1 else ''}"
            watch.report(name, node.op_name, torch.zeros_like(value) if gradient is None else gradient)

    if watched:
        register_multi_grad_hook(watched, report)
    return changed
