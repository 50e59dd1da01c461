"""Borders around data."""

from collections.abc import Sequence
from typing import Any

import regluon.symbol

from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol
_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}
_AXES = (4, 5)  # that MXNet's Pad takes, of which it leaves the first two alone


def padded(data: Any, widths: Sequence[tuple[int, int]], mode: str, value: float) -> Any:
    """Data with a border; negative widths cut off.

    Args:
        data: the symbol.
        widths: before and after, for each axis.
        mode: MXNet's.
        value: of a constant border.
    """
    for axis, (before, after) in enumerate(widths):
        if before < 0 or after < 0:
            data = S.slice_axis(data, axis=axis, begin=max(-before, 0), end=None if after >= 0 else after)
    widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    if not any(before or after for before, after in widths):
        return data
    # Axes of length 1 in front, until the ones to pad are where MXNet's Pad pads.
    first = next(axis for axis, pair in enumerate(widths) if pair != (0, 0))
    more = max(2 - first, _AXES[0] - len(widths), 0)
    if len(widths) + more > _AXES[1]:
        raise NotConvertible(f"it pads axis {first} of {len(widths)}; MXNet's Pad reaches the last three at most")
    for _ in range(more):
        data = S.expand_dims(data, axis=0)
    flat = [width for pair in [(0, 0)] * more + list(widths) for width in pair]
    data = S.Pad(data, mode=mode, pad_width=tuple(flat), constant_value=value)
    return S.squeeze(data, axis=tuple(range(more))) if more else data


def _widths(node: AtenNode) -> list[tuple[int, int]]:
    """Pairs for all axes; torch tells those of the last axes, the last one first."""
    given = [int(width) for width in node["pad" if node.takes("pad") else "padding"]]
    pairs = list(zip(given[::2], given[1::2], strict=True))[::-1]
    return [(0, 0)] * (len(node.lengths("self")) - len(pairs)) + pairs


@translates("pad")
def pad(node: AtenNode) -> Any:
    """Pad."""
    if node["mode"] not in _MODES:
        raise NotConvertible(f"mode={node['mode']!r} has no counterpart")
    return padded(node.symbol("self"), _widths(node), _MODES[node["mode"]], float(node["value"] or 0))


@translates("constant_pad_nd")
def constant_pad(node: AtenNode) -> Any:
    """Pad with a number."""
    return padded(node.symbol("self"), _widths(node), "constant", float(node["value"] or 0))


@translates("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(node: AtenNode) -> Any:
    """Pad with the data backwards."""
    return padded(node.symbol("self"), _widths(node), "reflect", 0.0)


@translates("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(node: AtenNode) -> Any:
    """Pad with the outermost elements."""
    return padded(node.symbol("self"), _widths(node), "edge", 0.0)
