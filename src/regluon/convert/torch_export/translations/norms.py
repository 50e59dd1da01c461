"""Normalizations."""

from typing import Any

import regluon.symbol

from ..lengths import Lengths, number
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates
from ..values import mxnet_dtype

S: Any = regluon.symbol
_EVAL = "it normalizes with the statistics of the batch, as in training; export after module.eval()"


def _scale_and_shift(node: AtenNode, channels: int) -> tuple[Any, Any]:
    """The weight and the bias, or 1 and 0 if the layer has none."""
    dtype = mxnet_dtype(node.result_dtype)
    weight = node.symbol("weight") if node.has("weight") else S.ones(shape=(channels,), dtype=dtype)
    bias = node.symbol("bias") if node.has("bias") else S.zeros(shape=(channels,), dtype=dtype)
    return weight, bias


def _batch_norm(node: AtenNode) -> Any:
    if not node.has("running_mean") or not node.has("running_var"):
        raise NotConvertible("it has no running statistics; make the layer with track_running_stats=True")
    return S.BatchNorm(
        node.symbol("input"),
        *_scale_and_shift(node, node.shape("input")[1]),
        node.symbol("running_mean"),
        node.symbol("running_var"),
        eps=node["eps"],
        momentum=1 - node["momentum"],  # torch's is the weight of the new value, MXNet's that of the old one
        fix_gamma=False,
    )


@translates("batch_norm")
def batch_norm(node: AtenNode) -> Any:
    """BatchNorm."""
    if node["training"]:
        raise NotConvertible(_EVAL)
    return _batch_norm(node)


@translates("_native_batch_norm_legit_no_training")
def batch_norm_parts(node: AtenNode) -> Any:
    """BatchNorm; its other results are empty in inference."""
    return [_batch_norm(node)]


@translates(
    "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "native_batch_norm", "_batch_norm_with_update"
)
def batch_norm_of_training(node: AtenNode) -> Any:
    """Refused."""
    raise NotConvertible(_EVAL)


@translates("instance_norm")
def instance_norm(node: AtenNode) -> Any:
    """InstanceNorm; with running statistics it is a BatchNorm."""
    if not node["use_input_stats"]:
        return _batch_norm(node)
    return S.InstanceNorm(node.symbol("input"), *_scale_and_shift(node, node.shape("input")[1]), eps=node["eps"])


@translates("layer_norm")
def layer_norm(node: AtenNode) -> Any:
    """LayerNorm over the last axis; over several ones step by step."""
    data, count = node.symbol("input"), len(node["normalized_shape"])
    if count == 1:
        return S.LayerNorm(data, *_scale_and_shift(node, node["normalized_shape"][0]), axis=-1, eps=node["eps"])
    axes = tuple(range(-count, 0))
    centered = S.broadcast_sub(data, S.mean(data, axis=axes, keepdims=True))
    variance = S.mean(S.square(centered), axis=axes, keepdims=True)
    found = S.broadcast_mul(centered, S.rsqrt(variance + node["eps"]))
    if node.has("weight"):
        found = S.broadcast_mul(found, node.symbol("weight"))
    return S.broadcast_add(found, node.symbol("bias")) if node.has("bias") else found


@translates("native_layer_norm")
def layer_norm_parts(node: AtenNode) -> Any:
    """LayerNorm; mean and deviation serve gradients alone."""
    return [layer_norm(node)]


@translates("group_norm")
def group_norm(node: AtenNode) -> Any:
    """GroupNorm, whose factors MXNet has for groups; those for channels follow it."""
    return _group_norm(node, node["num_groups"])


@translates("native_group_norm")
def group_norm_parts(node: AtenNode) -> Any:
    """GroupNorm; mean and deviation serve gradients alone."""
    return [_group_norm(node, node["group"])]


def _group_norm(node: AtenNode, groups: int) -> Any:
    data: Lengths = node.lengths("input")
    dtype = mxnet_dtype(node.result_dtype)
    ones, zeros = S.ones(shape=(groups,), dtype=dtype), S.zeros(shape=(groups,), dtype=dtype)
    found = S.GroupNorm(node.symbol("input"), ones, zeros, num_groups=groups, eps=node["eps"])
    shape = tuple(length[0] for length in (number(1), data[1], *[number(1)] * (len(data) - 2)))
    if node.has("weight"):
        found = S.broadcast_mul(found, S.Reshape(node.symbol("weight"), shape=shape))
    return S.broadcast_add(found, S.Reshape(node.symbol("bias"), shape=shape)) if node.has("bias") else found
