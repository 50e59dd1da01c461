"""Convolutions in prediction on a CPU: prepacked weights, channels last, sums and activations done on the way.

Measured with ResNet-18's layers: prepacked weights in channels-last order take 0.5 to 0.9 of the time of an ordinary
convolution followed by an activation. `MXNET_USE_FUSION=0` switches it off.
"""

from collections.abc import Mapping, Sequence

from ...config import read as read_setting
from ...graph.inference import Forward, Inference
from ...graph.node import Entry, Node, in_order
from ...kernels.prepacked_convolution import is_available
from ...ops.partial_shapes import is_known
from ...ops.precision import single
from ..fused.table import fused_node
from .rewriter import Pattern, Rewriter, pattern

_FUSED, _PACKED = "_fused_convolution", "_packed_weight"


def can_fuse() -> bool:
    """Whether the kernels are there and wanted."""
    return is_available() and read_setting("MXNET_USE_FUSION") != "0"


def fuse_convolutions(
    heads: Sequence[Entry], shapes: Mapping[str, tuple[int, ...]] | None = None, is_tuned: bool = True
) -> tuple[Entry, ...]:
    """The graph with its 2-D convolutions, and the sums and activations behind them, as fused ones.

    Args:
        heads: the graph.
        shapes: of its variables, by name; the best order of a weight depends on the size of the data.
        is_tuned: whether to find the quickest kernels by timing, or take the usual ones.
    """
    order = in_order(heads)
    if all(node.op_name != "Convolution" for node in order):
        return tuple(heads)
    forward, found = Forward(order, shapes or {}), Inference(heads, shapes)
    if not forward.is_complete:
        found.run()
    known = forward if forward.is_complete else found
    return Rewriter(heads).run((_prepack(known, is_tuned), add_to_convolution, activate_convolution))


def _prepack(inference: Forward | Inference, is_tuned: bool) -> Pattern:
    """Convolutions on weights in the order that kernels read."""

    @pattern("Convolution")
    def prepack(node: Node, graph: Rewriter) -> Node | None:
        assert node.operator is not None
        full = node.operator.full_params(node.params)
        if len(full["kernel"]) != 2 or full["layout"] not in (None, "NCHW"):
            return None
        size = inference.shape(graph.original(node).inputs[0])
        form = {name: str(full[name] or (default,) * 2) for name, default in (("stride", 1), ("dilate", 1), ("pad", 0))}
        form |= {"num_group": str(full["num_group"]), "size": str(size if is_known(size) else ())}
        data, weight, *bias = node.inputs
        packed = fused_node(_PACKED, f"{node.name}_packed", {**form, "is_tuned": str(is_tuned)}, (weight,))
        attrs = {"with_bias": str(bool(bias)), "with_addend": "False"}
        return fused_node(_FUSED, node.name, attrs, (data, Entry(packed), *bias))

    return prepack


@pattern("elemwise_add")
def add_to_convolution(node: Node, graph: Rewriter) -> Node | None:
    """A sum of which one part is a convolution's result that nobody else reads."""
    left, right = node.inputs
    for summand, addend in ((left, right), (right, left)):
        inner = summand.node
        if (
            inner.op_name == _FUSED
            and graph.is_used_once(inner)
            and _is_open(inner)
            and not inner.params["with_addend"]
        ):
            weight = _packed_for(inner, adds="True")
            attrs = {**inner.attrs, "with_addend": "True"}
            return fused_node(_FUSED, node.name, attrs, (inner.inputs[0], weight, *inner.inputs[2:], addend))
    return None


@pattern("relu", "Activation", "clip")
def activate_convolution(node: Node, graph: Rewriter) -> Node | None:
    """An activation of a convolution's result that nobody else reads."""
    inner = node.inputs[0].node
    if inner.op_name != _FUSED or not graph.is_used_once(inner) or not _is_open(inner):
        return None
    if node.op_name == "clip":
        low, high = single(node.params["a_min"]), single(node.params["a_max"])
        if node.params["a_min"] > node.params["a_max"]:
            return None
        activation = {"unary": "hardtanh", "limits": str((low, high))}
    elif node.op_name == "relu" or node.params["act_type"] == "relu":
        activation = {"unary": "relu"}
    else:
        return None
    weight = _packed_for(inner, **activation)
    return fused_node(_FUSED, node.name, inner.attrs, (inner.inputs[0], weight, *inner.inputs[2:]))


def _packed_for(convolution: Node, **more: str) -> Entry:
    """The weight of a convolution, packed for one that does more."""
    packed = convolution.inputs[1].node
    return Entry(fused_node(_PACKED, packed.name, {**packed.attrs, **more}, packed.inputs))


def _is_open(convolution: Node) -> bool:
    """Whether no activation follows yet."""
    return convolution.inputs[1].node.params.get("unary", "none") == "none"
