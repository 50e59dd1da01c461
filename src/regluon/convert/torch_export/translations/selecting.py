"""Choices between values by a condition."""

from typing import Any

import torch

import regluon.symbol

from ..node import AtenNode
from ..table import translates
from ..values import mxnet_dtype

S: Any = regluon.symbol


def _chosen(node: AtenNode, argument: str) -> Any:
    """An operand of the result's dtype and shape."""
    number = node.number(argument)
    if number is not None:
        return S.ones_like(_condition_as_result(node)) * float(number)
    data = node.cast(node.symbol(argument), node.dtype(argument), node.result_dtype)
    return node.expanded(data, node.lengths(argument), node.result)


def _condition_as_result(node: AtenNode) -> Any:
    name = "condition" if node.takes("condition") else "mask"
    condition = S.Cast(node.symbol(name), dtype=mxnet_dtype(node.result_dtype))
    return node.expanded(condition, node.lengths(name), node.result)


@translates("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(node: AtenNode) -> Any:
    """Where, on arrays of one shape."""
    condition = node.expanded(node.symbol("condition"), node.lengths("condition"), node.result)
    return S.where(condition, _chosen(node, "self"), _chosen(node, "other"))


@translates("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(node: AtenNode) -> Any:
    """Where, with a number."""
    mask = node.expanded(node.symbol("mask"), node.lengths("mask"), node.result)
    return S.where(mask, _chosen(node, "value"), _chosen(node, "self"))


@translates("tril", "triu")
def triangle(node: AtenNode) -> Any:
    """The product with a triangle of ones."""
    rows, columns = (node.fixed(length, "the size of a triangle") for length in node.result[-2:])
    cut = torch.tril if "tril" in str(node.target) else torch.triu
    ones = cut(torch.ones(rows, columns, dtype=node.result_dtype), node["diagonal"])
    return S.broadcast_mul(node.symbol("self"), node.parameter("ones", ones))
