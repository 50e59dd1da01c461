"""New tensors, and other dtypes. What depends on no input is a constant before it comes here."""

from typing import Any

import regluon.symbol

from ..lengths import number, varies
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates
from ..values import mxnet_dtype

S: Any = regluon.symbol


def _filled(node: AtenNode, value: float) -> Any:
    """A number in the shape of the result, of which lengths vary."""
    ones = tuple(number(1) if varies(length) else length for length in node.result)
    shape = tuple(length[0] for length in ones) or (1,)
    one = S.ones(shape=shape, dtype=mxnet_dtype(node.result_dtype))
    return node.expanded(one * float(value), ones, node.result)


@translates("full", "full_like", "new_full")
def full(node: AtenNode) -> Any:
    """A number everywhere."""
    value = node.number("fill_value")
    if value is None:
        raise NotConvertible("its value depends on an input; multiply ones with it")
    return _filled(node, value)


@translates("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty")
def zeros(node: AtenNode) -> Any:
    """0 everywhere."""
    return _filled(node, 0)


@translates("ones", "ones_like", "new_ones")
def ones(node: AtenNode) -> Any:
    """1 everywhere."""
    return _filled(node, 1)


@translates("arange", "arange.start", "arange.start_step")
def arange(node: AtenNode) -> Any:
    """Numbers one after the other along a length that varies."""
    start = node["start"] if node.takes("start") else 0
    step = node["step"] if node.takes("step") else 1
    like, axis = node.with_length(node.result[0])
    found = S.contrib.arange_like(like, start=float(start), step=float(step), axis=axis)
    return S.Cast(found, dtype=mxnet_dtype(node.result_dtype))


@translates("_to_copy", "to.dtype", "to.dtype_layout", "to.device", "type_as", "to.other")
def convert(node: AtenNode) -> Any:
    """Cast; devices mean nothing here."""
    return node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype)
