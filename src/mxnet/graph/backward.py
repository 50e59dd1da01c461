"""Shapes of data from the shapes of results: what an operator's output tells of its first input."""

from collections.abc import Callable, Mapping
from typing import Any

from .node import Node
from .shapes import Shape, unknown
from .two_way import place

# Operators that transform the rows, or the examples of a batch, of their first input one by one.
_ROW_BY_ROW = {"FullyConnected", "Embedding", "Flatten", "Convolution", "Deconvolution", "Pooling"}


def data_before(node: Node, data: Shape | None, result: Shape) -> Shape | None:
    """What a result tells of the shape of the first input; None if nothing.

    Args:
        node: the operator's place in the graph.
        data: what is known of the first input.
        result: what is known of one of the outputs, of at least one axis.
    """
    assert node.operator is not None
    rule = _RULES.get(node.op_name)
    told = None if rule is None else rule(node.operator.full_params(node.params), data, result)
    if told is None and node.op_name in _ROW_BY_ROW and data:
        return (result[0], *[unknown()] * (len(data) - 1))
    return told


def _convolved(params: Mapping[str, Any], data: Shape | None, result: Shape) -> Shape | None:
    """Windows that move by 1 lose as many places as they reach beyond the first one, less the padding."""
    ndim = len(params["kernel"])
    if not data or not len(data) == len(result) == ndim + 2:
        return None
    lengths = [result[0], *[unknown()] * (ndim + 1)]
    first = 1 if str(params["layout"]).endswith("C") else 2
    steps, dilates, pads = (
        params["stride"] or (1,) * ndim,
        params["dilate"] or (1,) * ndim,
        params["pad"] or (0,) * ndim,
    )
    windows = zip(params["kernel"], steps, dilates, pads, strict=True)
    for axis, (size, step, dilate, pad) in enumerate(windows, start=first):
        if step == 1 and result[axis] != unknown():
            lengths[axis] = result[axis] + dilate * (size - 1) - 2 * pad
    return tuple(lengths)


def _split(params: Mapping[str, Any], _: Shape | None, result: Shape) -> Shape | None:
    """Parts have the whole's lengths, but for the axis it was cut along."""
    lengths, parts, squeezed = list(result), params["num_outputs"], bool(params["squeeze_axis"])
    axis = place(params["axis"], len(result) + squeezed)
    if axis is None:
        return None
    if squeezed:
        lengths.insert(axis, parts)
    elif lengths[axis] != unknown():
        lengths[axis] *= parts
    return tuple(lengths)


def _expanded(params: Mapping[str, Any], _: Shape | None, result: Shape) -> Shape | None:
    axis = place(params["axis"], len(result))
    return None if axis is None or len(result) == 1 else (*result[:axis], *result[axis + 1 :])


_RULES: dict[str, Callable[[Mapping[str, Any], Shape | None, Shape], Shape | None]] = {
    "Convolution": _convolved,
    "SliceChannel": _split,
    "expand_dims": _expanded,
}
