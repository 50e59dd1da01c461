"""Cells whose linear maps are convolutions: for sequences of images, volumes or signals."""

from typing import Any

from ..._parameter_dict import ParameterDict
from ...rnn._recurrent_cell import CellError, HybridRecurrentCell

__all__ = [
    "Conv1DRNNCell",
    "Conv2DRNNCell",
    "Conv3DRNNCell",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "Conv1DGRUCell",
    "Conv2DGRUCell",
    "Conv3DGRUCell",
]


class _ConvCell(HybridRecurrentCell):
    """A cell whose gates are sums of a convolution of the input (i2h) and one of the first state (h2h).

    Args:
        input_shape: shape of one input without the batch, such as (channels, height, width).
        hidden_channels: number of channels of the states.
        i2h_kernel: size of the kernel for the input.
        h2h_kernel: size of the kernel for the state; odd, so that the state keeps its size.
        i2h_pad: padding of the input.
        i2h_dilate: distance of the kernel's elements for the input.
        h2h_dilate: distance of the kernel's elements for the state.
        i2h_weight_initializer: initializer of the weight for the input.
        h2h_weight_initializer: initializer of the weight for the state.
        i2h_bias_initializer: initializer of the bias for the input.
        h2h_bias_initializer: initializer of the bias for the state.
        conv_layout: order of the axes; 'NCW', 'NCHW' or 'NCDHW' by default.
        activation: name of the activation of new values, or a function or block.
        prefix: see Block.
        params: see Block.
    """

    num_axes: int
    num_gates = 1
    num_states = 1

    def __init__(
        self,
        input_shape: Any,
        hidden_channels: int,
        i2h_kernel: Any,
        h2h_kernel: Any,
        i2h_pad: Any = 0,
        i2h_dilate: Any = 1,
        h2h_dilate: Any = 1,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str | None = None,
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix, params)
        self._hidden_channels, self._activation = hidden_channels, activation
        self._conv_layout = conv_layout or {1: "NCW", 2: "NCHW", 3: "NCDHW"}[self.num_axes]
        self._channel_axis = self._conv_layout.find("C")
        self._input_shape = tuple(input_shape)
        self._i2h_kernel, self._h2h_kernel = (
            self._lengths("i2h_kernel", i2h_kernel),
            self._lengths("h2h_kernel", h2h_kernel),
        )
        self._i2h_pad, self._i2h_dilate = self._lengths("i2h_pad", i2h_pad), self._lengths("i2h_dilate", i2h_dilate)
        self._h2h_dilate = self._lengths("h2h_dilate", h2h_dilate)
        if not all(length % 2 for length in self._h2h_kernel):
            raise CellError(
                f"[{self._who()}] h2h_kernel: received {h2h_kernel}; expected odd numbers, which let the state keep "
                "its size."
            )
        if len(self._input_shape) != self.num_axes + 1:
            raise CellError(
                f"[{self._who()}] input_shape: received {input_shape}; expected {self.num_axes + 1} lengths, as the "
                f"layout {self._conv_layout!r} says, without the batch."
            )
        self._h2h_pad = tuple(d * (k - 1) // 2 for d, k in zip(self._h2h_dilate, self._h2h_kernel, strict=True))
        in_channels = self._input_shape[self._channel_axis - 1]
        rows = self.num_gates * hidden_channels
        for name, shape, init in (
            ("i2h_weight", (rows, *self._joined(in_channels, self._i2h_kernel)), i2h_weight_initializer),
            ("h2h_weight", (rows, *self._joined(hidden_channels, self._h2h_kernel)), h2h_weight_initializer),
            ("i2h_bias", (rows,), i2h_bias_initializer),
            ("h2h_bias", (rows,), h2h_bias_initializer),
        ):
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))
        self._state_shape = self._joined(hidden_channels, self._convolved())

    def _lengths(self, name: str, value: Any) -> tuple[int, ...]:
        """A setting for each axis; one number stands for all."""
        lengths = (value,) * self.num_axes if isinstance(value, int) else tuple(value)
        if len(lengths) != self.num_axes:
            raise CellError(f"[{self._who()}] {name}: received {value}; expected one number, or {self.num_axes}.")
        return lengths

    def _joined(self, channels: int, lengths: tuple[int, ...]) -> tuple[int, ...]:
        """Channels and lengths in the order of the layout."""
        return (channels, *lengths) if self._channel_axis == 1 else (*lengths, channels)

    def _convolved(self) -> tuple[int, ...]:
        """The lengths that a convolution of the input has; 0 where the input's is unknown."""
        lengths = self._input_shape[1:] if self._channel_axis == 1 else self._input_shape[:-1]
        settings = zip(lengths, self._i2h_kernel, self._i2h_pad, self._i2h_dilate, strict=True)
        return tuple(n + 2 * pad - dilate * (kernel - 1) if n else 0 for n, kernel, pad, dilate in settings)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        shape = (batch_size, *self._state_shape)
        return [{"shape": shape, "__layout__": self._conv_layout} for _ in range(self.num_states)]

    def __repr__(self) -> str:
        shape = self._reg_params["i2h_weight"].shape
        assert shape is not None
        in_channels = shape[1 if self._channel_axis == 1 else -1] or None
        return f"{type(self).__name__}({in_channels} -> {shape[0]}, {self._activation}, {self._conv_layout})"

    def _maps(self, F: Any, inputs: Any, states: Any, weights: tuple[Any, ...]) -> tuple[Any, Any]:
        """The two convolutions; `weights` are i2h and h2h weight, i2h and h2h bias."""
        self._expect_states(states, self.num_states)
        common = {"num_filter": self.num_gates * self._hidden_channels, "layout": self._conv_layout}
        i2h = {"kernel": self._i2h_kernel, "pad": self._i2h_pad, "dilate": self._i2h_dilate, **common}
        h2h = {"kernel": self._h2h_kernel, "pad": self._h2h_pad, "dilate": self._h2h_dilate, **common}
        step = f"t{self._counter}_"
        return (
            F.Convolution(inputs, weights[0], weights[2], name=step + "i2h", **i2h),
            F.Convolution(states[0], weights[1], weights[3], name=step + "h2h", **h2h),
        )


class _ConvRNNCell(_ConvCell):
    """The plain cell with convolutions: `output = activation(i2h(input) + h2h(output before))`."""

    def _alias(self) -> str:
        return "conv_rnn"

    def hybrid_forward(
        self, F: Any, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        i2h, h2h = self._maps(F, inputs, states, (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        total = F.elemwise_add(i2h, h2h)
        output = self._get_activation(F, total, self._activation, name=f"t{self._counter}_out")
        return output, [output]


class _ConvLSTMCell(_ConvCell):
    """Long short-term memory with convolutions (Shi et al., 2015)."""

    num_gates = 4
    num_states = 2

    def _alias(self) -> str:
        return "conv_lstm"

    def hybrid_forward(
        self, F: Any, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        i2h, h2h = self._maps(F, inputs, states, (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        gates = F.SliceChannel(F.elemwise_add(i2h, h2h), num_outputs=4, axis=self._channel_axis)
        enter, forget, new, leave = gates
        added = F.sigmoid(enter) * self._get_activation(F, new, self._activation)
        cell = F.elemwise_add(F.elemwise_mul(F.sigmoid(forget), states[1]), added, name=f"t{self._counter}_state")
        read = self._get_activation(F, cell, self._activation)
        output = F.elemwise_mul(F.sigmoid(leave), read, name=f"t{self._counter}_out")
        return output, [output, cell]


class _ConvGRUCell(_ConvCell):
    """Gated recurrent unit with convolutions."""

    num_gates = 3

    def _alias(self) -> str:
        return "conv_gru"

    def hybrid_forward(
        self, F: Any, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        i2h, h2h = self._maps(F, inputs, states, (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        i2h_reset, i2h_update, i2h_new = F.SliceChannel(i2h, num_outputs=3, axis=self._channel_axis)
        h2h_reset, h2h_update, h2h_new = F.SliceChannel(h2h, num_outputs=3, axis=self._channel_axis)
        reset = F.sigmoid(F.elemwise_add(i2h_reset, h2h_reset))
        update = F.sigmoid(F.elemwise_add(i2h_update, h2h_update))
        new = self._get_activation(F, F.elemwise_add(i2h_new, reset * h2h_new), self._activation)
        output = F.elemwise_add((1.0 - update) * new, update * states[0], name=f"t{self._counter}_out")
        return output, [output]


class Conv1DRNNCell(_ConvRNNCell):
    """The plain cell for sequences of signals; takes what `_ConvCell` lists."""

    num_axes = 1


class Conv2DRNNCell(_ConvRNNCell):
    """The plain cell for sequences of images; takes what `_ConvCell` lists."""

    num_axes = 2


class Conv3DRNNCell(_ConvRNNCell):
    """The plain cell for sequences of volumes; takes what `_ConvCell` lists."""

    num_axes = 3


class Conv1DLSTMCell(_ConvLSTMCell):
    """Long short-term memory for sequences of signals; takes what `_ConvCell` lists."""

    num_axes = 1


class Conv2DLSTMCell(_ConvLSTMCell):
    """Long short-term memory for sequences of images; takes what `_ConvCell` lists."""

    num_axes = 2


class Conv3DLSTMCell(_ConvLSTMCell):
    """Long short-term memory for sequences of volumes; takes what `_ConvCell` lists."""

    num_axes = 3


class Conv1DGRUCell(_ConvGRUCell):
    """The gated recurrent unit for sequences of signals; takes what `_ConvCell` lists."""

    num_axes = 1


class Conv2DGRUCell(_ConvGRUCell):
    """The gated recurrent unit for sequences of images; takes what `_ConvCell` lists."""

    num_axes = 2


class Conv3DGRUCell(_ConvGRUCell):
    """The gated recurrent unit for sequences of volumes; takes what `_ConvCell` lists."""

    num_axes = 3
