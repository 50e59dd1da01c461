"""Layers with weights and windows."""

from typing import Any

import numpy as np

import regluon.symbol

from ..node import Array, NotImportable, OnnxNode, imports

S: Any = regluon.symbol  # operators are chosen by name and called with what the file says


def _pads(node: OnnxNode, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if node.text("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise NotImportable(f"auto_pad={node.attrs['auto_pad']!r} depends on the size of the data")
    pads = node.ints("pads", count=2 * count) or [0] * (2 * count)
    return tuple(pads[:count]), tuple(pads[count:])


def _window(node: OnnxNode, kernel: tuple[int, ...]) -> dict[str, Any]:
    count = len(kernel)
    return {
        "kernel": kernel,
        "stride": tuple(node.ints("strides", count=count) or [1] * count),
        "dilate": tuple(node.ints("dilations", count=count) or [1] * count),
    }


def _bordered(data: Any, begin: tuple[int, ...], end: tuple[int, ...], value: float) -> Any:
    """Data with unequal padding of its own; MXNet's windows know only equal ones."""
    if len(begin) not in (2, 3):
        raise NotImportable(f"has the paddings {begin} and {end}, which differ")
    widths = (0, 0, 0, 0, *[n for pair in zip(begin, end, strict=True) for n in pair])
    return S.Pad(data, mode="constant", pad_width=widths, constant_value=value)


def _filters(node: OnnxNode) -> Array:
    weight = node.constant(1, "weight")
    if not 3 <= weight.ndim <= 5:
        raise NotImportable(f"input 1, its weight, has the shape {weight.shape}; expected 1 to 3 axes of a kernel")
    return weight


@imports("Conv")
def conv(node: OnnxNode) -> Any:
    """Convolution."""
    weight = _filters(node)
    kernel = tuple(weight.shape[2:])
    begin, end = _pads(node, len(kernel))
    data = node.symbol()
    if begin != end:
        data, begin = _bordered(data, begin, end, 0), (0,) * len(kernel)
    bias = [node.symbol(2)] if node.has(2) else []
    return S.Convolution(
        data,
        node.symbol(1),
        *bias,
        num_filter=weight.shape[0],
        num_group=node.integer("group", 1),
        no_bias=not bias,
        pad=begin,
        **_window(node, kernel),
    )


@imports("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Any:
    """Deconvolution."""
    weight, group = _filters(node), node.integer("group", 1)
    kernel = tuple(weight.shape[2:])
    begin, end = _pads(node, len(kernel))
    if begin != end or "output_shape" in node.attrs:
        raise NotImportable("output_shape and unequal paddings have no counterpart")
    bias = [node.symbol(2)] if node.has(2) else []
    return S.Deconvolution(
        node.symbol(),
        node.symbol(1),
        *bias,
        num_filter=weight.shape[1] * group,
        num_group=group,
        no_bias=not bias,
        pad=begin,
        adj=tuple(node.ints("output_padding", count=len(kernel)) or [0] * len(kernel)),
        **_window(node, kernel),
    )


@imports("MaxPool", "AveragePool")
def pool(node: OnnxNode) -> Any:
    """Pooling."""
    kernel = tuple(node.ints("kernel_shape") or ())
    if set(node.ints("dilations") or [1]) != {1}:
        raise NotImportable("dilations other than 1 have no counterpart")
    begin, end = _pads(node, len(kernel))
    data, include, is_max = node.symbol(), bool(node.integer("count_include_pad", 0)), node.op == "MaxPool"
    if begin != end:
        if not is_max and not include:
            raise NotImportable("is a mean without its padding, and the paddings differ")
        data, begin = _bordered(data, begin, end, float(np.finfo(np.float32).min) if is_max else 0), (0,) * len(kernel)
    return S.Pooling(
        data,
        kernel=kernel,
        stride=tuple(node.ints("strides", count=len(kernel)) or [1] * len(kernel)),
        pad=begin,
        pool_type="max" if is_max else "avg",
        pooling_convention="full" if node.integer("ceil_mode", 0) else "valid",
        count_include_pad=include,
    )


@imports("GlobalMaxPool", "GlobalAveragePool")
def global_pool(node: OnnxNode) -> Any:
    """Pooling of everything."""
    return S.Pooling(node.symbol(), global_pool=True, pool_type="max" if node.op == "GlobalMaxPool" else "avg")


@imports("Gemm")
def gemm(node: OnnxNode) -> Any:
    """FullyConnected, or gemm2 where the second factor is computed."""
    alpha, beta = node.real("alpha", 1.0), node.real("beta", 1.0)
    is_turned = bool(node.integer("transB", 0))
    weight, bias = node.known(1), node.known(2)
    if weight is None or weight.ndim != 2 or node.integer("transA", 0):
        result = S.linalg.gemm2(
            node.symbol(),
            node.symbol(1),
            transpose_a=bool(node.integer("transA", 0)),
            transpose_b=is_turned,
            alpha=alpha,
        )
        return S.broadcast_add(result, node.symbol(2) * beta) if node.has(2) else result
    plain = is_turned and alpha == 1
    turned = weight if is_turned else weight.T
    factor = node.symbol(1) if plain else node.parameter("weight", np.ascontiguousarray(turned * alpha, weight.dtype))
    options = {"num_hidden": turned.shape[0], "flatten": False}
    if bias is not None and bias.shape == (turned.shape[0],) and beta == 1:
        return S.FullyConnected(node.symbol(), factor, node.symbol(2), **options)
    result = S.FullyConnected(node.symbol(), factor, no_bias=True, **options)
    return S.broadcast_add(result, node.symbol(2) * beta) if node.has(2) else result


@imports("MatMul")
def matmul(node: OnnxNode) -> Any:
    """FullyConnected with a constant matrix, else the product of all matrices."""
    weight = node.known(1)
    if weight is not None and weight.ndim == 2:
        turned = node.parameter("weight", np.ascontiguousarray(weight.T))
        return S.FullyConnected(node.symbol(), turned, no_bias=True, flatten=False, num_hidden=weight.shape[1])
    return S.linalg.gemm2(node.symbol(), node.symbol(1))


@imports("BatchNormalization")
def batch_norm(node: OnnxNode) -> Any:
    """BatchNorm with the moving averages."""
    return S.BatchNorm(
        *node.symbols(5, 5),
        eps=node.real("epsilon", 1e-5),
        momentum=node.real("momentum", 0.9),
        fix_gamma=False,
        use_global_stats=True,
    )


@imports("InstanceNormalization")
def instance_norm(node: OnnxNode) -> Any:
    """InstanceNorm."""
    return S.InstanceNorm(*node.symbols(3, 3), eps=node.real("epsilon", 1e-5))


@imports("LayerNormalization")
def layer_norm(node: OnnxNode) -> Any:
    """LayerNorm over the last axis."""
    scale = node.constant(1, "scale")
    if node.integer("axis", -1) != -1 or scale.ndim != 1:
        raise NotImportable(f"axis={node.attrs.get('axis')}; only the last one can be imported")
    beta = node.symbol(2) if node.has(2) else node.parameter("beta", np.zeros_like(scale))
    return S.LayerNorm(node.symbol(), node.symbol(1), beta, axis=-1, eps=node.real("epsilon", 1e-5))


@imports("LRN")
def lrn(node: OnnxNode) -> Any:
    """LRN."""
    return S.LRN(
        node.symbol(),
        nsize=node.integer("size"),
        alpha=node.real("alpha", 1e-4),
        beta=node.real("beta", 0.75),
        knorm=node.real("bias", 1.0),
    )


@imports("PRelu")
def prelu(node: OnnxNode) -> Any:
    """LeakyReLU with slopes of the channels."""
    slopes = node.constant(1, "slope").reshape(-1)
    return S.LeakyReLU(node.symbol(), node.parameter("gamma", slopes), act_type="prelu")


@imports("Resize", "Upsample")
def resize(node: OnnxNode) -> Any:
    """UpSampling by repeating."""
    place = 2 if node.op == "Resize" and node.opset > 10 else 1
    scales = node.constant(place, "scales").reshape(-1)
    factor = int(scales[-1]) if scales.size and np.isfinite(scales[-1]) else 0
    if node.text("mode", "nearest") != "nearest" or scales.tolist() != [1, 1, factor, factor]:
        raise NotImportable(f"enlarges by {scales.tolist()} in mode {node.attrs.get('mode')!r}; only whole factors")
    if node.op == "Resize" and node.opset > 10:
        way = (node.attrs.get("coordinate_transformation_mode"), node.attrs.get("nearest_mode"))
        if way != ("asymmetric", "floor") and factor % 2 == 0 and way[0] == "align_corners":
            raise NotImportable("coordinate_transformation_mode='align_corners' has no counterpart")
    return S.UpSampling(node.symbol(), scale=factor, sample_type="nearest")
