"""Layers with weights."""

from typing import Any

import regluon.symbol

from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates
from .padding import padded

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
