"""Pooling."""

from typing import Any

import regluon.symbol

from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol


def _spread(numbers: Any, count: int) -> tuple[int, ...]:
    given = [numbers] if isinstance(numbers, int) else list(numbers)
    return tuple(given * count if len(given) == 1 else given)


def _window(node: AtenNode, count: int) -> dict[str, Any]:
    if len(node.lengths("self")) != count + 2:
        raise NotConvertible(
            f"its data have the shape {node.shape('self')}, without a batch; add one with unsqueeze(0) before it"
        )
    kernel = _spread(node["kernel_size"], count)
    return {
        "kernel": kernel,
        "stride": _spread(node["stride"], count) if node["stride"] else kernel,
        "pad": _spread(node["padding"], count),
        "pooling_convention": "full" if node["ceil_mode"] else "valid",
    }


def _max_pool(node: AtenNode, count: int) -> Any:
    if set(_spread(node["dilation"], count)) != {1}:
        raise NotConvertible(f"dilation={node['dilation']}; MXNet's Pooling has none but 1")
    return S.Pooling(node.symbol("self"), pool_type="max", **_window(node, count))


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
    return S.Pooling(node.symbol("self"), pool_type=kind, count_include_pad=include, **_window(node, count))


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
