"""Data whose channels lie on another axis than the layer takes them from: recognised, and said in error texts."""

from ...errors import OpShapeError
from ..params import Shape

__all__ = ["explain_channels", "explain_length"]

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
