"""Check the inputs of neural-network operators."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..params import Shape

__all__ = ["explain_channels", "explain_length"]


_CHANNELS_LAST = ("NWC", "NHWC", "NDHWC")


def weighted(*before: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """The inputs of a layer with a weight, and a bias unless `no_bias`: a rule for `takes`."""

    def names(params: Mapping[str, Any]) -> tuple[str, ...]:
        return (*before, "weight") if params["no_bias"] else (*before, "weight", "bias")

    return names


def optional(*before: str, **flags: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """The inputs of an operator that takes some of them only if a parameter says so: a rule for `takes`.

    Args:
        before: inputs that are always there.
        flags: further inputs, each with the name of its parameter.
    """

    def names(params: Mapping[str, Any]) -> tuple[str, ...]:
        return (*before, *(name for name, flag in flags.items() if params[flag]))

    return names


def expect_bias(bias: Tensor | None, no_bias: bool) -> None:
    """Refuses a bias that contradicts `no_bias`."""
    if bias is None and not no_bias:
        raise OpParamError("input bias is missing; give it, or pass no_bias=True")
    if bias is not None and no_bias:
        raise OpParamError("received a bias although no_bias=True; leave the bias out, or pass no_bias=False")


def is_channels_last(layout: str | None, ndim: int) -> bool:
    """Whether the channels are the last axis; refuses a layout that does not fit `ndim` spatial axes."""
    if layout is None:
        return False
    if len(layout) != ndim + 2:
        raise OpParamError(f"layout={layout!r} is for {len(layout) - 2} spatial axes, got {ndim}")
    return layout in _CHANNELS_LAST


def per_axis(name: str, value: Shape, ndim: int, default: int, least: int) -> Shape:
    """A parameter with one number per spatial axis; refuses a wrong length, and numbers below `least`."""
    if not value:
        return (default,) * ndim
    if len(value) != ndim:
        raise OpParamError(f"{name}={value} has {len(value)} numbers; expected {ndim}, one per spatial axis")
    if any(number is None or number < least for number in value):
        raise OpParamError(f"{name}={value}; expected numbers not below {least}")
    return value


def expect_window_fits(sizes: Shape, window: Shape, pad: Shape) -> None:
    """Refuses a window larger than the padded data."""
    padded = tuple(n + 2 * p for n, p in zip(sizes, pad, strict=True))
    if any(w > n for w, n in zip(window, padded, strict=True)):
        raise OpShapeError(f"the window of size {window} exceeds the data, whose size is {padded} with padding")


_LAST = {3: "NWC", 4: "NHWC", 5: "NDHWC"}
_SECOND = {3: "NCW", 4: "NCHW", 5: "NCDHW"}


def explain_channels(error: OpShapeError, data: Shape, channels: int, channels_last: bool) -> OpShapeError:
    """The error of a convolution, with what to do if the data have their channels elsewhere.

    Args:
        error: what was found so far: the weight does not fit.
        data: the shape of the data.
        channels: how many channels the weight is made for.
        channels_last: whether the layer takes the last axis for them.
    """
    given, other = (data[-1], data[1]) if channels_last else (data[1], data[-1])
    if other != channels or given == channels:
        return error
    spatial = range(1, len(data) - 1)
    if channels_last:
        axes, there, here = (0, *(axis + 1 for axis in spatial), 1), _SECOND[len(data)], _LAST[len(data)]
        way = f"or make the layer with layout={there!r}"
    else:
        axes, there, here = (0, len(data) - 1, *spatial), _LAST[len(data)], _SECOND[len(data)]
        way = f"or make the layer with layout={there!r}" if len(data) > 3 else "as Conv1D has no other layout"
    return OpShapeError(
        f"{error}. The data look like {there}, with {channels} channels on axis {axes[1] if not channels_last else 1}; "
        f"the layer takes {here}. Transpose them: nd.transpose(x, {axes}), {way}"
    )


def explain_length(error: OpShapeError, data: Shape, length: int, axis: int) -> OpShapeError:
    """The error of a normalization, with the axis that may have been meant: the only one of the length that fits."""
    fitting = [place for place, size in enumerate(data) if size == length and place != axis]
    if len(fitting) != 1 or data[axis] == length:
        return error
    return OpShapeError(
        f"{error}. Axis {fitting[0]} of the data has this length, the layer normalizes axis {axis}: make it with "
        f"axis={fitting[0]}, or transpose the data"
    )
