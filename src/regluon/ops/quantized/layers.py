"""Layers with weights that compute with quantized arrays: 8 bits in, and 32 bits or real numbers out.

See quantization.py for what limits mean. None of these operators has a gradient.
"""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ...kernels.recurrent_layout import parameter_layout
from ..common import expect_shape, prod
from ..nn.convolution import Tuning, convolution
from ..nn.dense import fully_connected
from ..params import Shape
from ..registry import operator
from .calibration import (
    RANGE_NAMES,
    expect_8_bits,
    expect_dtype,
    expect_range,
    magnitude,
    num_levels,
    product_range,
    to_levels,
    with_limits,
)

_Results = tuple[Tensor, ...]


def _exact(depth: int) -> torch.dtype:
    """A floating type that holds sums of so many products of 8 bits exactly; torch is fast with these."""
    return torch.float32 if depth * 255 * 128 < 2**24 else torch.float64


_LIMITS = ("min_data", "max_data", "min_weight", "max_weight")
_SUMS = with_limits(*_LIMITS, "min_bias", "max_bias", result=lambda _: torch.int32, weights=("weight", "bias"))


def _layer_names(params: Mapping[str, Any]) -> tuple[str, ...]:
    if params["no_bias"]:
        return ("data", "weight", *_LIMITS)
    return ("data", "weight", "bias", *_LIMITS, "min_bias", "max_bias")


def _layer_inputs(inputs: tuple[Tensor | None, ...], no_bias: bool) -> tuple[Tensor | None, list[Tensor]]:
    """The bias and the limits. Without bias those behind it move up, so that only their order counts."""
    given = [each for each in inputs if each is not None]
    expected = 4 if no_bias else 7
    if len(given) != expected:
        raise OpParamError(
            f"expected data, weight{'' if no_bias else ', bias'} and a minimum and a maximum for each with "
            f"no_bias={no_bias}; got {2 + len(given)} arrays"
        )
    bias = None if no_bias else given.pop(0)
    expect_range(**dict(zip((*_LIMITS, "min_bias", "max_bias"), given, strict=False)))
    return bias, [limit.detach() for limit in given]


def _with_limits(weight: Shape, num_rows: int, no_bias: bool) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {"weight": weight, **dict.fromkeys(_LIMITS, (1,))}
    return shapes if no_bias else {**shapes, "bias": (num_rows,), "min_bias": (1,), "max_bias": (1,)}


def _fully_connected_shapes(
    data: Shape, *, num_hidden: int, no_bias: bool, flatten: bool, **_: Any
) -> dict[str, Shape]:
    return _with_limits((num_hidden, prod(data[1:]) if flatten else data[-1]), num_hidden, no_bias)


def _conv_shapes(
    data: Shape, *, kernel: Shape, num_filter: int, num_group: int, no_bias: bool, **_: Any
) -> dict[str, Shape]:
    return _with_limits((num_filter, data[1] // num_group, *kernel), num_filter, no_bias)


@operator(
    "_contrib_quantized_fully_connected",
    zero_gradient=True,
    outputs=3,
    takes=_layer_names,
    completes=_fully_connected_shapes,
    dtypes=_SUMS,
    output_names=RANGE_NAMES,
)
def quantized_fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
) -> _Results:
    """Multiplies by a weight matrix and adds a bias, all of 8 bits; the result is int32.

    Args:
        data: int8 or uint8; axes as those of `FullyConnected`.
        weight: int8, (num_hidden, width of the data).
        bias: int8, (num_hidden,); left out with `no_bias`.
        min_data: limits of the data, one element each.
        max_data: likewise.
        min_weight: limits of the weight.
        max_weight: likewise.
        min_bias: limits of the bias; left out with `no_bias`.
        max_bias: likewise.
        num_hidden: number of outputs.
        no_bias: whether there is no bias.
        flatten: whether to join all axes but the first.
    """
    behind = (bias, min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    bias, limits = _layer_inputs(behind, no_bias)
    expect_8_bits("data", data)
    expect_dtype("weight", weight, torch.int8)
    exact = _exact(prod(weight.shape[1:]))
    rows, matrix = data.to(exact), weight.to(exact)
    sums = fully_connected(rows, matrix, num_hidden=num_hidden, no_bias=True, flatten=flatten).to(torch.int32)
    data_real, weight_real = magnitude(*limits[:2]), magnitude(*limits[2:4])
    if bias is not None:
        expect_dtype("bias", bias, torch.int8)
        expect_shape("bias", bias, (num_hidden,))
        scale = (num_levels(data.dtype) / data_real) * (num_levels(torch.int8) / weight_real)
        unit = scale * magnitude(*limits[4:]) / num_levels(torch.int8)
        sums = sums + (bias.to(torch.float32) * unit).to(torch.int32)
    return sums, *product_range(data, data_real, weight_real)


@operator(
    "_contrib_quantized_conv",
    zero_gradient=True,
    outputs=3,
    takes=_layer_names,
    completes=_conv_shapes,
    dtypes=_SUMS,
    output_names=RANGE_NAMES,
)
def quantized_conv(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Tuning | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
) -> _Results:
    """Convolves images or volumes with filters, all of 8 bits; the result is int32.

    The levels of the bias are added as they are: its limits have no effect, in MXNet neither.

    Args:
        data: int8 or uint8, (batch, channels, *sizes).
        weight: int8, (num_filter, channels, *kernel).
        bias: int8, (num_filter,); left out with `no_bias`.
        min_data: limits of the data, one element each.
        max_data: likewise.
        min_weight: limits of the weight.
        max_weight: likewise.
        min_bias: limits of the bias; left out with `no_bias`.
        max_bias: likewise.
        kernel: size of the filters along 2 or 3 spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters.
        num_group: number of groups of channels; MXNet takes 1 only.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: 'NCHW' or 'NCDHW'.
    """
    behind = (bias, min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    bias, limits = _layer_inputs(behind, no_bias)
    if len(kernel) not in (2, 3) or layout not in (None, "NCHW", "NCDHW"):
        raise OpParamError(f"kernel={kernel}, layout={layout!r}; expected 2 or 3 sizes in 'NCHW' or 'NCDHW'")
    expect_8_bits("data", data)
    expect_dtype("weight", weight, torch.int8)
    exact = _exact(prod(weight.shape[1:]))
    sums = convolution(
        data.to(exact),
        weight.to(exact),
        kernel=kernel,
        stride=stride,
        dilate=dilate,
        pad=pad,
        num_filter=num_filter,
        num_group=num_group,
        no_bias=True,
        layout=layout,
    ).to(torch.int32)
    if bias is not None:
        expect_dtype("bias", bias, torch.int8)
        expect_shape("bias", bias, (num_filter,))
        sums = sums + bias.to(torch.int32).reshape(-1, *(1,) * len(kernel))
    low, high = product_range(weight, magnitude(*limits[:2]), magnitude(*limits[2:4]))
    return sums, low, high


def _rnn_shapes(data: Shape, *, state_size: int, num_layers: int, bidirectional: bool, **_: Any) -> dict[str, Shape]:
    if len(data) != 3:
        raise OpShapeError(f"expected data of shape (time, batch, input size), got {data}")
    last = parameter_layout("lstm", data[2], state_size, num_layers, bidirectional)[-1]
    state = (num_layers * (2 if bidirectional else 1), data[1], state_size)
    length = last.offset + prod(last.shape)
    limits = dict.fromkeys(("data_scale", "data_shift"), (1,))
    return {"parameters": (length,), "state": state, "state_cell": state, **limits}


def _walk(
    data: Tensor, hidden: Tensor, cell: Tensor, weights: list[Tensor], levels: tuple[Tensor, Tensor, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """One direction of one layer.

    Args:
        data: (time, batch, width), levels of uint8 as real numbers.
        hidden: (batch, state size), likewise.
        cell: (batch, state size), real numbers.
        weights: i2h and h2h weight, i2h and h2h bias, real numbers.
        levels: the scale and the shift of the data, and the scale of each row of the weights.
    """
    scale, shift, rows = levels
    i2h, h2h = (to_levels(weight * rows.unsqueeze(1), torch.int8).to(data.dtype) for weight in weights[:2])
    unit, bias = 1 / (scale * rows), weights[2] + weights[3]
    inputs = (data - shift) @ i2h.t()
    outputs = []
    for step in inputs:
        gates = (step + (hidden - shift) @ h2h.t()) * unit + bias
        enter, forget, new, leave = gates.chunk(4, 1)
        cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
        real = leave.sigmoid() * cell.tanh()
        hidden = to_levels(real * scale + shift, torch.uint8).to(data.dtype)
        outputs.append(hidden)
    return torch.stack(outputs), hidden, cell


@operator(
    "_contrib_quantized_rnn",
    has_gradient=False,
    outputs=lambda params: 3 if params["state_outputs"] else 1,
    completes=_rnn_shapes,
    dtypes=with_limits(
        *("parameters", "state", "state_cell", "data_scale", "data_shift"), result=lambda _: torch.float32
    ),
    output_names=RANGE_NAMES,
)
def quantized_rnn(
    data: Tensor,
    parameters: Tensor,
    state: Tensor,
    state_cell: Tensor,
    data_scale: Tensor,
    data_shift: Tensor,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
) -> Tensor | _Results:
    """Applies an LSTM to sequences in uint8; weights and hidden states are quantized on the way, results are real.

    Args:
        data: uint8, (time, batch, input size): level = number * data_scale + data_shift.
        parameters: float32, all weights, then all biases, as `RNN` has them.
        state: float32, (layers times directions, batch, state size), the hidden states before the first step.
        state_cell: likewise, the cell states.
        data_scale: as above, one element; hidden states have the same.
        data_shift: likewise.
        state_size: size of the hidden and cell states.
        num_layers: number of layers.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        mode: 'lstm'.
        p: has no effect.
        state_outputs: whether to return the last hidden states and cell states, too.
        projection_size: none.
        lstm_state_clip_min: has no effect.
        lstm_state_clip_max: has no effect.
        lstm_state_clip_nan: has no effect.
        use_sequence_length: has no effect.
    """
    if mode != "lstm" or projection_size is not None:
        raise OpParamError(f"mode={mode!r}, projection_size={projection_size}; expected 'lstm' without projection")
    expect_dtype("data", data, torch.uint8)
    expect_range(data_scale=data_scale, data_shift=data_shift)
    sizes = {"state_size": state_size, "num_layers": num_layers, "bidirectional": bidirectional}
    shapes = _rnn_shapes(tuple(data.shape), **sizes)  # type: ignore[arg-type]
    for name, tensor in (("parameters", parameters), ("state", state), ("state_cell", state_cell)):
        expect_dtype(name, tensor, torch.float32)
        expect_shape(name, tensor, shapes[name])
    layout = parameter_layout("lstm", data.shape[2], state_size, num_layers, bidirectional)
    pieces = parameters.detach().split([prod(piece.shape) for piece in layout])
    named = {piece.name: part.reshape(piece.shape) for piece, part in zip(layout, pieces, strict=True)}
    magnitudes = [named[piece.name].abs().amax(1) for piece in layout if piece.name.endswith("weight")]
    levels = (data_scale.detach(), data_shift.detach(), 127 / torch.stack(magnitudes).amax(0))
    return _run(data.to(torch.float32), state.detach(), state_cell.detach(), named, levels, state_outputs)


def _run(
    data: Tensor,
    state: Tensor,
    state_cell: Tensor,
    weights: Mapping[str, Tensor],
    levels: tuple[Tensor, Tensor, Tensor],
    state_outputs: bool,
) -> Tensor | _Results:
    """All layers, one after the other; see `_walk` for what levels are."""
    scale, shift, _ = levels
    hidden_states, cells = [], []
    before = to_levels(state * scale + shift, torch.uint8).to(data.dtype)
    prefixes = list(dict.fromkeys(name.split("_")[0] for name in weights))
    sides = 2 if "r0" in prefixes else 1
    for layer in range(len(prefixes) // sides):
        outputs = []
        for side in range(sides):
            place = layer * sides + side
            own = [
                weights[f"{prefixes[place]}_{kind}"] for kind in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias")
            ]
            source = data.flip(0) if side else data
            output, hidden, cell = _walk(source, before[place], state_cell[place], own, levels)
            outputs.append(output.flip(0) if side else output)
            hidden_states.append(hidden)
            cells.append(cell)
        data = torch.cat(outputs, 2)
    result = (data - shift) / scale
    if not state_outputs:
        return result
    return result, (torch.stack(hidden_states) - shift) / scale, torch.stack(cells)
