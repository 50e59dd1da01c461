"""Translate layers of torch."""

from math import sqrt
from typing import Any

import torch

import regluon.symbol

from ..batch_axis import Lengths, number
from ..conversion_errors import NotConvertible
from ..node import AtenNode, mxnet_dtype, translates
from .arithmetic import product_of
from .shapes import padded

S: Any = regluon.symbol


def _spread(numbers: Any, count: int) -> tuple[int, ...]:
    """A number for each axis of a window: torch takes one for all as well."""
    given = [numbers] if isinstance(numbers, int) else list(numbers)
    return tuple(given * count if len(given) == 1 else given)


def _kernel(node: AtenNode) -> tuple[int, ...]:
    kernel = node.shape("weight")[2:]
    if len(node.lengths("input")) != len(kernel) + 2:
        raise NotConvertible(
            f"its data have the shape {node.shape('input')}, without a batch; add one with unsqueeze(0) before it"
        )
    return kernel


def _window(node: AtenNode, kernel: tuple[int, ...]) -> dict[str, Any]:
    count = len(kernel)
    return {
        "kernel": kernel,
        "stride": _spread(node["stride"], count),
        "dilate": _spread(node["dilation"], count),
        "num_group": node["groups"],
    }


def _with_bias(node: AtenNode) -> tuple[list[Any], dict[str, Any]]:
    return ([node.symbol("bias")], {"no_bias": False}) if node.has("bias") else ([], {"no_bias": True})


@translates("conv1d", "conv2d", "conv3d", "conv1d.padding", "conv2d.padding", "conv3d.padding")
def convolution(node: AtenNode) -> Any:
    """Convolution."""
    kernel = _kernel(node)
    window = _window(node, kernel)
    data, pad = node.symbol("input"), node["padding"]
    if pad == "same":
        # torch puts the odd one of an unequal padding behind the data.
        total = [step * (length - 1) for step, length in zip(window["dilate"], kernel, strict=True)]
        before = [each // 2 for each in total]
        if any(each % 2 for each in total):
            widths = [(0, 0), (0, 0), *((first, each - first) for first, each in zip(before, total, strict=True))]
            data, before = padded(data, widths, "constant", 0.0), [0] * len(kernel)
        pad = before
    elif pad == "valid":
        pad = [0]
    bias, options = _with_bias(node)
    return S.Convolution(
        data,
        node.symbol("weight"),
        *bias,
        num_filter=node.shape("weight")[0],
        pad=_spread(pad, len(kernel)),
        **options,
        **window,
    )


@translates("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input")
def deconvolution(node: AtenNode) -> Any:
    """Deconvolution."""
    kernel = _kernel(node)
    bias, options = _with_bias(node)
    return S.Deconvolution(
        node.symbol("input"),
        node.symbol("weight"),
        *bias,
        num_filter=node.shape("weight")[1] * node["groups"],
        pad=_spread(node["padding"], len(kernel)),
        adj=_spread(node["output_padding"], len(kernel)),
        **options,
        **_window(node, kernel),
    )


@translates("convolution")
def either(node: AtenNode) -> Any:
    """What both convolutions are after decomposition."""
    return deconvolution(node) if node["transposed"] else convolution(node)


@translates("linear")
def linear(node: AtenNode) -> Any:
    """FullyConnected."""
    rank = len(node.lengths("input"))
    data = S.expand_dims(node.symbol("input"), axis=0) if rank == 1 else node.symbol("input")
    bias, options = _with_bias(node)
    found = S.FullyConnected(
        data, node.symbol("weight"), *bias, num_hidden=node.shape("weight")[0], flatten=rank <= 2, **options
    )
    return S.squeeze(found, axis=0) if rank == 1 else found


@translates("embedding")
def embedding(node: AtenNode) -> Any:
    """Embedding."""
    rows, width = node.shape("weight")
    dtype = str(node.result_dtype).removeprefix("torch.")
    options = {} if dtype == "float32" else {"dtype": dtype}
    return S.Embedding(node.symbol("indices"), node.symbol("weight"), input_dim=rows, output_dim=width, **options)


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


def _pool_spread(numbers: Any, count: int) -> tuple[int, ...]:
    given = [numbers] if isinstance(numbers, int) else list(numbers)
    return tuple(given * count if len(given) == 1 else given)


def _pool_window(node: AtenNode, count: int) -> dict[str, Any]:
    if len(node.lengths("self")) != count + 2:
        raise NotConvertible(
            f"its data have the shape {node.shape('self')}, without a batch; add one with unsqueeze(0) before it"
        )
    kernel = _pool_spread(node["kernel_size"], count)
    return {
        "kernel": kernel,
        "stride": _pool_spread(node["stride"], count) if node["stride"] else kernel,
        "pad": _pool_spread(node["padding"], count),
        "pooling_convention": "full" if node["ceil_mode"] else "valid",
    }


def _max_pool(node: AtenNode, count: int) -> Any:
    if set(_pool_spread(node["dilation"], count)) != {1}:
        raise NotConvertible(f"dilation={node['dilation']}; MXNet's Pooling has none but 1")
    return S.Pooling(node.symbol("self"), pool_type="max", **_pool_window(node, count))


@translates("max_pool1d")
def max_pool1d(node: AtenNode) -> Any:
    """Pooling of one axis."""
    return _max_pool(node, 1)


@translates("max_pool2d")
def max_pool2d(node: AtenNode) -> Any:
    """Pooling of two axes."""
    return _max_pool(node, 2)


@translates("max_pool3d")
def max_pool3d(node: AtenNode) -> Any:
    """Pooling of three axes."""
    return _max_pool(node, 3)


@translates("max_pool2d_with_indices")
def max_pool2d_parts(node: AtenNode) -> Any:
    """Pooling; a use of the indices finds none."""
    return [_max_pool(node, 2)]


@translates("max_pool3d_with_indices")
def max_pool3d_parts(node: AtenNode) -> Any:
    """Pooling; a use of the indices finds none."""
    return [_max_pool(node, 3)]


@translates("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(node: AtenNode) -> Any:
    """Pooling by means, or by sums, which are means divided by 1."""
    count = int(str(node.target).split("avg_pool")[1][0])
    kind, include = "avg", bool(node["count_include_pad"])
    if node.takes("divisor_override") and node.has("divisor_override"):
        if node["divisor_override"] != 1:
            raise NotConvertible(f"divisor_override={node['divisor_override']} has no counterpart but 1")
        kind = "sum"
    return S.Pooling(node.symbol("self"), pool_type=kind, count_include_pad=include, **_pool_window(node, count))


@translates("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d")
def adaptive_avg_pool(node: AtenNode) -> Any:
    """Pooling of everything, or of as many windows as there shall be results."""
    size = tuple(node["output_size"])
    if len(size) == 2 and set(size) != {1} and len(node.lengths("self")) == 4:
        return S.contrib.AdaptiveAvgPooling2D(node.symbol("self"), output_size=size)
    return _adaptive(node, size, "avg")


@translates("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(node: AtenNode) -> Any:
    """Pooling by maxima; a use of the indices finds none."""
    return [_adaptive(node, tuple(node["output_size"]), "max")]


def _adaptive(node: AtenNode, size: tuple[int, ...], kind: str) -> Any:
    data = node.lengths("self")
    if len(data) != len(size) + 2:
        raise NotConvertible(
            f"its data have the shape {node.shape('self')}, without a batch; add one with unsqueeze(0) before it"
        )
    if set(size) == {1}:
        return S.Pooling(node.symbol("self"), global_pool=True, pool_type=kind)
    lengths = [node.fixed(length, "the size of its data") for length in data[2:]]
    if any(length % results for length, results in zip(lengths, size, strict=True)):
        raise NotConvertible(f"it makes {size} of {tuple(lengths)} with windows of different sizes")
    kernel = tuple(length // results for length, results in zip(lengths, size, strict=True))
    return S.Pooling(node.symbol("self"), kernel=kernel, stride=kernel, pool_type=kind)


_MODES = {"lstm": "lstm", "gru": "gru", "rnn_tanh": "rnn_tanh", "rnn_relu": "rnn_relu"}
_KINDS = 4  # of arrays of a layer: two weights, two biases


@translates(*(f"{name}.input" for name in _MODES))
def recurrent(node: AtenNode) -> Any:
    """RNN; the gates have the same order."""
    mode = _MODES[str(node.target).split(".")[1]]
    if node["train"] and node["dropout"]:
        raise NotConvertible("it drops elements, as in training; export after module.eval()")
    if len(node.lengths("input")) != 3:
        raise NotConvertible("its data have no batch; add one with unsqueeze before it")
    states = node.symbols("hx") if mode == "lstm" else [node.symbol("hx")]
    size = node["params"][1].meta["val"].shape[1]
    data = node.symbol("input")
    if node["batch_first"]:
        data = S.swapaxes(data, dim1=0, dim2=1)
    found = S.RNN(
        data,
        _packed(node),
        *states,
        state_size=int(size),
        num_layers=node["num_layers"],
        bidirectional=bool(node["bidirectional"]),
        mode=mode,
        state_outputs=True,
    )
    outputs = list(found)
    if node["batch_first"]:
        outputs[0] = S.swapaxes(outputs[0], dim1=0, dim2=1)
    return outputs


def _packed(node: AtenNode) -> Any:
    """All parameters as one row: the weights of all layers, then the biases."""
    params, symbols = node["params"], node.symbols("params")
    if not node["has_biases"]:
        raise NotConvertible("it has no biases, which MXNet's RNN cannot do without; make the layer with bias=True")
    count = node["num_layers"] * (2 if node["bidirectional"] else 1)
    if len(params) != _KINDS * count:
        raise NotConvertible("it projects its states; MXNet's RNN does that in another order")
    layers = [symbols[start : start + _KINDS] for start in range(0, len(symbols), _KINDS)]
    weights = [each for layer in layers for each in layer[:2]]
    biases = [each for layer in layers for each in layer[2:]]
    rows = [S.Reshape(each, shape=(-1,)) for each in weights]
    return S.Concat(*rows, *biases, dim=0)


@translates("scaled_dot_product_attention")
def attention(node: AtenNode) -> Any:
    """Softmax of products, times values."""
    if node["dropout_p"]:
        raise NotConvertible("it drops elements, as in training; export after module.eval()")
    query, key, value = (node.symbol(each) for each in ("query", "key", "value"))
    of_query, of_key, of_value = (node.lengths(each) for each in ("query", "key", "value"))
    if node["enable_gqa"]:
        heads = node.fixed(of_query[-3], "the number of heads")
        key, of_key = _for_all_heads(key, of_key, heads)
        value, of_value = _for_all_heads(value, of_value, heads)
    scale = node["scale"] if node.has("scale") else 1 / sqrt(of_query[-1][0])
    of_scores = (*node.result[:-2], of_query[-2], of_key[-2])
    scores = product_of(node, query * scale, key, (of_query, of_key), of_scores, transpose_b=True)
    if node["is_causal"]:
        count = (node.fixed(length, "the length of a sequence with a causal mask") for length in of_scores[-2:])
        allowed = torch.ones(tuple(count), dtype=torch.bool).tril()
        scores = S.broadcast_add(scores, node.parameter("mask", _forbidding(allowed.to(node.result_dtype))))
    elif node.has("attn_mask"):
        mask = node.symbol("attn_mask")
        if node.dtype("attn_mask") is torch.bool:
            mask = _forbidding(node.cast(mask, torch.float32, node.result_dtype), node.result_dtype)
        scores = S.broadcast_add(scores, mask)
    weights = S.softmax(scores, axis=-1)
    return product_of(node, weights, value, (of_scores, of_value), node.result)


def _forbidding(allowed: Any, dtype: torch.dtype | None = None) -> Any:
    """What to add to scores: 0 where the mask is 1, and where it is 0 so little that nothing is left of them."""
    least = torch.finfo(dtype or allowed.dtype).min / 2
    return (1 - allowed) * least


def _for_all_heads(data: Any, lengths: Lengths, heads: int) -> tuple[Any, Lengths]:
    """Keys or values repeated for the heads that share them."""
    repeats = heads // lengths[-3][0]
    return S.repeat(data, repeats=repeats, axis=len(lengths) - 3), (*lengths[:-3], (heads, heads), *lengths[-2:])
