"""Layers in 8 bits in prediction: integer products with requantizing, normalization, sums and activations in one step.

Only calibrated layers are fused, whose ranges are parameters of the graph. Numbers that the graph rounds on the way to
the result are not rounded here, so results differ from those of the single steps by a level at most, as a rule.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...config import read as read_setting
from ...graph.node import Entry, Node, in_order
from ..fused.table import fused_node
from .rewriter import Pattern, Rewriter, pattern

_LAYER, _PACKED, _TO_REAL, _ROWS = (
    *("_quantized_layer", "_packed_quantized_layer"),
    *("_quantized_layer_to_real", "_quantized_rows"),
)
_LAYERS = {"_contrib_quantized_conv": "convolution", "_contrib_quantized_fully_connected": "dense"}
_PASSES_RANGE = ("_contrib_quantized_act", "_contrib_quantized_pooling", "_contrib_quantized_flatten", _ROWS)


class Levels(NamedTuple):
    """What is known of an array in 8 bits before it is there.

    Attributes:
        real: the largest magnitude it stands for.
        dtype: 'int8' or 'uint8'.
        is_positive: whether no level is below 0.
    """

    real: float
    dtype: str
    is_positive: bool


def fuse_quantized(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with its calibrated quantized layers fused with what follows them. `MXNET_USE_FUSION=0` prevents it."""
    if read_setting("MXNET_USE_FUSION") == "0" or all(node.op_name not in _LAYERS for node in in_order(heads)):
        return tuple(heads)
    return Rewriter(heads).run(PATTERNS)


def _calibrated(node: Node) -> float | None:
    """The larger magnitude of the limits that calibration found; None without calibration, or if all is 0."""
    low, high = node.params.get("min_calib_range"), node.params.get("max_calib_range")
    return None if low is None or high is None else max(abs(low), abs(high)) or None


def _made_dtype(node: Node) -> str:
    out_type = node.params.get("out_type", "int8")
    if out_type != "auto":
        return str(out_type)
    return "uint8" if node.params["min_calib_range"] >= 0 else "int8"


def levels_of(node: Node) -> Levels | None:
    """What is known of a node's first result; None if it is not in 8 bits, or its range is not known."""
    if node.op_name == _LAYER:
        packed = node.inputs[1].node.params
        return Levels(max(abs(packed["low"]), abs(packed["high"])), packed["dtype"], packed.get("is_activated", False))
    if node.op_name in _PASSES_RANGE:
        before = levels_of(node.inputs[0].node)
        if before is None or node.op_name != "_contrib_quantized_act":
            return before
        return before._replace(dtype="int8", is_positive=before.dtype == "int8")
    if node.op_name not in ("_contrib_quantize_v2", "_contrib_requantize", "_contrib_quantized_batch_norm"):
        return None
    real = _calibrated(node)
    if real is None:
        return None
    dtype = "int8" if node.op_name == "_contrib_quantized_batch_norm" else _made_dtype(node)
    return Levels(real, dtype, False)


def _layer_attrs(layer: Node, data: Levels) -> dict[str, str] | None:
    """What is known of a layer from its own parameters; None if there is no kernel for it."""
    assert layer.operator is not None
    full = layer.operator.full_params(layer.params)
    attrs: dict[str, Any] = {"kind": _LAYERS[layer.op_name], "with_bias": not full["no_bias"]}
    if attrs["kind"] == "convolution":
        if len(full["kernel"]) != 2 or full["layout"] not in (None, "NCHW"):
            return None
        window = (("stride", 1), ("dilate", 1), ("pad", 0))
        attrs |= {name: tuple(full[name] or (default,) * 2) for name, default in window}
        attrs["num_group"] = full["num_group"]
    elif not full["flatten"]:
        return None
    is_unsigned = data.dtype == "uint8"
    attrs |= {
        "data_real": data.real,
        "data_levels": 255.5 if is_unsigned else 127.5,
        "zero_point": 0 if is_unsigned or data.is_positive else 128,
    }
    return {name: repr(value) if isinstance(value, float) else str(value) for name, value in attrs.items()}


@pattern("_contrib_requantize")
def requantize_layer(node: Node, graph: Rewriter) -> Node | None:
    """A layer's sums in 8 bits again."""
    layer, real = node.inputs[0].node, _calibrated(node)
    if layer.op_name not in _LAYERS or real is None or not graph.is_read_by_one(layer, node):
        return None
    data = levels_of(layer.inputs[0].node)
    if data is None or layer.inputs[0].index != 0:
        return None
    attrs = _layer_attrs(layer, data)
    if attrs is None:
        return None
    dtype = _made_dtype(node)
    low, levels = (-real, "127") if dtype == "int8" else (0.0, "255")
    attrs |= {"real": repr(real), "levels": levels, "dtype": dtype, "low": repr(low), "high": repr(real)}
    with_bias = attrs["with_bias"] == "True"
    behind = layer.inputs[3:] if with_bias else layer.inputs[2:]
    constants = [layer.inputs[1], *behind[2:4]]
    if with_bias:
        constants += [layer.inputs[2], *behind[4:6]]
    source = layer.inputs[0]
    if attrs["kind"] == "dense":
        source = Entry(fused_node(_ROWS, f"{layer.name}_rows", {}, (source,)))
    packed = fused_node(_PACKED, f"{node.name}_packed", attrs, constants)
    return fused_node(_LAYER, node.name, {}, (source, Entry(packed)))


def _open_layer(entry: Entry, reader: Node, graph: Rewriter) -> Node | None:
    """The fused layer that an entry is the result of, if nobody else reads it and nothing was done behind it yet."""
    node = entry.node
    if node.op_name != _LAYER or entry.index != 0 or not graph.is_read_by_one(node, reader):
        return None
    packed = node.inputs[1].node.params
    is_open = not packed.get("is_activated", False) and not node.params.get("with_addend", False)
    return node if is_open and packed["dtype"] == "int8" else None


def _renewed(layer: Node, name: str, attrs: dict[str, str], constants: Sequence[Entry] = ()) -> Node:
    """A fused layer with more behind it."""
    packed = layer.inputs[1].node
    new = fused_node(_PACKED, packed.name, {**packed.attrs, **attrs}, (*packed.inputs, *constants))
    return fused_node(_LAYER, name, layer.attrs, (layer.inputs[0], Entry(new), *layer.inputs[2:]))


@pattern("_contrib_quantized_batch_norm")
def normalize_layer(node: Node, graph: Rewriter) -> Node | None:
    """Batch normalization of a layer's result."""
    layer, real = _open_layer(node.inputs[0], node, graph), _calibrated(node)
    if layer is None or real is None or layer.inputs[1].node.params.get("with_norm", False):
        return None
    assert node.operator is not None
    full = node.operator.full_params(node.params)
    if full["axis"] != 1 or layer.inputs[1].node.params.get("gain", 1.0) != 1.0:
        return None
    limits = {"low": repr(full["min_calib_range"]), "high": repr(full["max_calib_range"])}
    attrs = {"with_norm": "True", "norm_real": repr(real), "eps": repr(full["eps"]), **limits}
    return _renewed(layer, node.name, attrs, node.inputs[1:5])


@pattern("_contrib_quantized_act")
def activate_layer(node: Node, graph: Rewriter) -> Node | None:
    """The activation of a layer's result; of a sum, too."""
    layer = node.inputs[0].node
    if layer.op_name != _LAYER or node.inputs[0].index != 0 or not graph.is_read_by_one(layer, node):
        return None
    if layer.inputs[1].node.params["dtype"] != "int8":
        return None
    return _renewed(layer, node.name, {"is_activated": "True"})


@pattern("_contrib_requantize")
def add_to_layer(node: Node, graph: Rewriter) -> Node | None:
    """A sum of which one part is a layer's result that nobody else reads, in 8 bits again."""
    add, real = node.inputs[0].node, _calibrated(node)
    if add.op_name != "_contrib_quantized_elemwise_add" or real is None or not graph.is_read_by_one(add, node):
        return None
    if _made_dtype(node) != "int8" or add.params.get("min_calib_range") is not None:
        return None
    for mine, other in ((0, 1), (1, 0)):
        layer, added = _open_layer(add.inputs[mine], add, graph), levels_of(add.inputs[other].node)
        # Only a convolution's kernel adds; the other part must not be the layer's own result.
        if layer is None or added is None or added.dtype != "int8" or add.inputs[other].index != 0:
            continue
        packed = layer.inputs[1].node.params
        if packed["kind"] != "convolution" or add.inputs[other].node is layer:
            continue
        own = packed["norm_real"] if packed.get("with_norm", False) else packed["real"]
        attrs = {
            "gain": repr(packed.get("gain", 1.0) * own / 127.5 * 127 / real),
            "addend_gain": repr(added.real / 127.5 * 127 / real),
            "low": repr(-real),
            "high": repr(real),
        }
        grown = _renewed(layer, node.name, attrs)
        return fused_node(_LAYER, node.name, {"with_addend": "True"}, (*grown.inputs, add.inputs[other]))
    return None


@pattern("_contrib_quantize_v2")
def clip_layer(node: Node, graph: Rewriter) -> Node | None:
    """A layer's result as real numbers, cut off below 0 and, where the range ends anyway, above, in 8 bits again."""
    clip, real = node.inputs[0].node, _calibrated(node)
    if real is None or not graph.is_read_by_one(clip, node):
        return None
    is_relu = clip.op_name == "relu" or (clip.op_name == "Activation" and clip.params["act_type"] == "relu")
    dtype = _made_dtype(node)
    low, levels, last = (-real, 127.5, 127) if dtype == "int8" else (0.0, 255.5, 255)
    is_clip = clip.op_name == "clip" and clip.params["a_min"] == 0 and clip.params["a_max"] * levels >= real * last
    if not (is_relu or is_clip):
        return None
    layer = clip.inputs[0].node
    if layer.op_name != _TO_REAL or not graph.is_read_by_one(layer, clip):
        return None
    gain = layer.inputs[1].node.params["gain"] * levels / real
    limits = {"low": repr(low), "high": repr(real)}
    return _renewed(layer, node.name, {"gain": repr(gain), "is_activated": "True", "dtype": dtype, **limits})


@pattern("_contrib_dequantize")
def dequantize_layer(node: Node, graph: Rewriter) -> Node | None:
    """A layer's result in real numbers, which are not rounded then."""
    layer = node.inputs[0].node
    if layer.op_name != _LAYER or node.inputs[0].index != 0 or not graph.is_read_by_one(layer, node):
        return None
    packed = layer.inputs[1].node.params
    if layer.params.get("with_addend", False) or packed["dtype"] != "int8":
        return None
    gain = packed.get("gain", 1.0) * max(abs(packed["low"]), abs(packed["high"])) / 127.5
    grown = _renewed(layer, node.name, {"gain": repr(gain), "dtype": "float32"})
    return fused_node(_TO_REAL, node.name, {}, grown.inputs)


PATTERNS: tuple[Pattern, ...] = (
    *(requantize_layer, add_to_layer, normalize_layer),
    *(activate_layer, clip_layer, dequantize_layer),
)
