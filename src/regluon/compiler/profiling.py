"""Ranges of a profiler around the steps of programs, forward and backward, under MXNet's names."""

from collections.abc import Callable
from typing import Any

from ..context import Context
from ..graph.node import Node
from .plan import Step

# What operators that MXNet does not have stand for; `shown_name` looks closer at some.
SHOWN_NAMES = {
    "_added_layer_norm": "elemwise_add+LayerNorm",
    "_batch_norm_activated": "BatchNorm+Activation",
    "_bias_gelu": "FullyConnected(bias)+LeakyReLU",
    "_cross_entropy": "log_softmax+pick",
    "_folded_bias": "BatchNorm(folded bias)",
    "_folded_weight": "BatchNorm(folded weight)",
    "_fully_connected_activated": "FullyConnected+Activation",
    "_fused_convolution": "Convolution",
    "_head_mix": "batch_dot",
    "_head_scores": "batch_dot",
    "_mean_square": "square+mean",
    "_packed_quantized_layer": "_contrib_quantized_conv(packed weight)",
    "_packed_weight": "Convolution(packed weight)",
    "_pick_log_softmax": "log_softmax+pick",
    "_quantized_layer": "_contrib_quantized_conv",
    "_quantized_layer_to_real": "_contrib_quantized_conv+_contrib_dequantize",
    "_quantized_rows": "Flatten",
    "_rnn_by_parts": "RNN",
    "_scaled_softmax": "softmax",
}


def shown_name(node: Node) -> str:
    """The operators that a node stands for, by MXNet's names."""
    name = SHOWN_NAMES.get(node.op_name, node.op_name)
    if "_quantized_conv" in name:
        layer = node if node.op_name == "_packed_quantized_layer" else node.inputs[1].node
        dense = "_contrib_quantized_fully_connected"
        return name.replace("_contrib_quantized_conv", dense) if layer.params.get("kind") == "dense" else name
    if node.op_name != "_fused_convolution":
        return name
    summed = "+elemwise_add" if node.params.get("with_addend") else ""
    activated = "+Activation" if node.inputs[1].node.params.get("unary", "none") != "none" else ""
    return f"{name}{summed}{activated}"


def in_range(
    tracer: Any,
    perform: Callable[[Step, list[Any], Context], None],
    step: Step,
    slots: list[Any],
    context: Context,
) -> None:
    """Runs one step in a range that has the operator's name, and the node's, which begins with that of its block."""
    with tracer.step(shown_name(step.node), step.node.name):
        perform(step, slots, context)


class StageInRange:
    """A stage of one step whose forward and backward pass are timed.

    Args:
        tracer: the profiler's.
        stage: the stage.
    """

    def __init__(self, tracer: Any, stage: Any) -> None:
        self._tracer, self._stage = tracer, stage
        self._name, self._where = shown_name(stage.step.node), stage.step.node.name

    def forward(self, slots: list[Any], surroundings: Any) -> Any:
        """Runs the step and returns what the gradient needs."""
        with self._tracer.step(self._name, self._where):
            return self._stage.forward(slots, surroundings)

    def backward(self, saved: Any, grads: list[Any], keep: bool) -> None:
        """Turns the gradients of the results into those of the arguments."""
        if any(grads[slot] is not None for slot in self._stage.step.results):
            with self._tracer.step(f"_backward_{self._name}", self._where):
                self._stage.backward(saved, grads, keep)
