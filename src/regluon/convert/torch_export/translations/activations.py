"""Translate activations and choices by condition."""

from math import pi, sqrt
from typing import Any

import torch

import regluon.symbol

from ..conversion_errors import NotConvertible
from ..node import AtenNode, mxnet_dtype, translates

S: Any = regluon.symbol
_EVAL = "it drops elements, as in training; export after module.eval()"


@translates("relu")
def relu(node: AtenNode) -> Any:
    """Activation relu."""
    return S.Activation(node.symbol("self"), act_type="relu")


@translates("sigmoid")
def sigmoid(node: AtenNode) -> Any:
    """Activation sigmoid."""
    return S.Activation(node.symbol("self"), act_type="sigmoid")


@translates("tanh")
def tanh(node: AtenNode) -> Any:
    """Activation tanh."""
    return S.Activation(node.symbol("self"), act_type="tanh")


@translates("gelu")
def gelu(node: AtenNode) -> Any:
    """LeakyReLU gelu, or the formula with tanh."""
    data = node.symbol("self")
    if node["approximate"] == "none":
        return S.LeakyReLU(data, act_type="gelu")
    inner = (data + data * data * data * 0.044715) * sqrt(2 / pi)
    return data * (S.tanh(inner) + 1) * 0.5


@translates("silu")
def silu(node: AtenNode) -> Any:
    """The product with the sigmoid."""
    data = node.symbol("self")
    return data * S.sigmoid(data)


@translates("mish")
def mish(node: AtenNode) -> Any:
    """The product with tanh of softrelu."""
    data = node.symbol("self")
    return data * S.tanh(S.Activation(data, act_type="softrelu"))


@translates("leaky_relu")
def leaky_relu(node: AtenNode) -> Any:
    """LeakyReLU."""
    return S.LeakyReLU(node.symbol("self"), act_type="leaky", slope=node["negative_slope"])


@translates("elu")
def elu(node: AtenNode) -> Any:
    """LeakyReLU elu."""
    if node["scale"] != 1 or node["input_scale"] != 1:
        raise NotConvertible(f"scale={node['scale']} and input_scale={node['input_scale']} have no counterpart")
    return S.LeakyReLU(node.symbol("self"), act_type="elu", slope=node["alpha"])


@translates("selu")
def selu(node: AtenNode) -> Any:
    """LeakyReLU selu."""
    return S.LeakyReLU(node.symbol("self"), act_type="selu")


@translates("prelu", "_prelu_kernel")
def prelu(node: AtenNode) -> Any:
    """LeakyReLU with slopes of the channels."""
    slopes = node.symbol("weight")
    if len(node.lengths("weight")) != 1:
        slopes = S.Reshape(slopes, shape=(-1,))
    return S.LeakyReLU(node.symbol("self"), slopes, act_type="prelu")


@translates("hardtanh")
def hardtanh(node: AtenNode) -> Any:
    """Clip; relu6 is one."""
    return S.clip(node.symbol("self"), node["min_val"], node["max_val"])


@translates("relu6")
def relu6(node: AtenNode) -> Any:
    """Clip."""
    return S.clip(node.symbol("self"), 0, 6)


@translates("hardsigmoid")
def hard_sigmoid(node: AtenNode) -> Any:
    """hard_sigmoid with torch's slope."""
    return S.hard_sigmoid(node.symbol("self"), alpha=1 / 6, beta=0.5)


@translates("hardswish")
def hard_swish(node: AtenNode) -> Any:
    """The product with hard_sigmoid."""
    data = node.symbol("self")
    return data * S.hard_sigmoid(data, alpha=1 / 6, beta=0.5)


@translates("softplus")
def softplus(node: AtenNode) -> Any:
    """Activation softrelu."""
    data, beta = node.symbol("self"), node["beta"]
    if beta == 1:
        return S.Activation(data, act_type="softrelu")
    return S.Activation(data * beta, act_type="softrelu") / beta


@translates("glu")
def glu(node: AtenNode) -> Any:
    """One half of the data, gated by the other."""
    half, gate = S.SliceChannel(node.symbol("self"), num_outputs=2, axis=node.axis("dim"))
    return half * S.sigmoid(gate)


@translates("softmax.int", "_softmax", "log_softmax.int", "_log_softmax")
def softmax(node: AtenNode) -> Any:
    """softmax or log_softmax."""
    function = S.log_softmax if "log_softmax" in str(node.target) else S.softmax
    return function(node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype), axis=node.axis("dim"))


@translates("dropout", "feature_dropout", "alpha_dropout")
def dropout(node: AtenNode) -> Any:
    """Nothing, in inference."""
    if node["train"]:
        raise NotConvertible(_EVAL)
    return node.symbol("input")


@translates("native_dropout")
def dropout_of_training(node: AtenNode) -> Any:
    """Refused."""
    raise NotConvertible(_EVAL)


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
