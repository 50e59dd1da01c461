"""Normalization in inference."""

import numpy as np

from ..call import Call
from ..table import Untranslatable, translates


def _only_the_result(call: Call) -> None:
    if call.params.get("output_mean_var"):
        raise Untranslatable("output_mean_var=True asks for statistics, which have no counterpart")


def _with(axis: int, rank: int) -> list[int]:
    """The order of axes in which an axis changes places with axis 1."""
    order = list(range(rank))
    order[1], order[axis] = order[axis], order[1]
    return order


@translates("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU")
def batch_norm(call: Call) -> str:
    """BatchNormalization with the moving averages."""
    _only_the_result(call)
    data, gamma, beta, mean, variance = call.inputs[:5]
    axis = call.axis(call.params.get("axis", 1))
    if call.params["fix_gamma"]:
        gamma = call.constant(np.ones(call.sizes(3)), call.dtype(3))
    if axis != 1:
        data = call.transpose(data, _with(axis, call.rank()))
    result = call.op("BatchNormalization", data, gamma, beta, mean, variance, epsilon=float(call.params["eps"]))
    if axis != 1:
        result = call.transpose(result, _with(axis, call.rank()))
    return call.op("Relu", result) if call.node.op_name == "_contrib_BatchNormWithReLU" else result


@translates("LayerNorm")
def layer_norm(call: Call) -> str:
    """LayerNormalization over the last axis."""
    _only_the_result(call)
    data, gamma, beta = call.inputs
    axis, rank = call.axis(call.params["axis"]), call.rank()
    order = [place for place in range(rank) if place != axis] + [axis]
    turned = axis != rank - 1
    if turned:
        data = call.transpose(data, order)
    result = call.op("LayerNormalization", data, gamma, beta, axis=-1, epsilon=float(call.params["eps"]))
    return call.transpose(result, list(np.argsort(order))) if turned else result


@translates("InstanceNorm")
def instance_norm(call: Call) -> str:
    """InstanceNormalization."""
    return call.op("InstanceNormalization", *call.inputs, epsilon=float(call.params["eps"]))


@translates("GroupNorm")
def group_norm(call: Call) -> str:
    """InstanceNormalization of the groups as channels; gamma and beta belong to groups in MXNet too."""
    _only_the_result(call)
    data, gamma, beta = call.inputs
    groups = call.params["num_groups"]
    grouped = call.op("Reshape", data, call.ints(0, groups, -1))
    scales = [call.reshape(value, (groups,)) for value in (gamma, beta)]
    result = call.op("InstanceNormalization", grouped, *scales, epsilon=float(call.params["eps"]))
    return call.op("Reshape", result, call.shape_of(data))


@translates("L2Normalization")
def l2_normalization(call: Call) -> str:
    """The data divided by the root of the sum of squares."""
    axes = {"instance": range(1, call.rank()), "channel": (1,), "spatial": range(2, call.rank())}[call.params["mode"]]
    sums = call.op("ReduceSum", call.op("Mul", call.x, call.x), call.ints(*axes), keepdims=1)
    return call.op("Div", call.x, call.op("Sqrt", call.op("Add", sums, call.number(call.params["eps"]))))


@translates("LRN")
def lrn(call: Call) -> str:
    """LRN, which MXNet and ONNX define alike."""
    params = call.params
    return call.op(
        "LRN", call.x, alpha=params["alpha"], beta=params["beta"], bias=params["knorm"], size=params["nsize"]
    )


@translates("moments")
def moments(call: Call) -> list[str]:
    """Mean and variance."""
    axes = [call.axis(axis) for axis in call.params["axes"] or range(call.rank())]
    keep = int(call.params["keepdims"])
    mean = call.op("ReduceMean", call.x, axes=axes, keepdims=1)
    apart = call.op("Sub", call.x, mean)
    variance = call.op("ReduceMean", call.op("Mul", apart, apart), axes=axes, keepdims=keep)
    return [mean if keep else call.op("Squeeze", mean, call.ints(*axes)), variance]
